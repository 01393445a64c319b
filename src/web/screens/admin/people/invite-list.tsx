import { KeyRound, Link2 } from "lucide-react";
import type { Invite } from "#contract/entities.ts";
import { useRemoveInvite } from "../../../data/queries/people.queries.ts";
import { PageSection } from "../../../frame/page.tsx";
import { formatExact } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { List, ListRow } from "../../../ui/lists/list.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";

/** Unused links, each of which can be revoked. */
export function InviteList({ invites }: { invites: readonly Invite[] }) {
  const remove = useRemoveInvite();
  const toast = useToast();
  const showError = useErrorToast();
  if (invites.length === 0) return null;
  const takeBack = ({ id, email }: Invite) =>
    remove.mutate(id, {
      onSuccess: () => toast({ text: t("people.invites.removed", { email }) }),
      onError: showError,
    });
  return (
    <PageSection
      title={t("people.invites")}
      aside={invites.length}
      intro={t("people.invites.intro")}
    >
      <List label={t("people.invites")}>
        {invites.map((invite) => {
          const when = formatExact(invite.expiresAt);
          const isJoin = invite.kind === "join";
          return (
            <ListRow
              key={invite.id}
              start={isJoin ? <Link2 aria-hidden /> : <KeyRound aria-hidden />}
              title={invite.email}
              detail={
                isJoin
                  ? t("people.invites.join", { role: t(`role.${invite.role}`), when })
                  : t("people.invites.password", { when })
              }
              end={
                <Button
                  size="small"
                  aria-label={t("people.invites.removeOf", { email: invite.email })}
                  busy={remove.isPending && remove.variables === invite.id}
                  onClick={() => takeBack(invite)}
                >
                  {t("people.invites.remove")}
                </Button>
              }
            />
          );
        })}
      </List>
    </PageSection>
  );
}
