import { Ban, Ellipsis, FolderInput, KeyRound, RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import type { InstanceRole } from "#contract/entities.ts";
import {
  type CreatedLink,
  type ListedPerson,
  useCreatePasswordLink,
  useUpdatePerson,
} from "../../../data/queries/people.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { ActionMenu } from "../../../frame/action-menu.tsx";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { Select } from "../../../ui/controls/select.tsx";
import { Avatar } from "../../../ui/display/avatar.tsx";
import { Badge } from "../../../ui/display/badge.tsx";
import { ListRow } from "../../../ui/lists/list.tsx";
import { ConfirmDialog } from "../../../ui/overlays/dialog.tsx";
import type { MenuEntry } from "../../../ui/overlays/menu-popup.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import styles from "./people.module.css";
import { roleOptions } from "./role-options.ts";

export type PersonRowProps = {
  person: ListedPerson;
  onLink: (made: CreatedLink) => void;
  onHandOver: () => void;
  onDelete: () => void;
};

/** One person: role, state, and an admin's actions. */
export function PersonRow({ person, onLink, onHandOver, onDelete }: PersonRowProps) {
  const { user } = useSession();
  const toast = useToast();
  const showError = useErrorToast();
  const update = useUpdatePerson();
  const makeLink = useCreatePasswordLink();
  const [isAsking, setAsking] = useState(false);
  const { id, name, email, role, status, projects } = person;
  const isMe = id === user.id;
  const isSuspended = status === "suspended";
  const isOutOfReach = role === "owner" && user.role !== "owner";
  const setRole = (next: InstanceRole) =>
    update.mutate(
      { userId: id, role: next },
      {
        onSuccess: () =>
          toast({ text: t("people.roleChanged", { name, role: t(`role.${next}`) }) }),
        onError: showError,
      },
    );
  const setStatus = (next: "active" | "suspended") =>
    update.mutate(
      { userId: id, status: next },
      {
        onSuccess: () =>
          toast({
            text: t(next === "active" ? "people.restored" : "people.suspendedToast", { name }),
          }),
        onError: showError,
        onSettled: () => setAsking(false),
      },
    );
  const entries: MenuEntry[] = [
    {
      label: t("people.passwordLink"),
      icon: KeyRound,
      disabled: isSuspended,
      onSelect: () => makeLink.mutate(id, { onSuccess: onLink, onError: showError }),
    },
    { separator: true },
    isSuspended
      ? { label: t("people.restore"), icon: RotateCcw, onSelect: () => setStatus("active") }
      : {
          label: t("people.suspend"),
          icon: Ban,
          danger: true,
          disabled: isMe,
          onSelect: () => setAsking(true),
        },
    {
      label: t("people.handOver"),
      icon: FolderInput,
      disabled: !isSuspended || projects === 0,
      onSelect: onHandOver,
    },
    { separator: true },
    {
      label: t("people.delete"),
      icon: Trash2,
      danger: true,
      disabled: isMe,
      movesFocus: true,
      onSelect: onDelete,
    },
  ];
  return (
    <>
      <ListRow
        start={<Avatar name={name} src={person.image} size={32} />}
        title={name}
        badge={
          <>
            {isMe && <Badge>{t("people.you")}</Badge>}
            {isSuspended && (
              <Badge tone="warn" icon={Ban}>
                {t("people.suspended")}
              </Badge>
            )}
          </>
        }
        detail={t("people.detail", { email, count: projects })}
        end={
          <>
            {isOutOfReach ? (
              <span className={styles.role}>{t(`role.${role}`)}</span>
            ) : (
              <Select
                aria-label={t("people.role", { name })}
                className={styles.select}
                value={role}
                options={roleOptions(user.role)}
                onValueChange={setRole}
              />
            )}
            <ActionMenu
              label={t("people.menu", { name })}
              entries={isOutOfReach ? [] : entries}
              trigger={
                <IconButton
                  icon={Ellipsis}
                  label={t("people.menu", { name })}
                  disabled={isOutOfReach}
                />
              }
            />
          </>
        }
      />
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={t("people.suspend.title", { name })}
        confirmLabel={t("people.suspend.confirm")}
        danger
        busy={update.isPending}
        onConfirm={() => setStatus("suspended")}
      >
        {t("people.suspend.text")}
      </ConfirmDialog>
    </>
  );
}
