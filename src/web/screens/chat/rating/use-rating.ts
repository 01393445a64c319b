import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Feedback, Message } from "#contract/entities.ts";
import { call } from "../../../data/client.ts";
import { refreshConversation } from "../../../data/queries/conversation.queries.ts";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";

export type Given = Pick<Feedback, "value" | "reasons" | "text">;

/** Rates an answer, or removes the rating. Each resolves to whether it was saved. */
export function useRating({ id: messageId, conversationId }: Message) {
  const queryClient = useQueryClient();
  const showError = useErrorToast();
  /** The rating shown until the server answers; null means none. */
  const [pending, setPending] = useState<Feedback["value"] | null>();
  const change = async (value: Feedback["value"] | null, save: () => Promise<unknown>) => {
    setPending(value);
    try {
      await save();
      await refreshConversation(queryClient, conversationId, new Set([messageId]));
      return true;
    } catch (error) {
      showError(error);
      return false;
    } finally {
      setPending(undefined);
    }
  };
  return {
    pending,
    rate: (body: Given) =>
      change(body.value, () => call("putFeedback", { params: { messageId }, body })),
    remove: () => change(null, () => call("removeFeedback", { params: { messageId } })),
  };
}
