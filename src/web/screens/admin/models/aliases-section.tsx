import { useQuery } from "@tanstack/react-query";
import { ListOrdered, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { aliasConnectionId } from "#contract/aliases.ts";
import { tasks } from "#contract/tasks.ts";
import { accessQuery } from "../../../data/queries/access.queries.ts";
import { type Alias, aliasesQuery, useRemoveAlias } from "../../../data/queries/aliases.queries.ts";
import { ActionButton } from "../../../frame/action-button.tsx";
import { PageColumn, PageSection } from "../../../frame/page.tsx";
import { useSectionParts } from "../../../frame/sectioned-screen.tsx";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { EmptyState } from "../../../ui/display/empty-state.tsx";
import { List, ListRow } from "../../../ui/lists/list.tsx";
import { ListState } from "../../../ui/lists/list-state.tsx";
import { ConfirmDialog } from "../../../ui/overlays/dialog.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import { AliasDialog } from "./alias-dialog.tsx";
import { ModelUsersDialog } from "./model-users-dialog.tsx";
import { usersText } from "./model-users-text.ts";
import styles from "./models-section.module.css";

/** The open dialog and its alias, kept while it closes. `time` makes each opening a fresh form. */
type Opened = {
  dialog: "form" | "users";
  alias: Alias | null;
  isOpen: boolean;
  time: number;
} | null;

/** Aliases: names for several models, tried in order. */
export function AliasesSection() {
  const query = useQuery(aliasesQuery);
  const access = useQuery(accessQuery).data;
  const [opened, setOpened] = useState<Opened>(null);
  const [removing, setRemoving] = useState<Alias | null>(null);
  const remove = useRemoveAlias();
  const toast = useToast();
  const showError = useErrorToast();
  const open = (dialog: "form" | "users", alias: Alias | null) =>
    setOpened((before) => ({ dialog, alias, isOpen: true, time: (before?.time ?? 0) + 1 }));
  const close = () => setOpened((before) => before && { ...before, isOpen: false });
  const removeNow = ({ name }: Alias) =>
    remove.mutate(name, {
      onSuccess: () => toast({ text: t("aliases.removed", { name }) }),
      onError: showError,
      onSettled: () => setRemoving(null),
    });
  const list = query.data ?? [];
  const add = (
    <ActionButton
      action="aliases.add"
      variant="primary"
      icon={Plus}
      onClick={() => open("form", null)}
    >
      {t("aliases.add")}
    </ActionButton>
  );
  useSectionParts({ actions: list.length > 0 && add });
  return (
    <>
      <PageColumn>
        {query.data?.length === 0 ? (
          <EmptyState icon={ListOrdered} title={t("aliases.empty")} action={add}>
            {t("aliases.empty.text")}
          </EmptyState>
        ) : (
          <PageSection intro={t("aliases.intro")}>
            <ListState query={query} />
            {list.length > 0 && (
              <List label={t("aliases.title")}>
                {list.map((alias) => (
                  <AliasRow
                    key={alias.name}
                    alias={alias}
                    // Without a rule of its own, the default applies.
                    users={usersText(alias.users ?? (access ? { who: access.modelsFor } : null))}
                    onEdit={() => open("form", alias)}
                    onUsers={() => open("users", alias)}
                    onRemove={() => setRemoving(alias)}
                  />
                ))}
              </List>
            )}
          </PageSection>
        )}
      </PageColumn>
      {opened?.dialog === "form" && (
        <AliasDialog
          key={opened.time}
          alias={opened.alias}
          isOpen={opened.isOpen}
          onClose={close}
        />
      )}
      {opened?.dialog === "users" && opened.alias && (
        <ModelUsersDialog
          key={opened.time}
          target={{
            of: { models: [{ connectionId: aliasConnectionId, modelId: opened.alias.name }] },
            what: opened.alias.name,
            users: opened.alias.users,
          }}
          isOpen={opened.isOpen}
          onClose={close}
        />
      )}
      <ConfirmDialog
        open={removing !== null}
        onOpenChange={(isOpen) => !isOpen && setRemoving(null)}
        title={t("aliases.remove.title", { name: removing?.name ?? "" })}
        confirmLabel={t("aliases.remove.confirm")}
        danger
        busy={remove.isPending}
        onConfirm={() => removing && removeNow(removing)}
      >
        {t("aliases.remove.text")}
      </ConfirmDialog>
    </>
  );
}

type AliasRowProps = {
  alias: Alias;
  users: string;
  onEdit: () => void;
  onUsers: () => void;
  onRemove: () => void;
};

function AliasRow({ alias, users, onEdit, onUsers, onRemove }: AliasRowProps) {
  const { name, task, models } = alias;
  const unready = models.flatMap((model) =>
    model.whyNot === null ? [] : [t("aliases.whyNot", { name: model.name, reason: model.whyNot })],
  );
  const behind = models.map((model) => model.name).join(" → ");
  return (
    <ListRow
      start={<ListOrdered aria-hidden />}
      title={name}
      detail={[t("aliases.of", { task: tasks[task].name, models: behind }), ...unready].join(" · ")}
      end={
        <span className={styles.ways}>
          <Button
            size="small"
            aria-label={`${t("access.set.of", { name })}: ${users}`}
            onClick={onUsers}
          >
            {users}
          </Button>
          <IconButton
            size="small"
            icon={Pencil}
            label={t("aliases.edit", { name })}
            onClick={onEdit}
          />
          <IconButton
            size="small"
            icon={Trash2}
            label={t("aliases.remove", { name })}
            onClick={onRemove}
          />
        </span>
      }
    />
  );
}
