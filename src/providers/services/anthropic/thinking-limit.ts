import { sentences } from "#contract/sentences/index.ts";
import type { RunContext, RunRequest } from "../../adapter.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { parseExactly } from "../../wire/tool-call.ts";

/** The API's minimum. */
const minThinkingTokens = 1_024;
/** The share of the longest answer available for thinking; the rest is left for text. */
const thinkingShare = 0.8;

type Fields = { [field: string]: unknown };

/**
 * Adapts a budget for thinking, which the client derives from an effort. A program's own budget
 * replaces it. The thinking is left out of a turn that began without it, because the API refuses
 * that (`isBegun`), and if the answer's limit leaves no room.
 */
export function fitThinking(
  thinking: Fields,
  { input, passed }: Pick<RunRequest, "input" | "passed">,
  { warn }: Pick<RunContext, "warn">,
  { isBegun, leaveOut }: { isBegun: boolean; leaveOut: () => void },
): void {
  const most = input.maxOutputTokens;
  const own = passed?.thinking_budget;
  const wanted = Number(own ?? thinking.budget_tokens);
  const budget =
    typeof most !== "number" || (own !== undefined && wanted < most)
      ? wanted
      : Math.min(wanted, Math.floor(most * thinkingShare));
  if (!isBegun && budget >= minThinkingTokens) {
    thinking.budget_tokens = budget;
    return;
  }
  leaveOut();
  const message = isBegun
    ? sentences.settings.turnWithoutThinking
    : sentences.settings.noRoomForReasoning({ tokens: minThinkingTokens });
  warn({ type: "unsupported", feature: "reasoningEffort", message });
}

/**
 * Makes the output limit include thinking: the client adds the thinking budget to it, so that an
 * answer could cost more than its reservation.
 */
export const withThinkingInLimit =
  (
    fetch: typeof globalThis.fetch,
    request: RunRequest,
    context: RunContext,
  ): typeof globalThis.fetch =>
  async (url, init) => {
    const most = request.input.maxOutputTokens;
    if (typeof init?.body !== "string") return fetch(url, init);
    const body: unknown = parseExactly(init.body);
    if (!isRecord(body)) return fetch(url, init);
    const { thinking } = body;
    const isBudgeted = isRecord(thinking) && thinking.type === "enabled";
    const isOver = typeof most === "number" && Number(body.max_tokens) > most;
    if (!isBudgeted && !isOver) return fetch(url, init);
    if (isOver) body.max_tokens = most;
    if (isBudgeted)
      fitThinking(thinking, request, context, {
        isBegun: hasBegunWithoutThinking(body.messages),
        leaveOut: () => delete body.thinking,
      });
    return fetch(url, { ...init, body: JSON.stringify(body) });
  };

/**
 * Whether the last turn waits for the results of its calls and doesn't begin with thinking. Then
 * its thinking was signed elsewhere, or it had none
 * (https://platform.claude.com/docs/en/build-with-claude/thinking, "Thinking with tool use").
 */
function hasBegunWithoutThinking(messages: unknown): boolean {
  const [answer, results] = lastContents(messages);
  return (
    results?.some(({ type }) => type === "tool_result") === true &&
    !/^(redacted_)?thinking$/.test(String(answer?.[0]?.type))
  );
}

/** The blocks of the last two messages. */
export const lastContents = (messages: unknown): Fields[][] =>
  Array.isArray(messages) ? messages.slice(-2).map(contentOf) : [];

const contentOf = (message: unknown): Fields[] =>
  isRecord(message) && Array.isArray(message.content) ? message.content.filter(isRecord) : [];
