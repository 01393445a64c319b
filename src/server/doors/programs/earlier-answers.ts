import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { StoredPart, ToolCall } from "#engine/plan/turns.ts";
import { getAnswers } from "#store/runs/run-lists.ts";
import type { ServerDeps } from "../../deps.ts";
import type { Asking } from "./follow.ts";

type Call = Omit<ToolCall, "type">;

/**
 * A tool call's id for programs: the run whose answer made the call, and the call's index there.
 * Providers expect a call back exactly as they gave it, after the signed reasoning that led to it.
 * Most clients return only the id, and the rest is looked up by it.
 */
export const callIdOf = (runId: string, place: number): string =>
  `call_${runId.replaceAll("-", "")}_${place}`;

const callForm =
  /^call_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_(\d{1,3})$/;

function readCallId(id: string): { runId: string; place: number } | undefined {
  const found = callForm.exec(id);
  return found ? { runId: found.slice(1, 6).join("-"), place: Number(found[6]) } : undefined;
}

/** Returns a call's input as its model wrote it. */
export const writtenInput = ({ input, malformed, written }: Call): string =>
  malformed ?? written ?? JSON.stringify(input);

type ReadAnswer = { connectionId: string; parts: StoredPart[]; toolCalls: Call[] };

/**
 * Reads answers by the ids of their runs. Many or long ones are parsed in a worker.
 * @throws Problem too_large
 */
async function readAnswers(
  { store, json }: Pick<ServerDeps, "store" | "json">,
  asked: { ids: string[]; userId: string; projectId: string },
): Promise<Map<string, ReadAnswer>> {
  const tooLarge = (cause?: unknown) =>
    new Problem("too_large", { message: sentences.api.earlierAnswersTooLarge }, { cause });
  const answers = await getAnswers(store.read, { ...asked, maxBytes: limits.earlierAnswersBytes });
  if (!answers) throw tooLarge();
  if (answers.length === 0) return new Map();
  const bytes = Buffer.from(`[${answers.map(({ result }) => result).join()}]`);
  const results = await json.read({ as: "results", bytes }).catch((error: unknown) => {
    throw error instanceof Problem && error.code === "invalid_input" ? tooLarge(error) : error;
  });
  return new Map(
    answers.map(({ id, connectionId }, i) => [
      id,
      {
        connectionId,
        parts: listIn<StoredPart>(results[i]?.parts),
        toolCalls: listIn<Call>(results[i]?.toolCalls),
      },
    ]),
  );
}

/**
 * Finds the earlier answers in a request, by the ids of their calls or runs. Answers of other
 * people or other projects stay unknown.
 * @throws Problem too_large
 */
export async function findEarlierAnswers(
  deps: Pick<ServerDeps, "store" | "json">,
  { actor, projectId }: Pick<Asking, "actor" | "projectId">,
  { callIds, runIds = [] }: { callIds: readonly string[]; runIds?: readonly string[] },
) {
  const ids = new Set([...callIds.flatMap((id) => readCallId(id)?.runId ?? []), ...runIds]);
  const answers = await readAnswers(deps, { ids: [...ids], userId: actor.userId, projectId });
  const named = new Map<string, { callId: string; name: string }>();
  const returned = new Set<string>();

  const partsOf = (runId: string): StoredPart[] => answers.get(runId)?.parts ?? [];
  const callsOf = (runId: string): Call[] => answers.get(runId)?.toolCalls ?? [];
  /** Returns the connection that made the answer, for parts that only the same service reads. */
  const fromOf = (id: string): { from?: string } => {
    const from = answers.get(readCallId(id)?.runId ?? "")?.connectionId;
    return from === undefined ? {} : { from };
  };

  function askedAs(id: string): Call | undefined {
    const at = readCallId(id);
    return at && callsOf(at.runId)[at.place];
  }
  /** Returned with the first call of each answer. */
  function thoughtsBefore(id: string): StoredPart[] {
    const runId = readCallId(id)?.runId;
    if (runId === undefined || returned.has(runId)) return [];
    returned.add(runId);
    return partsOf(runId).flatMap((part) =>
      part.type === "reasoning" && part.providerMetadata !== undefined
        ? [{ ...part, ...fromOf(id) }]
        : [],
    );
  }

  return {
    /**
     * Returns a call in an assistant's turn, after the signed reasoning that led to it.
     * @param text its input as JSON text
     */
    call(id: string, name: string, text: string): StoredPart[] {
      const asked = askedAs(id);
      const given = readCall(asked?.callId ?? id, name, text);
      named.set(id, { callId: given.callId, name });
      const call =
        asked?.name === name && isSame(asked, given) ? { ...asked, ...fromOf(id) } : given;
      return [...thoughtsBefore(id), { type: "tool-call", ...call }];
    },
    /**
     * Returns the call that a result belongs to; undefined when neither the request nor an earlier
     * answer contains it.
     */
    called: (id: string): { callId: string; name: string } | undefined =>
      named.get(id) ?? askedAs(id),
    /** Adds a call of an earlier response, under its provider's id. */
    addCall(callId: string, name: string): void {
      named.set(callId, { callId, name });
    },
    isKnown: (callId: string): boolean => askedAs(callId) !== undefined,
    /** Returns a call that the request identifies only by its answer. */
    callAt(runId: string, place: number): StoredPart[] {
      const call = callsOf(runId)[place];
      return call ? this.call(callIdOf(runId, place), call.name, writtenInput(call)) : [];
    },
    text: (runId: string): string =>
      partsOf(runId)
        .map((part) => (part.type === "text" ? part.text : ""))
        .join(""),
  };
}
export type EarlierAnswers = Awaited<ReturnType<typeof findEarlierAnswers>>;

const listIn = <T>(value: unknown): T[] => (Array.isArray(value) ? (value as T[]) : []);

const isSame = (one: Call, other: Call): boolean =>
  writtenInput(one) === writtenInput(other) ||
  (one.malformed === undefined &&
    other.malformed === undefined &&
    JSON.stringify(one.input) === JSON.stringify(other.input));

function readCall(callId: string, name: string, text: string): Call {
  const input = readObject(text);
  if (input === undefined) return { callId, name, input: {}, malformed: text };
  const isPlain = text.trim() === "" || JSON.stringify(input) === text;
  return { callId, name, input, ...(!isPlain && { written: text }) };
}

function readObject(text: string): JsonObject | undefined {
  if (text.trim() === "") return {};
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null && !Array.isArray(read)
      ? (read as JsonObject)
      : undefined;
  } catch {
    // The model wrote it like this, and gets it back unchanged.
    return undefined;
  }
}
