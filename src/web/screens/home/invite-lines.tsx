import { useMutation, useQueryClient } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import type { OwnInvite } from "#contract/entities.ts";
import { call } from "../../data/client.ts";
import { refreshAfter } from "../../data/keys.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";
import styles from "./home.module.css";

/** Invitations to projects, to accept or decline. */
export function InviteLines({ invites }: { invites: readonly OwnInvite[] }) {
  return (
    <section className={styles.invites} aria-label={t("home.invite.label")}>
      {invites.map((invite) => (
        <Line key={invite.id} invite={invite} />
      ))}
    </section>
  );
}

function Line({ invite: { id, projectName, inviterName, role } }: { invite: OwnInvite }) {
  const queryClient = useQueryClient();
  const toast = useToast();
  const showError = useErrorToast();
  const answer = useMutation({
    mutationFn: (accept: boolean) =>
      call("answerInvite", { params: { inviteId: id }, body: { accept } }),
    onSuccess: (_, accept) =>
      accept && toast({ text: t("home.invite.joined", { project: projectName }) }),
    onError: showError,
    onSettled: () => refreshAfter(queryClient, "account"),
  });
  return (
    <div className={styles.needs}>
      <UserPlus aria-hidden />
      <p>{t("home.invite", { name: inviterName, project: projectName, role })}</p>
      <Button
        size="small"
        busy={answer.isPending && !answer.variables}
        onClick={() => answer.mutate(false)}
      >
        {t("home.invite.decline")}
      </Button>
      <Button
        size="small"
        variant="primary"
        busy={answer.isPending && answer.variables}
        onClick={() => answer.mutate(true)}
      >
        {t("home.invite.accept")}
      </Button>
    </div>
  );
}
