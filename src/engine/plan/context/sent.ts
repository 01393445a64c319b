import type { Message } from "#contract/entities.ts";
import { newestChoice, type SentBranch, sentOf } from "#domain/text/context.ts";
import {
  branchOf,
  type ChatRunInput,
  getMessage,
  listMessages,
} from "#store/content/conversations.ts";
import type { Reader } from "#store/database/store.ts";

export type Sent = SentBranch<Message>;
const nothing: Sent = { choice: undefined, leftOut: [], sent: [], summary: "" };

/** What a model would read of a branch if it were asked now. `messageId` is the branch's end; null before the first message. */
export async function readSent(
  db: Reader,
  conversationId: string | undefined,
  messageId: string | null,
): Promise<Sent> {
  if (conversationId === undefined || messageId === null) return nothing;
  const messages = await listMessages(db, conversationId);
  const branch = branchOf(messages, messageId);
  return sentOf(branch, newestChoice(branch, messages, true));
}

/** The context of a run, by the choice at its admission and not by later choices. */
export async function readSentTo(db: Reader, input: ChatRunInput): Promise<Sent> {
  const branch = branchOf(await listMessages(db, input.conversationId), input.parentMessageId);
  const choice = input.context ? await getMessage(db, input.context) : undefined;
  return sentOf(branch, choice);
}
