import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { call } from "../../../data/client.ts";
import { sendOnce } from "../../../data/idempotency-key.ts";
import { keys } from "../../../data/keys.ts";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";

/** Forks a conversation at a message and opens the fork. */
export function useFork(onOpened: () => void): (messageId: string) => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const showError = useErrorToast();
  return async (messageId) => {
    try {
      const { conversation } = await sendOnce(["fork", messageId], (idempotencyKey) =>
        call("forkConversation", { params: { messageId }, body: { idempotencyKey } }),
      );
      void queryClient.invalidateQueries({ queryKey: keys.conversations(conversation.projectId) });
      await navigate({
        to: "/chat/$id",
        params: { id: conversation.id },
        search: ({ inspector }) => ({ inspector }),
      });
      onOpened();
    } catch (error) {
      showError(error);
    }
  };
}
