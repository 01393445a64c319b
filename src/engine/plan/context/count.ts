import type { Message } from "#contract/entities.ts";
import {
  choiceOf,
  newestChoice,
  type SentBranch,
  sentOf,
  tokensOfParts,
} from "#domain/text/context.ts";
import { branchOf, getMessage, listMessages } from "#store/content/conversations.ts";
import { listContextMessages } from "#store/content/message-pages.ts";
import type { CountedBranch, CountedBranches, EngineDeps } from "../../deps.ts";
import { measureTexts } from "../text-size.ts";

export const nothingCounted: CountedBranch = {
  choice: undefined,
  summary: "",
  leftOut: 0,
  messages: 0,
  characters: 0,
  bytes: 0,
  tokens: 0,
  fileIds: [],
  openRunIds: [],
  answers: [],
};

/** How many of the last answers are searched for one that the provider has counted. */
const answersBack = 4;
/** How many messages are walked back to find a counted branch. */
const messagesBack = 50;
/** Branches kept in memory, the latest counted, at some 300 bytes each. */
const maxBranches = 1_000;
/**
 * How long after its start an interrupted answer can still receive text from a server that was
 * declared dead: longer than any answer takes.
 */
const lateWordsMs = 60 * 60_000;

export function createCountedBranches(): CountedBranches {
  const counted = new Map<string, CountedBranch>();
  return {
    get: (key) => counted.get(key),
    set(key, branch) {
      counted.delete(key);
      counted.set(key, branch);
      const oldest = counted.keys().next().value;
      if (counted.size > maxBranches && oldest !== undefined) counted.delete(oldest);
    },
  };
}

/**
 * Counts the part of a branch that a model would read now.
 * @param messageId the last message of the branch; null before the first
 */
export async function countBranch(
  deps: EngineDeps,
  conversationId: string | undefined,
  messageId: string | null,
): Promise<CountedBranch> {
  if (conversationId === undefined || messageId === null) return nothingCounted;
  const choices = await listContextMessages(deps.store.read, conversationId);
  const held = choices.map((choice) => `${choice.id}:${choiceOf(choice)}`).join(" ");
  const keyOf = (id: string) => `${conversationId} ${id} ${held}`;
  const isEndOfChoice = (id: string) => choices.some(({ parentId }) => parentId === id);
  const now = deps.clock.now();
  /** The messages after a counted branch, newest first. */
  const added: Message[] = [];
  for (let id: string | null = messageId; id !== null && added.length < messagesBack; ) {
    const known = deps.counted.get(keyOf(id));
    if (known && added.length === 0) return known;
    // Whether a context choice applies depends on the messages after its last one, so such a branch
    // is counted from the start.
    if (isEndOfChoice(id)) break;
    if (known) {
      let branch = known;
      let isFinal = true;
      for (const message of added.reverse()) {
        branch = addTo(branch, message);
        isFinal &&= isSettled(message, now);
        if (isFinal) deps.counted.set(keyOf(message.id), branch);
      }
      return branch;
    }
    const message: Message | undefined = await getMessage(deps.store.read, id);
    if (message?.conversationId !== conversationId) break;
    added.push(message);
    id = message.parentId;
  }
  const messages = await listMessages(deps.store.read, conversationId);
  const branch = branchOf(messages, messageId);
  const counted = countSent(sentOf(branch, newestChoice(branch, messages, true)));
  if (branch.every((message) => isSettled(message, now)))
    deps.counted.set(keyOf(messageId), counted);
  return counted;
}

type CountedMessage = Pick<Message, "role" | "state" | "runId" | "parts">;

/** Counts a branch that has already been read. */
export const countSent = ({
  choice,
  leftOut,
  sent,
  summary,
}: SentBranch<CountedMessage>): CountedBranch =>
  sent.reduce(addTo, { ...nothingCounted, choice, summary, leftOut: leftOut.length });

/** Whether a message can no longer change. */
const isSettled = ({ state, createdAt }: Message, now: number): boolean =>
  state === "complete" || (state === "interrupted" && createdAt < now - lateWordsMs);

function addTo(
  branch: CountedBranch,
  { role, state, runId, parts }: CountedMessage,
): CountedBranch {
  const said = measureTexts(parts.flatMap(textsOf));
  const tokens = branch.tokens + tokensOfParts(parts);
  const files = parts.filter((part) => isRead(role, part)).flatMap(filesOf);
  const fileIds = files.length > 0 ? [...branch.fileIds, ...files] : branch.fileIds;
  const answers =
    role === "assistant" && runId !== null
      ? [...branch.answers, { runId, tokens, files: fileIds.length }].slice(-answersBack)
      : branch.answers;
  const openRunIds =
    state === "streaming" && runId !== null ? [...branch.openRunIds, runId] : branch.openRunIds;
  return {
    ...branch,
    messages: branch.messages + 1,
    characters: branch.characters + said.characters,
    bytes: branch.bytes + said.bytes,
    tokens,
    fileIds,
    answers,
    openRunIds,
  };
}

/** The files of a part that a model reads. */
export function filesOf(part: Message["parts"][number]): readonly string[] {
  if (part.type === "file") return [part.assetId];
  return part.type === "tool-result" ? (part.pictureIds ?? []) : [];
}

/** Files that an answer made stay in its message and aren't sent again (wire/chat-prompt.ts). */
const isRead = (role: Message["role"], { type }: Message["parts"][number]): boolean =>
  role !== "assistant" || type !== "file";

function textsOf(part: Message["parts"][number]): string[] {
  if (part.type === "text") return [part.text];
  if (part.type === "tool-call") return [part.name, JSON.stringify(part.input)];
  if (part.type === "tool-record") return [JSON.stringify(part.data)];
  return part.type === "tool-result" ? [part.name, part.output] : [];
}
