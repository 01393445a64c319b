import { useInfiniteQuery } from "@tanstack/react-query";
import { Crown, UserMinus } from "lucide-react";
import { useState } from "react";
import type { MemberInvite, Project, ProjectMember, ProjectRole } from "#contract/entities.ts";
import {
  membersQuery,
  useRemoveMember,
  useRemoveMemberInvite,
  useUpdateMember,
  useUpdateProject,
} from "../../data/queries/project.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { PageSection } from "../../frame/page.tsx";
import { formatCount } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { Select } from "../../ui/controls/select.tsx";
import { Avatar } from "../../ui/display/avatar.tsx";
import { Badge } from "../../ui/display/badge.tsx";
import { List, ListRow } from "../../ui/lists/list.tsx";
import { ListMore } from "../../ui/lists/list-more.tsx";
import { ListSearch } from "../../ui/lists/list-search.tsx";
import { ListState } from "../../ui/lists/list-state.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";
import { useDebounced } from "../../ui/use-debounced.ts";
import { AddMemberForm } from "./add-member-form.tsx";
import { InvitedRow } from "./invited-row.tsx";
import styles from "./project.module.css";
import { projectRoleOptions } from "./project-role-options.ts";

/** The members, whom managers can add, change and remove. */
export function MemberSection({ project }: { project: Project }) {
  const [search, setSearch] = useState("");
  const q = useDebounced(search.trim());
  const query = useInfiniteQuery(membersQuery(project.id, q ? { q } : {}));
  const pages = query.data?.pages ?? [];
  const members = pages.flatMap((page) => page.members);
  const invites = pages[0]?.invites ?? [];
  const count = query.isPlaceholderData ? undefined : pages[0]?.count;
  // The field stays while a search finishes and after all pages are loaded, because it may have the
  // focus.
  const isLong = query.hasNextPage || pages.length > 1 || query.isPlaceholderData;
  const { user } = useSession();
  const toast = useToast();
  const showError = useErrorToast();
  const update = useUpdateMember(project.id);
  const remove = useRemoveMember(project.id);
  const uninvite = useRemoveMemberInvite(project.id);
  const handOver = useUpdateProject(project.id);
  const [leaving, setLeaving] = useState<ProjectMember | null>(null);
  const [taking, setTaking] = useState<ProjectMember | null>(null);
  const isOwner = project.ownerId === user.id;
  const mayManage = project.role === "manager";
  const takeOut = () => {
    if (!leaving) return;
    const { name, userId } = leaving;
    remove.mutate(userId, {
      onSuccess: () => toast({ text: t("project.members.removed", { name }) }),
      onError: showError,
      onSettled: () => setLeaving(null),
    });
  };
  const giveTo = () => {
    if (!taking) return;
    const { name, userId } = taking;
    handOver.mutate(
      { ownerId: userId },
      {
        onSuccess: () => toast({ text: t("project.members.own.done", { name }) }),
        onError: showError,
        onSettled: () => setTaking(null),
      },
    );
  };
  const takeBack = ({ id, email }: MemberInvite) =>
    uninvite.mutate(id, {
      onSuccess: () => toast({ text: t("project.members.uninvited", { email }) }),
      onError: showError,
    });
  const controls = (member: ProjectMember) => (
    <>
      <Select
        aria-label={t("project.members.role", { name: member.name })}
        className={styles.select}
        value={
          update.isPending && update.variables.userId === member.userId
            ? update.variables.role
            : member.role
        }
        options={projectRoleOptions()}
        disabled={member.userId === project.ownerId}
        onValueChange={(role: ProjectRole) =>
          update.mutate({ userId: member.userId, role }, { onError: showError })
        }
      />
      {isOwner && member.userId !== user.id && (
        <IconButton
          icon={Crown}
          label={t("project.members.own", { name: member.name })}
          onClick={() => setTaking(member)}
        />
      )}
      <IconButton
        icon={UserMinus}
        label={t("project.members.remove", { name: member.name })}
        disabled={member.userId === user.id || member.userId === project.ownerId}
        onClick={() => setLeaving(member)}
      />
    </>
  );
  return (
    <PageSection
      title={t("project.members")}
      aside={count !== undefined && formatCount(count)}
      intro={t("project.members.intro")}
    >
      {(search || q || isLong) && (
        <ListSearch
          label={t("project.members.search")}
          value={search}
          onValueChange={setSearch}
          count={count}
        />
      )}
      <ListState query={query} rows={3} none={members.length === 0 && t("project.members.none")} />
      {members.length > 0 && (
        <List label={t("project.members")}>
          {members.map((member) => (
            <ListRow
              key={member.userId}
              start={<Avatar name={member.name} size={32} />}
              title={member.name}
              badge={
                <>
                  {member.userId === user.id && <Badge>{t("project.members.you")}</Badge>}
                  {member.userId === project.ownerId && <Badge>{t("project.members.owner")}</Badge>}
                </>
              }
              detail={member.email}
              end={
                mayManage ? (
                  controls(member)
                ) : (
                  <span className={styles.role}>{t(`role.${member.role}`)}</span>
                )
              }
            />
          ))}
        </List>
      )}
      <ListMore query={query} of={t("project.members")} />
      {invites.length > 0 && (
        <List label={t("project.members.open")} className={styles.invites}>
          {invites.map((invite) => (
            <InvitedRow key={invite.id} invite={invite} onRemove={() => takeBack(invite)} />
          ))}
        </List>
      )}
      {mayManage && <AddMemberForm projectId={project.id} />}
      <ConfirmDialog
        open={taking !== null}
        onOpenChange={(open) => !open && setTaking(null)}
        title={t("project.members.own.title", { name: taking?.name ?? "" })}
        confirmLabel={t("project.members.own.confirm")}
        busy={handOver.isPending}
        onConfirm={giveTo}
      >
        {t("project.members.own.text")}
      </ConfirmDialog>
      <ConfirmDialog
        open={leaving !== null}
        onOpenChange={(open) => !open && setLeaving(null)}
        title={t("project.members.remove.title", { name: leaving?.name ?? "" })}
        confirmLabel={t("project.members.remove.confirm")}
        danger
        busy={remove.isPending}
        onConfirm={takeOut}
      >
        {t("project.members.remove.text")}
      </ConfirmDialog>
    </PageSection>
  );
}
