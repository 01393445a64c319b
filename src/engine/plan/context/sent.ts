import type { Message } from "#contract/entities.ts";
import { type SentBranch, sentOf } from "#domain/text/context.ts";
import {
  branchOf,
  type ChatRunInput,
  getMessage,
  listMessages,
} from "#store/content/conversations.ts";
import type { Reader } from "#store/database/store.ts";

/**
 * The context of a run, according to the choice at its admission; later choices don't change it.
 */
export async function readSentTo(db: Reader, input: ChatRunInput): Promise<SentBranch<Message>> {
  const branch = branchOf(await listMessages(db, input.conversationId), input.parentMessageId);
  const choice = input.context ? await getMessage(db, input.context) : undefined;
  return sentOf(branch, choice);
}
