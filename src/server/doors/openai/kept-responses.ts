import type { RunState } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { notUsedByResponses } from "#contract/schemas/doors/openai.ts";
import { sentences } from "#contract/sentences/index.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { type KeptPart, type KeptTurn, type TurnsInput, turnsOf } from "#engine/plan/turns.ts";
import { eraseContent } from "#store/runs/ended-runs.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import type { ServerDeps } from "../../deps.ts";
import { partsKeptBy } from "../../live/run-events.ts";
import { type Asking, headersOf, unusedOf } from "../programs/follow.ts";
import { answerOf } from "./chat.ts";
import { type AskedResponse, frameOf, responseOf } from "./response-object.ts";

const form = /^resp_([0-9a-f-]{36})$/;

type Kept = { run: OwnedRun; given: TurnsInput; asked: AskedResponse };

/** A response that this key's person asked for through a key, in the key's project, and that was not asked not to be kept. */
async function findKept(
  deps: ServerDeps,
  { actor, projectId }: Asking,
  responseId: string,
): Promise<Kept | undefined> {
  const [, runId] = form.exec(responseId) ?? [];
  const run = runId === undefined ? undefined : await getRun(deps.store.read, runId);
  if (run?.userId !== actor.userId || run.projectId !== projectId || run.apiKeyId === null)
    return undefined;
  const given = turnsOf(run.input);
  const asked = given?.asked as AskedResponse | undefined;
  return given && asked && asked.store !== false ? { run, given, asked } : undefined;
}

async function requireKept(deps: ServerDeps, asking: Asking, responseId: string): Promise<Kept> {
  const kept = await findKept(deps, asking, responseId);
  if (!kept)
    throw new Problem("not_found", { message: sentences.api.noResponse({ id: responseId }) });
  return kept;
}

/**
 * The conversation up to the end of a response, for the request that continues it: what its model saw without its instructions,
 * which are its own, and what it answered.
 * @throws Problem invalid_input for a response that is missing, belongs to another key, or can't be continued
 */
export async function turnsBefore(
  deps: ServerDeps,
  asking: Asking,
  responseId: string | null | undefined,
): Promise<KeptTurn[]> {
  if (!responseId) return [];
  const refused = (message: string) =>
    new Problem("invalid_input", { field: "previous_response_id", message });
  const kept = await findKept(deps, asking, responseId);
  if (!kept) throw refused(sentences.api.noPreviousResponse({ id: responseId }));
  const { run, given, asked } = kept;
  if (run.state !== "succeeded")
    throw refused(sentences.api.responseIncomplete({ id: responseId }));
  const said = given.turns.slice(asked.instructions ? 1 : 0);
  const answered = [
    ...partsKeptBy(run).flatMap(toKept(run.connectionId)),
    ...answerOf(run).toolCalls.map((call) => ({
      ...call,
      type: "tool-call" as const,
      from: run.connectionId,
    })),
  ];
  return answered.length > 0 ? [...said, { role: "assistant", parts: answered }] : said;
}

/** Thinking goes along only where its provider wants it back. */
const toKept =
  (from: string) =>
  (part: ReturnType<typeof partsKeptBy>[number]): KeptPart[] => {
    if (part.type === "text") return [part];
    return part.type === "reasoning" && part.providerMetadata !== undefined
      ? [{ ...(part as KeptPart & { type: "reasoning" }), from }]
      : [];
  };

const statuses: Partial<Record<RunState, string>> = {
  queued: "queued",
  failed: "failed",
  unconfirmed: "failed",
  cancelled: "cancelled",
};

/** GET /v1/responses/{id}: as it is now. */
export async function getResponse(
  deps: ServerDeps,
  asking: Asking,
  responseId: string,
): Promise<Response> {
  const { run, asked } = await requireKept(deps, asking, responseId);
  if (run.state === "succeeded")
    return asking.c.json(
      responseOf(asked, run, { unused: unusedOf(asked, notUsedByResponses), dropped: [] }),
      200,
      headersOf(run.id),
    );
  const error = run.error && {
    code: "server_error",
    message: `${run.error.message} (run ${run.id})`,
  };
  const status = statuses[run.state] ?? "in_progress";
  return asking.c.json(
    { ...frameOf(asked, run), status, error, output_text: "" },
    200,
    headersOf(run.id),
  );
}

/** DELETE /v1/responses/{id}: the words go, the run stays in the books. */
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
