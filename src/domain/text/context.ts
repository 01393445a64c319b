import type { Message, Model } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";

type ContextMessage = Pick<Message, "id" | "parentId" | "role" | "state" | "parts">;
type BranchMessage = Pick<Message, "id" | "role">;

/** A choice drops the oldest messages, replaces them by a summary, or sends all again. */
export type ChoiceKind = "drop" | "summary" | "all";

/** @returns null for any other message, and for an incomplete summary */
export function choiceOf({
  role,
  state,
  parts,
}: Pick<Message, "role" | "state" | "parts">): ChoiceKind | null {
  if (role !== "context" || state !== "complete") return null;
  const part = parts.find(({ type }) => type === "context");
  if (part?.type === "context") return part.sends === "all" ? "all" : "drop";
  return summaryOf(parts) === "" ? null : "summary";
}

export const summaryOf = (parts: Message["parts"]): string =>
  parts
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("")
    .trim();

/**
 * The position of a context choice on a branch: how many messages it covers. Zero if it covers none
 * of this branch, because the part that is sent has to start with a person's message.
 */
function placeOn(branch: readonly BranchMessage[], choice: ContextMessage): number {
  const place = branch.findIndex(({ id }) => id === choice.parentId) + 1;
  const next = branch[place];
  return next === undefined || next.role === "user" ? place : 0;
}

/**
 * The newest context choice of a branch, complete or not. Ids are UUIDv7, so their order is
 * chronological.
 */
export function newestChoice<Of extends ContextMessage>(
  branch: readonly BranchMessage[],
  messages: readonly Of[],
  isWhole: boolean,
): Of | undefined {
  const choices = messages.filter(
    (message) => message.role === "context" && (!isWhole || choiceOf(message) !== null),
  );
  const here = choices.filter((choice) => placeOn(branch, choice) > 0);
  return here.reduce<Of | undefined>(
    (newest, choice) => (newest && newest.id > choice.id ? newest : choice),
    undefined,
  );
}

/** The part of a branch that a model reads. `choice` is the one that applied to the request. */
export type SentBranch<Of> = {
  choice: Message | undefined;
  leftOut: Of[];
  sent: Of[];
  summary: string;
};

export function sentOf<Of extends BranchMessage>(
  branch: readonly Of[],
  choice: Message | undefined,
): SentBranch<Of> {
  const kind = choice && choiceOf(choice);
  const place = choice && kind && kind !== "all" ? placeOn(branch, choice) : 0;
  const summary = choice && place > 0 && kind === "summary" ? summaryOf(choice.parts) : "";
  return { choice, leftOut: branch.slice(0, place), sent: branch.slice(place), summary };
}

/**
 * The context window of a request: the value set in the settings if they allow one (for a local
 * server), at most the model's own. Null if unknown.
 */
export function contextTokensOf(
  { limits: facts }: Pick<Model, "limits">,
  settings: Readonly<Record<string, unknown>>,
): number | null {
  const [set, most] = [
    settings.contextTokens,
    (facts as { contextTokens?: unknown }).contextTokens,
  ];
  const known = typeof most === "number" && most > 0 ? most : null;
  if (typeof set !== "number" || set <= 0) return known;
  return known === null ? set : Math.min(set, known);
}

/** The minimum to leave free in a context window for an answer without a chosen length. */
export const leastAnswerOf = (contextTokens: number): number =>
  Math.max(
    1,
    Math.min(limits.chatOutputTokensLeast, Math.floor(contextTokens * limits.chatOutputShare)),
  );

export const bytesPerToken = 4;
/** The overhead of a message's markup. */
export const tokensPerMessage = 4;
/**
 * Providers count pictures by their area, up to a maximum (Anthropic:
 * https://docs.claude.com/en/docs/build-with-claude/vision).
 */
const picture = { pixelsPerToken: 750, mostTokens: 1_600, unknownTokens: 1_000 };

/**
 * Estimates the tokens of text by bytes, because a character outside ASCII is more than a quarter
 * of a token.
 */
export const tokensOfText = (text: string): number =>
  Math.ceil(new TextEncoder().encode(text).byteLength / bytesPerToken);

/**
 * Estimates the tokens of a message's text, tool calls and tool results. Files are counted
 * separately.
 */
export function tokensOfParts(parts: Message["parts"]): number {
  const texts = parts.map((part) => {
    if (part.type === "text") return part.text;
    if (part.type === "tool-call") return part.name + JSON.stringify(part.input);
    if (part.type === "tool-record") return JSON.stringify(part.data);
    return part.type === "tool-result" ? part.name + part.output : "";
  });
  return tokensPerMessage + texts.reduce((sum, text) => sum + tokensOfText(text), 0);
}

type FileFacts = { mime: string; bytes: number; width: number | null; height: number | null };

/** @returns null for files that have to be read to count: a PDF's pages, a recording's seconds */
export function tokensOfFile({ mime, bytes, width, height }: FileFacts): number | null {
  if (mime.startsWith("image/")) {
    if (width === null || height === null) return picture.unknownTokens;
    return Math.min(picture.mostTokens, Math.ceil((width * height) / picture.pixelsPerToken));
  }
  return mime.startsWith("text/") || mime === "application/json"
    ? Math.ceil(bytes / bytesPerToken)
    : null;
}
