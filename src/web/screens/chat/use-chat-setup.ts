import type { Conversation } from "#contract/entities.ts";
import { isRecord, type Slot } from "../../data/saved/saved-entries.ts";
import { useSaved } from "../../data/saved/use-saved.ts";
import type { ConversationActions } from "./conversations/use-conversation-actions.ts";

type Setup = {
  systemPrompt: string;
  settings: Record<string, unknown>;
  /** Before the first message: the chat will be temporary. */
  temporary?: boolean;
};
const noSetup: Setup = { systemPrompt: "", settings: {} };

/** The setup of a project's next conversation. */
const newChatSetup: Slot<Setup> = {
  kind: "draft",
  name: "new-chat-facts",
  version: 1,
  empty: noSetup,
  parse: (saved) => (isRecord(saved) ? { ...noSetup, ...(saved as Partial<Setup>) } : null),
};

/**
 * System prompt and settings of the open conversation, or on the device before the first message.
 */
export function useChatSetup(
  projectId: string,
  conversation: Conversation | undefined,
  actions: ConversationActions,
) {
  const draft = useSaved(newChatSetup, projectId);
  const change = ({ temporary, ...next }: Partial<Setup>) => {
    if (temporary !== undefined) draft.change((before) => ({ ...before, temporary }));
    if (conversation) void actions.change(conversation, next);
    else if (Object.keys(next).length > 0) draft.change((before) => ({ ...before, ...next }));
  };
  const isTemporary = conversation ? conversation.expiresAt !== null : draft.value.temporary;
  return {
    value: conversation ?? draft.value,
    isTemporary: isTemporary === true,
    change,
    clear: draft.clear,
  };
}

export type ChatSetup = ReturnType<typeof useChatSetup>;
