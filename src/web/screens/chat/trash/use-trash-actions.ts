import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { Conversation } from "#contract/entities.ts";
import { deleteConversation, restoreConversation } from "../../../data/queries/chat.queries.ts";
import { t } from "../../../messages/t.ts";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";

/** Restores a trashed conversation or deletes it for good. */
export function useTrashActions() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const showError = useErrorToast();
  const { id: openId } = useParams({ strict: false });
  const [isPending, setPending] = useState(false);
  const during = (work: Promise<void>) => {
    setPending(true);
    void work.catch(showError).finally(() => setPending(false));
  };
  const titleOf = ({ title }: Conversation) => title || t("chat.untitled");
  return {
    isPending,
    restore: (conversation: Conversation) =>
      during(
        restoreConversation(queryClient, conversation).then(async () => {
          await navigate({ to: "/chat/$id", params: { id: conversation.id }, search: {} });
          toast({ text: t("chatTrash.restored", { title: titleOf(conversation) }) });
        }),
      ),
    /** Deletes for good, after a confirmation. */
    remove: (conversation: Conversation) =>
      during(
        deleteConversation(queryClient, conversation).then(async () => {
          if (openId === conversation.id) await navigate({ to: "/chat", search: { trash: "1" } });
          toast({ text: t("chatTrash.deleted", { title: titleOf(conversation) }) });
        }),
      ),
  };
}
