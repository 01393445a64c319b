import type { Conversation, Message, MessagePart, Run } from "#contract/entities.ts";
import { costOf, type Price } from "../../../messages/format.ts";

/** The text of a message as it is copied, edited and shown. */
export const textOf = (parts: readonly MessagePart[]): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
export const reasoningOf = (parts: readonly MessagePart[]): string =>
  parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("");
export const filesOf = (parts: readonly MessagePart[]): string[] =>
  parts.flatMap((part) => (part.type === "file" ? [part.assetId] : []));
export const sourcesOf = (parts: readonly MessagePart[]) =>
  parts.filter((part) => part.type === "source");

/** The answer that a run goes on from, when it continues one. */
export function continuedId(run: Pick<Run, "input"> | undefined): string | null {
  const from = run?.input.continueFrom;
  return typeof from === "string" ? from : null;
}

/** Of several runs that have ended. What is known of each makes what is known of all; `hasUnknown` where one's price is not. */
export function priceOfAll(runs: readonly Run[]): { price: Price; hasUnknown: boolean } {
  const prices = runs.filter(({ finishedAt }) => finishedAt !== null).map(costOf);
  const known = prices.filter(({ kind }) => kind !== "unknown");
  const micros = known.reduce((sum, price) => sum + ("micros" in price ? price.micros : 0), 0);
  const isVague = known.some(({ kind }) => kind === "about" || kind === "at-most");
  const isElsewhere = known.some(({ kind }) => kind === "elsewhere");
  const hasUnknown = known.length < prices.length;
  if (known.length === 0 || (hasUnknown && micros === 0))
    return { price: { kind: "unknown" }, hasUnknown: false };
  if (micros === 0)
    return {
      price: { kind: known.some(({ kind }) => kind === "assumed") ? "assumed" : "free" },
      hasUnknown,
    };
  return {
    price: { kind: isVague ? "about" : isElsewhere ? "elsewhere" : "exact", micros },
    hasUnknown,
  };
}

export type Totals = {
  spent: Price;
  unknown: number /** Still under way, and not free of charge. */;
  open: number;
  runs: number;
};

/** What a conversation has cost so far: the sum of what is known, and how many answers' price is not. */
export function totalsOf(runs: readonly Run[]): Totals {
  const ended = runs.filter(({ finishedAt }) => finishedAt !== null);
  const unsure = runs.filter(({ state, isFree }) => state === "unconfirmed" && !isFree).length;
  const open = runs.filter(
    ({ finishedAt, state, isFree }) => finishedAt === null && state !== "unconfirmed" && !isFree,
  ).length;
  const unknown =
    unsure +
    ended.filter((run) => run.state !== "unconfirmed" && costOf(run).kind === "unknown").length;
  return {
    spent:
      ended.length > 0
        ? priceOfAll(ended).price
        : { kind: unknown + open > 0 ? "unknown" : "free" },
    unknown,
    open,
    runs: runs.length,
  };
}

export const isOwn = (conversation: Pick<Conversation, "userId">, userId: string): boolean =>
  conversation.userId === userId;

const longCharacters = 20_000;
/** Whether the answers of a branch are so long that drawing them all at once would be felt. */
export const isLong = (branch: readonly Message[]): boolean =>
  branch.reduce(
    (sum, { role, parts }) => sum + (role === "assistant" ? textOf(parts).length : 0),
    0,
  ) > longCharacters;
