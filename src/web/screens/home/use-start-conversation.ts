import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { ModelRef } from "#contract/entities.ts";
import { call } from "../../data/client.ts";
import { sendOnce } from "../../data/idempotency-key.ts";
import { keys } from "../../data/keys.ts";
import { newConversation } from "../../data/new-conversation.ts";

type Question = { projectId: string; model: ModelRef; text: string; attachments: string[] };

/**
 * Asks a question in a new conversation and opens it. A retry of the same question uses the same
 * conversation and idempotency key, so that nothing is created twice.
 */
export function useStartConversation() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [first] = useState(newConversation);
  return useMutation({
    mutationFn: (question: Question) => {
      const { projectId, model, text, attachments } = question;
      return first.send({ projectId }, async ({ id }) => {
        const params = { conversationId: id };
        const body = { parentId: null, text, attachments, ask: { model } };
        await sendOnce([id, body], (idempotencyKey) =>
          call("sendMessage", { params, body: { ...body, idempotencyKey } }),
        );
        return id;
      });
    },
    onSuccess: (id, { projectId }) => {
      void queryClient.invalidateQueries({ queryKey: keys.conversations(projectId) });
      void navigate({ to: "/chat/$id", params: { id } });
    },
  });
}
