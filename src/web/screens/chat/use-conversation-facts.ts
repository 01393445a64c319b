import type { Conversation } from "#contract/entities.ts";
import { useDraft } from "../../components/composer/use-draft.ts";
import type { ConversationActions } from "./conversations/use-conversation-actions.ts";

export type Facts = { systemPrompt: string; settings: Record<string, unknown> };
const nothing: Facts = { systemPrompt: "", settings: {} };

function parseFacts(kept: string): Facts {
  if (kept === "") return nothing;
  try {
    return { ...nothing, ...(JSON.parse(kept) as Partial<Facts>) };
  } catch {
    return nothing;
  }
}

/** System prompt and settings: of the open conversation, or on the device for one that has not begun. */
export function useConversationFacts(
  draftKey: string,
  conversation: Conversation | undefined,
  actions: ConversationActions,
) {
  const [kept, setKept] = useDraft(draftKey);
  const facts: Facts = conversation ?? parseFacts(kept);
  const change = (next: Partial<Facts>) => {
    if (conversation) void actions.change(conversation, next);
    else setKept(JSON.stringify({ ...facts, ...next }));
  };
  return { facts, change, clear: () => setKept("") };
}
