import { useQueryClient } from "@tanstack/react-query";
import type { Conversation } from "#contract/entities.ts";
import { call } from "../../../data/client.ts";
import { conversationQuery } from "../../../data/queries/conversation.queries.ts";
import { t } from "../../../messages/t.ts";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";

/** Deletes a message with its replies, and offers undo. */
export function usePrune(
  conversation: Conversation | undefined,
  onPruned: () => void,
): (messageId: string) => Promise<void> {
  const queryClient = useQueryClient();
  const toast = useToast();
  const showError = useErrorToast();
  return async (messageId) => {
    if (!conversation) return;
    const { id: conversationId } = conversation;
    const readAgain = () =>
      queryClient.invalidateQueries({ queryKey: conversationQuery(conversationId).queryKey });
    const restore = async () => {
      await call("restoreMessage", { params: { conversationId, messageId } });
      await readAgain();
    };
    try {
      const { removed } = await call("removeMessage", { params: { messageId } });
      await readAgain();
      onPruned();
      toast({
        text: t("chat.pruned", { count: removed }),
        detail: t("chat.pruned.detail"),
        action: { label: t("ui.undo"), onAction: () => void restore().catch(showError) },
      });
    } catch (error) {
      showError(error);
    }
  };
}
