import { type FormEvent, useState } from "react";
import { type StorageFacts, useUpdateStorageLimits } from "../../data/queries/storage.queries.ts";
import { PageSection } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/text-field.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";
import styles from "./storage-limits.module.css";

const gigabyte = 1e9;
const inGigabytes = (bytes: number | null): string =>
  bytes === null ? "" : String(bytes / gigabyte);

/** @returns bytes, null for an empty field, undefined for an invalid limit */
function parseGigabytes(text: string): number | null | undefined {
  if (text.trim() === "") return null;
  const bytes = Math.round(Number(text.trim().replace(",", ".")) * gigabyte);
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined;
}

/** The storage limits of each person and each project. */
export function StorageLimits({ limits }: { limits: StorageFacts["limits"] }) {
  const [person, setPerson] = useState(() => inGigabytes(limits.personBytes));
  const [project, setProject] = useState(() => inGigabytes(limits.projectBytes));
  const update = useUpdateStorageLimits();
  const toast = useToast();
  const onError = useErrorToast();
  const [personBytes, projectBytes] = [parseGigabytes(person), parseGigabytes(project)];
  const errorOf = (bytes: number | null | undefined): string | null =>
    bytes === undefined ? t("admin.storage.wrong") : null;
  const isChanged = personBytes !== limits.personBytes || projectBytes !== limits.projectBytes;
  const isWrong = personBytes === undefined || projectBytes === undefined;
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (isWrong) return;
    update.mutate(
      { personBytes, projectBytes },
      {
        onSuccess: () => toast({ kind: "done", text: t("admin.storage.saved") }),
        onError,
      },
    );
  };
  return (
    <PageSection title={t("admin.storage")} intro={t("admin.storage.intro")}>
      <form className={styles.limits} onSubmit={save}>
        <TextField
          label={t("admin.storage.person")}
          inputMode="decimal"
          error={errorOf(personBytes)}
          value={person}
          onValueChange={setPerson}
        />
        <TextField
          label={t("admin.storage.project")}
          inputMode="decimal"
          error={errorOf(projectBytes)}
          value={project}
          onValueChange={setProject}
        />
        <div className={styles.buttons}>
          <Button type="submit" size="small" disabled={isWrong || !isChanged || update.isPending}>
            {t("admin.storage.save")}
          </Button>
        </div>
      </form>
    </PageSection>
  );
}
