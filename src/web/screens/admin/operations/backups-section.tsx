import { useQuery } from "@tanstack/react-query";
import { Archive, CircleAlert, CircleCheck, CirclePause } from "lucide-react";
import { type FormEvent, useState } from "react";
import { limits } from "#contract/limits.ts";
import {
  type BackupFacts,
  backupsQuery,
  useMakeBackup,
  useSetBackups,
} from "../../../data/queries/admin/operations.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { ActionButton } from "../../../frame/action-button.tsx";
import { PageColumn, PageSection } from "../../../frame/page.tsx";
import { formatBytes, formatExact } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { SelectField } from "../../../ui/controls/select.tsx";
import { TextField } from "../../../ui/controls/text-field.tsx";
import { Badge, type BadgeTone } from "../../../ui/display/badge.tsx";
import { Facts } from "../../../ui/display/facts.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { List, ListRow } from "../../../ui/lists/list.tsx";
import { ListState } from "../../../ui/lists/list-state.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import styles from "./operations.module.css";

const hours = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: `${String(hour).padStart(2, "0")}:00`,
}));

/** The backup schedule and folder, the latest state, and the existing backups. */
export function BackupsSection() {
  const backups = useQuery(backupsQuery);
  const data = backups.error ? undefined : backups.data;
  return (
    <PageColumn>
      <ListState query={backups} rows={4} />
      {data && (
        <>
          <Plan key={JSON.stringify(data.plan)} facts={data} />
          {data.plan.folder !== null && (
            <>
              <Standing standing={data.standing} />
              <Made folder={data.plan.folder} made={data.made} />
            </>
          )}
        </>
      )}
    </PageColumn>
  );
}

function Plan({ facts: { plan, engine } }: { facts: BackupFacts }) {
  const { user } = useSession();
  const isOwner = user.role === "owner";
  const [folder, setFolder] = useState(plan.folder ?? "");
  const [hour, setHour] = useState(String(plan.hour));
  const [keepText, setKeepText] = useState(String(plan.keep));
  // The hour is in the time zone of the person who sets it.
  const timeZone = plan.folder === null ? user.timeZone : plan.timeZone;
  const keep = /^\d{1,3}$/.test(keepText.trim()) ? Number(keepText) : 0;
  const isWrong = keep < 1 || keep > limits.backupsKept;
  const next = { folder: folder.trim() || null, hour: Number(hour), timeZone, keep };
  const isChanged =
    next.folder !== plan.folder || next.hour !== plan.hour || next.keep !== plan.keep;
  const set = useSetBackups();
  const toast = useToast();
  const onError = useErrorToast();
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (isWrong || !isChanged) return;
    // Saving remounts this form, and callbacks of `mutate` are skipped once their component is
    // gone.
    set.mutateAsync(next).then(() => toast({ kind: "done", text: t("backups.saved") }), onError);
  };
  return (
    <PageSection
      title={t("backups.title")}
      intro={
        engine === "postgres"
          ? `${t("backups.intro")} ${t("backups.intro.postgres")}`
          : t("backups.intro")
      }
    >
      <form className={styles.plan} onSubmit={save}>
        <TextField
          label={t("backups.folder")}
          hint={t(isOwner ? "backups.folder.hint" : "backups.folder.owners")}
          value={folder}
          disabled={!isOwner}
          placeholder="/backups/bottega"
          onValueChange={setFolder}
        />
        <div className={styles.pair}>
          <SelectField
            label={t("backups.hour")}
            hint={t("backups.hour.zone", { timeZone })}
            value={hour}
            onValueChange={setHour}
            options={hours}
          />
          <TextField
            label={t("backups.number")}
            inputMode="numeric"
            error={isWrong ? t("backups.number.wrong", { most: limits.backupsKept }) : null}
            value={keepText}
            onValueChange={setKeepText}
          />
        </div>
        <p className={styles.intro}>{t("backups.number.hint")}</p>
        <p className={styles.intro}>{t("backups.key")}</p>
        <div className={styles.buttons}>
          <Button type="submit" size="small" disabled={isWrong || !isChanged || set.isPending}>
            {t("backups.save")}
          </Button>
        </div>
      </form>
    </PageSection>
  );
}

const marks = {
  off: { tone: "plain", icon: CirclePause },
  ok: { tone: "ok", icon: CircleCheck },
  old: { tone: "bad", icon: CircleAlert },
  failed: { tone: "bad", icon: CircleAlert },
  incomplete: { tone: "bad", icon: CircleAlert },
} as const satisfies Record<
  BackupFacts["standing"]["state"],
  { tone: BadgeTone; icon: typeof Archive }
>;

function Standing({ standing }: { standing: BackupFacts["standing"] }) {
  const { state, doneAt, nextAt, isUnderWay, lastError } = standing;
  const make = useMakeBackup();
  const toast = useToast();
  const onError = useErrorToast();
  const makeNow = () =>
    make.mutate(undefined, { onSuccess: () => toast({ text: t("backups.requested") }), onError });
  return (
    <PageSection
      title={t("backups.status")}
      action={
        <ActionButton
          action="backups.make"
          size="small"
          icon={Archive}
          disabled={isUnderWay}
          busy={make.isPending}
          onClick={makeNow}
        >
          {t("backups.make")}
        </ActionButton>
      }
    >
      <Facts
        facts={[
          [
            t("backups.state"),
            <Badge key="state" {...marks[state]}>
              {t(`backups.state.${state}`)}
            </Badge>,
          ],
          [
            t("backups.last"),
            doneAt === null ? t("backups.none") : <Time key="last" at={doneAt} />,
          ],
          [
            t("backups.next"),
            isUnderWay ? t("backups.underWay") : nextAt !== null && formatExact(nextAt),
          ],
          [t("backups.problem"), lastError],
        ]}
      />
    </PageSection>
  );
}

function Made({ folder, made }: { folder: string; made: BackupFacts["made"] }) {
  return (
    <PageSection title={t("backups.made")} intro={t("backups.restore", { folder })}>
      {made === null && <p className={styles.intro}>{t("backups.made.unreadable")}</p>}
      {made?.length === 0 && <p className={styles.intro}>{t("backups.made.none")}</p>}
      {made && made.length > 0 && (
        <List label={t("backups.made")}>
          {made.map(({ at, files, bytes }) => (
            <ListRow
              key={at}
              start={<Archive aria-hidden />}
              title={formatExact(at)}
              detail={t("backups.made.detail", { files, size: formatBytes(bytes) })}
            />
          ))}
        </List>
      )}
    </PageSection>
  );
}
