import { useQuery } from "@tanstack/react-query";
import { Cable } from "lucide-react";
import { useState } from "react";
import { type Access, accessQuery, useUpdateAccess } from "../../../data/queries/access.queries.ts";
import { PageColumn, PageSection } from "../../../frame/page.tsx";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Segmented } from "../../../ui/controls/segmented.tsx";
import { Switch } from "../../../ui/controls/switch.tsx";
import { List, ListRow } from "../../../ui/lists/list.tsx";
import { ListState } from "../../../ui/lists/list-state.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import { type AccessWays, ModelRules } from "./model-rules.tsx";
import { ModelUsersDialog } from "./model-users-dialog.tsx";
import { type AccessTarget, usersText } from "./model-users-text.ts";
import styles from "./models-section.module.css";

/** The dialog's target, kept while it closes. `time` makes each opening a fresh form. */
type Opened = { target: AccessTarget; isOpen: boolean; time: number } | null;

/** Who can use which models: the default, then by connection, then by model. */
export function ModelsSection() {
  const access = useQuery(accessQuery);
  const [opened, setOpened] = useState<Opened>(null);
  const open = (target: AccessTarget) =>
    setOpened((before) => ({ target, isOpen: true, time: (before?.time ?? 0) + 1 }));
  return (
    <PageColumn>
      <ListState query={access} rows={6} />
      {access.data && !access.error && (
        <>
          <ForEveryone access={access.data} />
          <Connections access={access.data} onSet={open} />
          <ModelRules access={access.data} onSet={open} />
          {opened && (
            <ModelUsersDialog
              key={opened.time}
              target={opened.target}
              isOpen={opened.isOpen}
              onClose={() => setOpened((before) => before && { ...before, isOpen: false })}
            />
          )}
        </>
      )}
    </PageColumn>
  );
}

function ForEveryone({ access }: { access: Access }) {
  const update = useUpdateAccess();
  const showError = useErrorToast();
  const change = (body: Parameters<typeof update.mutate>[0]) =>
    update.mutate(body, {
      onError: showError,
    });
  return (
    <PageSection title={t("access.instance")} intro={t("access.instance.intro")}>
      <div className={styles.settings}>
        <div className={styles.setting}>
          <span className={styles.label}>{t("access.modelsFor")}</span>
          <Segmented
            label={t("access.modelsFor")}
            value={access.modelsFor}
            onValueChange={(modelsFor) => change({ modelsFor })}
            options={(["everyone", "admins"] as const).map((value) => ({
              value,
              label: t(`access.${value}`),
            }))}
          />
        </div>
        <Switch
          label={t("access.membersConnect")}
          hint={t("access.membersConnect.hint")}
          checked={access.membersConnect}
          onCheckedChange={(membersConnect) => change({ membersConnect })}
        />
      </div>
    </PageSection>
  );
}

function Connections({ access, onSet }: AccessWays) {
  return (
    <PageSection title={t("access.connections")} intro={t("access.connections.intro")}>
      {access.connections.length === 0 && (
        <p className={styles.hint}>{t("access.connections.none")}</p>
      )}
      {access.connections.length > 0 && (
        <List label={t("access.connections")}>
          {access.connections.map(({ id, name, users, models }) => (
            <ListRow
              key={id}
              start={<Cable aria-hidden />}
              title={name}
              detail={t("access.what.models", { count: models })}
              end={
                <Button
                  size="small"
                  aria-label={`${t("access.set.of", { name })}: ${usersText(users)}`}
                  onClick={() => onSet({ of: { connectionId: id }, what: name, users })}
                >
                  {usersText(users)}
                </Button>
              }
            />
          ))}
        </List>
      )}
    </PageSection>
  );
}
