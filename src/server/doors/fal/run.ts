import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { admitBatch } from "#engine/admit/admit-media.ts";
import { hashOf } from "#engine/connections/catalogue.ts";
import { requireService } from "#engine/connections/circuit.ts";
import { problemOf } from "#engine/persist.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import type { ServerDeps } from "../../deps.ts";
import type { StreamedEvent } from "../../live/event-stream.ts";
import {
  type Asking,
  endOf,
  followToAnswer,
  keyOf,
  requireGoing,
  successOf,
} from "../programs/follow.ts";
import { RunProblem } from "../programs/run-problem.ts";
import { answerGone, streamOf } from "../programs/stream.ts";
import { toFalError } from "./errors.ts";
import { runHeadersOf, toRunInput } from "./input.ts";
import { findFalModel } from "./models.ts";
import { fillPartial } from "./output.ts";
import type { Admission, Asked, Repeats } from "./repeats.ts";
import { answerResult, resultOf } from "./result.ts";
import { addressesOf } from "./status.ts";
import type { FalTarget } from "./target.ts";
import { requireWebhook } from "./webhook.ts";

/** A request through the proxy. `connection` comes from its URL. */
export type FalAsking = Asking & { connection: string | undefined };
type ModelTarget = Extract<FalTarget, { model: string }>;

/** POST queue.fal.run/{model}: admits the run, which is then identified by its own id. */
export async function submit(
  deps: ServerDeps,
  repeats: Repeats,
  asking: FalAsking,
  wanted: ModelTarget,
  body: JsonObject,
): Promise<Response> {
  const { run } = await ask(deps, repeats, asking, wanted, body);
  const answer = {
    status: "IN_QUEUE",
    request_id: run.id,
    ...(wanted.webhook !== undefined && { gateway_request_id: run.id }),
    ...addressesOf(run),
    queue_position: run.queuePlace ?? 0,
  };
  return asking.c.json(answer, 200, { "x-fal-request-id": run.id });
}

/** POST fal.run/{model}: responds with the result. */
export async function runDirectly(
  deps: ServerDeps,
  repeats: Repeats,
  asking: FalAsking,
  wanted: ModelTarget,
  body: JsonObject,
) {
  const asked = await ask(deps, repeats, asking, wanted, body);
  return orRefused(asked, async () => {
    const ended = await endOf(deps, asking, asked.run.id);
    return ended ? answerResult(deps, asking, ended) : answerGone;
  });
}

/** POST fal.run/{model}/stream: sends partial results as the run shows them, then the result. */
export async function streamResult(
  deps: ServerDeps,
  repeats: Repeats,
  asking: FalAsking,
  wanted: ModelTarget,
  body: JsonObject,
) {
  const asked = await ask(deps, repeats, asking, wanted, body);
  return orRefused(asked, () =>
    streamOf(deps, asking, partsOf(deps, asking, asked.run.id), {
      headers: { "x-fal-request-id": asked.run.id },
      tears: true,
      onProblem: (problem) => ({
        payload: { error: { message: problem.message }, ...toFalError(problem) },
      }),
    }),
  );
}

/**
 * Yields the events of fal's own stream, with the current words and picture restored in their
 * places.
 */
async function* partsOf(
  deps: ServerDeps,
  asking: FalAsking,
  runId: string,
): AsyncGenerator<StreamedEvent> {
  let words = "";
  let picture = "";
  for await (const event of followToAnswer(deps, asking, runId)) {
    const payload = ("payload" in event ? event.payload : {}) as {
      text?: string;
      mime?: string;
      base64?: string;
      data?: JsonObject;
    };
    if (event.type === "text-delta") words += payload.text ?? "";
    if (event.type === "preview") picture = `data:${payload.mime};base64,${payload.base64}`;
    if (event.type === "partial" && payload.data)
      yield { payload: fillPartial(payload.data, { words, picture }) };
  }
  if (!asking.gone.aborted)
    yield { payload: await resultOf(deps, asking, await successOf(deps, runId)) };
}

/** Lets the client's own repeats retry a definite refusal by fal. */
async function orRefused(asked: Asked, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    // The run is active even if its state could not be read: no repeat may start another.
    if (!(error instanceof RunProblem)) throw new RunProblem(problemOf(error), asked.run.id, true);
    if (!error.mayBeAccepted) asked.refused();
    throw error;
  }
}

async function ask(
  deps: ServerDeps,
  repeats: Repeats,
  asking: FalAsking,
  wanted: ModelTarget,
  body: JsonObject,
): Promise<Asked> {
  const { actor, projectId, c, connection } = asking;
  if (wanted.call !== "submit") deps.calls.begin(c.env.outgoing);
  const webhook = wanted.webhook ? await requireWebhook(deps, asking, wanted.webhook) : undefined;
  const model = await findFalModel(deps, {
    userId: actor.userId,
    projectId,
    modelId: wanted.model,
    connection,
    only: actor.key?.models ?? null,
  });
  const task = model.tasks.find((one) => one !== "live");
  if (!task)
    throw new Problem("invalid_input", {
      message: sentences.fal.socketOnly({ model: model.name }),
    });
  const { connectionId, modelId } = model;
  const given = { ...body, ...runHeadersOf(c, body) };
  // The files are saved once, however often `admit` is called.
  let input: Promise<JsonObject> | undefined;
  async function admit(how: Admission): Promise<OwnedRun> {
    if (wanted.call !== "submit") await requireService(deps, { connectionId, modelId });
    input ??= toRunInput(deps, asking, given);
    const models = [{ connectionId, modelId }];
    const { runs } = await admitBatch(deps, actor, {
      projectId,
      models,
      task: task!,
      input: await input,
      variants: 1,
      ...(webhook && { webhook }),
      ...how,
    });
    const run = runs[0] && (await getRun(deps.store.db, runs[0].id));
    if (!run) throw new Problem("internal");
    return run;
  }
  const asked = await repeats.ask({
    projectId,
    userId: actor.userId,
    hash: hashOf([actor.key?.id ?? null, connectionId, modelId, wanted.call, given, webhook?.url]),
    ownKey: keyOf(c),
    isDirect: wanted.call !== "submit",
    arrivedAt: c.get("arrivedAt"),
    outgoing: c.env.outgoing,
    admit,
  });
  try {
    await requireGoing(deps, [asked.run]);
  } catch (error) {
    asked.refused();
    throw error;
  }
  return asked;
}
