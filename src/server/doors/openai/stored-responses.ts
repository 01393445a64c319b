import type { RunState } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { notUsedByResponses } from "#contract/schemas/doors/openai.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { type StoredPart, type StoredTurn, type TurnsInput, turnsOf } from "#engine/plan/turns.ts";
import { eraseContent } from "#store/runs/ended-runs.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import type { ServerDeps } from "../../deps.ts";
import { partsKeptBy } from "../../live/run-events.ts";
import {
  type Asking,
  followRun,
  headersOf,
  type IgnoredParameters,
  isOver,
  unusedOf,
} from "../programs/follow.ts";
import { streamOf } from "../programs/stream.ts";
import { answerOf } from "./chat.ts";
import { createEvents, eventsAfter, eventsOf, failedEvent } from "./response-events.ts";
import {
  type AddedTools,
  type AskedResponse,
  frameOf,
  messageItem,
  responseOf,
  type Started,
  toolsOf,
} from "./response-object.ts";
import { type OfferedTool, readTools } from "./tools.ts";

const form = /^resp_([0-9a-f-]{36})$/;

export type StoredResponse = { run: OwnedRun; given: TurnsInput; asked: AskedResponse };

/**
 * Finds a stored response that the key's person requested through a key, in the key's project,
 * unless the request said not to store it.
 */
async function findStoredResponse(
  deps: ServerDeps,
  { actor, projectId }: Asking,
  responseId: string,
): Promise<StoredResponse | undefined> {
  const [, runId] = form.exec(responseId) ?? [];
  const run = runId === undefined ? undefined : await getRun(deps.store.read, runId);
  if (run?.userId !== actor.userId || run.projectId !== projectId || run.apiKeyId === null)
    return undefined;
  const given = turnsOf(run.input);
  const asked = given?.asked as AskedResponse | undefined;
  return given && asked && asked.store !== false ? { run, given, asked } : undefined;
}

/**
 * Finds a stored response by its id.
 * @throws Problem not_found for another person's response, or one that isn't stored
 */
export async function requireKept(
  deps: ServerDeps,
  asking: Asking,
  responseId: string,
): Promise<StoredResponse> {
  const kept = await findStoredResponse(deps, asking, responseId);
  if (!kept)
    throw new Problem("not_found", { message: sentences.api.noResponse({ id: responseId }) });
  return kept;
}

/** Returns the turns that a response's model got, without the instructions of that request. */
export const turnsAsked = ({ given, asked }: StoredResponse): StoredTurn[] =>
  given.turns.slice(asked.instructions ? 1 : 0);

/** A conversation up to the end of a response, and the tools that came with its input. */
export type Before = { turns: StoredTurn[]; tools: AddedTools };

/**
 * Returns the conversation up to the end of a response, for the request that continues it: the
 * model's input without its instructions, which belong to that request, and its answer. The tools of
 * a request belong to it as well, but tools within the input are part of the conversation.
 * @throws Problem invalid_input for a response that is missing, belongs to another key, or can't be
 *   continued
 */
export async function findBefore(
  deps: ServerDeps,
  asking: Asking,
  responseId: string | null | undefined,
): Promise<Before> {
  if (!responseId) return { turns: [], tools: [] };
  const refused = (message: string) =>
    new Problem("invalid_input", { field: "previous_response_id", message });
  const kept = await findStoredResponse(deps, asking, responseId);
  if (!kept) throw refused(sentences.api.noPreviousResponse({ id: responseId }));
  const { run } = kept;
  if (run.state !== "succeeded")
    throw refused(sentences.api.responseIncomplete({ id: responseId }));
  const turns = turnsAsked(kept);
  const answered = [
    ...partsKeptBy(run).flatMap(toKept(run.connectionId)),
    ...answerOf(run).toolCalls.map((call) => ({
      ...call,
      type: "tool-call" as const,
      from: run.connectionId,
    })),
  ];
  return {
    turns: answered.length > 0 ? [...turns, { role: "assistant", parts: answered }] : turns,
    tools: kept.asked.additional_tools ?? [],
  };
}

/** Thinking is sent along only if its provider expects it back. */
const toKept =
  (from: string) =>
  (part: ReturnType<typeof partsKeptBy>[number]): StoredPart[] => {
    if (part.type === "text") return [part];
    return part.type === "reasoning" && part.providerMetadata !== undefined
      ? [{ ...(part as StoredPart & { type: "reasoning" }), from }]
      : [];
  };

const statuses: Partial<Record<RunState, string>> = {
  queued: "queued",
  failed: "failed",
  unconfirmed: "failed",
  cancelled: "cancelled",
};

/** GET /v1/responses/{id}: its current state, or its events. */
export async function getResponse(
  deps: ServerDeps,
  asking: Asking,
  responseId: string,
  query: { stream?: "true" | "false" | undefined; starting_after?: number | undefined },
): Promise<Response> {
  const { run, asked } = await requireKept(deps, asking, responseId);
  const unmet = { unused: unusedOf(asked, notUsedByResponses), dropped: [] };
  const headers = headersOf(run.id);
  if (query.stream !== "true") return asking.c.json(standing(asked, run, unmet), 200, headers);
  const { offered } = readTools(toolsOf(asked));
  const reading = { ...asking, isBackground: true, endsWithCaller: false } as const;
  // Streams from the start, like the first stream.
  return streamResponse(deps, reading, asked, run, {
    unmet,
    offered,
    headers,
    startingAfter: query.starting_after,
  });
}

/** Returns a response in its current state. */
function standing(asked: AskedResponse, run: OwnedRun, unmet: IgnoredParameters): object {
  if (run.state === "succeeded") return responseOf(asked, run, unmet);
  const error = run.error && {
    code: "server_error",
    message: `${run.error.message} (run ${run.id})`,
  };
  const status = statuses[run.state] ?? "in_progress";
  const { text } = answerOf(run);
  const output = text === "" ? [] : [messageItem(run.id, text, "incomplete")];
  return { ...frameOf(asked, run), status, error, output, output_text: text };
}

/**
 * Returns a run's response in its current state.
 * @throws Problem not_found
 */
export async function standingOf(
  deps: ServerDeps,
  asked: AskedResponse,
  runId: string,
  unmet: IgnoredParameters,
): Promise<object> {
  const run = await getRun(deps.store.read, runId);
  if (!run) throw new Problem("not_found");
  return standing(asked, run, unmet);
}

/**
 * Streams a response's events, from the start or after the last event that the program has seen.
 */
export function streamResponse(
  deps: ServerDeps,
  asking: Asking,
  body: AskedResponse,
  run: Started,
  {
    headers,
    startingAfter,
    ...of
  }: {
    unmet: IgnoredParameters;
    offered: ReadonlyMap<string, OfferedTool>;
    headers: Record<string, string>;
    startingAfter?: number | undefined;
  },
): Promise<Response> {
  const events = createEvents();
  const all = eventsOf(deps, asking, body, run, { ...of, events });
  return streamOf(
    deps,
    asking,
    startingAfter === undefined ? all : eventsAfter(all, startingAfter, events, run.id),
    {
      headers,
      onProblem: (problem) => failedEvent(events, body, run, problem),
      keepAlive: () => (events.isBegun() ? [events.keepAlive()] : []),
    },
  );
}

/**
 * How long a cancel waits for its run to end, so that a provider that doesn't answer blocks nobody.
 */
const cancelWaitMs = 10_000;

/**
 * POST /v1/responses/{id}/cancel: responds with the state after it. Everything received before
 * stays with the run.
 */
export async function cancelResponse(
  deps: ServerDeps,
  asking: Asking,
  responseId: string,
): Promise<Response> {
  const { run, asked } = await requireKept(deps, asking, responseId);
  if (!isOver(run)) {
    await deps.engine.cancelRun(run.id);
    const gone = AbortSignal.any([asking.gone, AbortSignal.timeout(cancelWaitMs)]);
    for await (const _ of followRun(deps, { ...asking, gone }, run.id)) if (gone.aborted) break;
  }
  const unmet = { unused: unusedOf(asked, notUsedByResponses), dropped: [] };
  return asking.c.json(await standingOf(deps, asked, run.id, unmet), 200, headersOf(run.id));
}

/** DELETE /v1/responses/{id}: erases the text; the run stays in the ledger. */
export async function deleteResponse(
  deps: ServerDeps,
  asking: Asking,
  responseId: string,
): Promise<Response> {
  const { run } = await requireKept(deps, asking, responseId);
  if (!isFinal(run.state))
    throw new Problem("invalid_input", {
      message: sentences.api.responseRunning({ id: responseId }),
    });
  await deps.commit((unit) => eraseContent(unit, run.id));
  return asking.c.json({ id: responseId, object: "response", deleted: true });
}
