import type { Conversation } from "#contract/entities.ts";
import { isRecord, type Slot } from "../../data/kept/kept.ts";
import { useKept } from "../../data/kept/use-kept.ts";
import type { ConversationActions } from "./conversations/use-conversation-actions.ts";

export type Facts = { systemPrompt: string; settings: Record<string, unknown> };
const nothing: Facts = { systemPrompt: "", settings: {} };

/** Of a project's next new conversation. */
const newFacts: Slot<Facts> = {
  kind: "draft",
  name: "new-chat-facts",
  version: 1,
  empty: nothing,
  parse: (saved) => (isRecord(saved) ? { ...nothing, ...(saved as Partial<Facts>) } : null),
};

/** System prompt and settings: of the open conversation, or on the device for one that has not begun. */
export function useConversationFacts(
  projectId: string,
  conversation: Conversation | undefined,
  actions: ConversationActions,
) {
  const draft = useKept(newFacts, projectId);
  const facts: Facts = conversation ?? draft.value;
  const change = (next: Partial<Facts>) => {
    if (conversation) void actions.change(conversation, next);
    else draft.change((before) => ({ ...before, ...next }));
  };
  return { facts, change, clear: draft.clear };
}
