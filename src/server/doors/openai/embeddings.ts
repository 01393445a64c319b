import { setImmediate as nextTurn } from "node:timers/promises";
import type { z } from "zod";
import { aliasConnectionId } from "#contract/aliases.ts";
import type { Asset, ModelDetail } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { embeddingParameters, labels, type openAiSchemas } from "#contract/schemas/doors/openai.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { EmbeddingInput, EmbeddingReach } from "#domain/runs/embedding-batch.ts";
import { tokensOfText } from "#domain/text/context.ts";
import { getAlias } from "#store/models/aliases.ts";
import { getModel } from "#store/models/models.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import type { ServerDeps } from "../../deps.ts";
import {
  type Asking,
  extraFields,
  headersOf,
  keyOf,
  unusedOf,
  usageOf,
} from "../programs/follow.ts";
import { findNamed, reachOf } from "../programs/models.ts";
import { failureOf, RunProblem } from "../programs/run-problem.ts";
import { answerGone } from "../programs/stream.ts";
import {
  type CompletedRuns,
  fieldsOf,
  make,
  nameIn,
  passOn,
  readBytes,
  refuseField,
} from "./make.ts";

type Body = z.output<(typeof openAiSchemas)["createEmbeddings"]["body"]>;

/** Concurrent runs of one request. */
const atOnce = 8;

/** POST /v1/embeddings: sends as few requests to the service as its limits allow, each as a run. */
export async function createEmbeddings(
  deps: ServerDeps,
  asking: Asking,
  body: Body,
): Promise<Response> {
  const model = await findNamed(deps, reachOf(asking), body.model);
  const batches = toBatches(inputsOf(body.input), await batchesOf(deps, model));
  const begunAt = deps.clock.now();
  const settings = settingsOf(body);
  // Vectors of a different length would be useless.
  const unknown = new Set<string>();
  const isUnwanted = (): boolean => asking.gone.aborted && asking.endsWithCaller;
  const ends = await inOrder(
    batches,
    (batch, i) =>
      embed(deps, asking, model, {
        batch,
        settings,
        unknown,
        keySuffix: batches.length > 1 ? `:${i}` : "",
        begunAt,
      }),
    isUnwanted,
  );
  if (asking.gone.aborted) return answerGone;
  const failures = ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  const made = ends.flatMap((end) => (end.status === "fulfilled" && end.value ? [end.value] : []));
  if (failures.length > 0) {
    const failure = failureOf(failures);
    if (batches.length === 1) throw failure;
    const isKept = keyOf(asking.c) !== undefined;
    const paid = isKept
      ? undefined
      : made.flatMap(({ runs }) => runs).find(({ costMicros }) => costMicros !== 0);
    throw partly(failure, { failed: failures.length, all: batches.length }, paid);
  }
  if (made.length < batches.length) return answerGone;
  const packed: string[][] = [];
  for (const { assets } of made) packed.push(await vectorsIn(deps, assets[0]));
  const unused = unusedOf(body, Object.keys(labels));
  const dropped = [...unknown];
  const runs = made.flatMap((one) => one.runs);
  const tokens = runs.reduce((sum, run) => sum + usageOf(run).inputTokens, 0);
  const rest = {
    model: body.model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
    bottega: runs.map((run) => extraFields(run, { unused, dropped })),
  };
  const isPacked = body.encoding_format === "base64";
  return new Response(toStream(written(packed.flat(), isPacked, rest)), {
    headers: { "content-type": "application/json", ...headersOf(runs[0]?.id ?? "", dropped) },
  });
}

/**
 * Returns the model's settings: the vectors' length, and parameters that only some services know
 * (`input_type`).
 */
const settingsOf = (body: Body): Record<string, unknown> => ({
  ...Object.fromEntries(
    Object.entries(body).filter(([name]) => !embeddingParameters.has(name) && !(name in labels)),
  ),
  dimensions: body.dimensions,
});

const inputsOf = (input: Body["input"]): EmbeddingInput[] => {
  if (typeof input === "string") return [input];
  const [first] = input;
  return typeof first === "number" ? [input as number[]] : (input as EmbeddingInput[]);
};

/**
 * Returns how many inputs a model accepts at once; behind an alias, as many as each of its models
 * accepts.
 */
async function batchesOf(deps: ServerDeps, model: ModelDetail): Promise<EmbeddingReach> {
  const reachOfKind = (kind: string): EmbeddingReach => deps.kinds.get(kind)?.embeds ?? { most: 1 };
  if (model.connectionId !== aliasConnectionId) return reachOfKind(model.connectionKind);
  const refs = (await getAlias(deps.store.read, model.modelId))?.models ?? [];
  const behind = await Promise.all(
    refs.map(({ connectionId, modelId }) => getModel(deps.store.read, connectionId, modelId)),
  );
  const reaches = behind.flatMap((one) => (one ? [reachOfKind(one.connectionKind)] : []));
  return {
    most: Math.min(limits.apiEmbeddings, ...reaches.map(({ most }) => most)),
    size: Math.min(...reaches.map(({ size = limits.embeddingTokens }) => size)),
    ...(reaches.some(({ tokens }) => tokens) && { tokens: true }),
  };
}

/** Splits the inputs into batches that the service accepts, by number and by length of text. */
function toBatches(
  inputs: readonly EmbeddingInput[],
  { most, size: maxSize = limits.embeddingTokens, tokens }: EmbeddingReach,
): EmbeddingInput[][] {
  if (typeof inputs[0] !== "string" && !tokens)
    throw new Problem("invalid_input", { field: "input", message: sentences.runs.tokensNotTaken });
  const batches: EmbeddingInput[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const input of inputs) {
    const ownSize = typeof input === "string" ? tokensOfText(input) : input.length;
    const last = batches.at(-1);
    size += ownSize;
    if (last && last.length < most && size <= maxSize) last.push(input);
    else {
      batches.push([input]);
      size = ownSize;
    }
  }
  return batches;
}

type Part = {
  batch: EmbeddingInput[];
  settings: Record<string, unknown>;
  /** Settings that the model lacks. */
  unknown: Set<string>;
  keySuffix: string;
  begunAt: number;
};

/** How often a part may fail under one key before its failure is final. */
const maxTries = 20;

/**
 * Embeds one batch. A part of a larger request that failed under the caller's key earlier is run
 * again, under a key of its own, so that a repeat pays only for missing parts.
 */
async function embed(
  deps: ServerDeps,
  asking: Asking,
  model: ModelDetail,
  { batch, settings, unknown, keySuffix, begunAt }: Part,
): Promise<CompletedRuns | undefined> {
  for (let tries = 0; ; tries++)
    try {
      return await make(deps, asking, {
        model,
        tasks: ["embedding"],
        keySuffix: tries === 0 ? keySuffix : `${keySuffix}:${tries}`,
        input(detail) {
          const fields = fieldsOf(detail);
          const name = nameIn(fields, ["input", "text", "prompt"]);
          const [first] = batch;
          return name
            ? {
                [name]: batch.length === 1 && typeof first === "string" ? first : batch,
                ...passOn(fields, settings, unknown, ["dimensions"]),
              }
            : refuseField(fields, "input");
        },
      });
    } catch (error) {
      const isRepeated =
        keySuffix !== "" &&
        keyOf(asking.c) !== undefined &&
        tries < maxTries &&
        error instanceof RunProblem &&
        ((await getRun(deps.store.read, error.runId))?.createdAt ?? begunAt) < begunAt;
      if (!isRepeated) throw error;
    }
}

/**
 * Reports the failure of some parts. The others are saved with their runs.
 * @param paid the run of a part that a repeat would pay again
 */
function partly(
  error: unknown,
  counts: { failed: number; all: number },
  paid: OwnedRun | undefined,
): unknown {
  const failed = error instanceof RunProblem ? error : undefined;
  const runId = failed?.runId ?? paid?.id;
  if (!(error instanceof Problem) || runId === undefined) return error;
  const message = `${error.message} ${sentences.api.embeddingsPartly(counts)}`;
  const problem = new Problem(error.code, { ...error.detail, message });
  const mayBePaid = paid !== undefined || failed?.mayBeAccepted === true;
  return new RunProblem(problem, runId, mayBePaid, failed?.wasRepeated);
}

/**
 * Returns a run's vectors, packed as the official client requests them: 32-bit floats,
 * little-endian, in base64.
 */
async function vectorsIn(deps: ServerDeps, asset: Asset | undefined): Promise<string[]> {
  // A repeat may find a run whose file was deleted meanwhile.
  const bytes = asset && new Uint8Array(await readBytes(deps, asset));
  const answer = bytes ? await deps.json.read({ as: "answer", bytes }) : {};
  const { embedding, embeddings } = answer as { embedding?: unknown; embeddings?: unknown };
  if (Array.isArray(embeddings)) return embeddings as string[];
  if (!Array.isArray(embedding))
    throw new Problem("provider_protocol", {
      message: sentences.api.noVector,
    });
  return [pack(embedding)];
}

const pack = (vector: readonly number[]): string =>
  Buffer.from(new Float32Array(vector).buffer).toString("base64");

function unpack(text: string): number[] {
  const bytes = Buffer.from(text, "base64");
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
}

/**
 * Writes the answer as JSON, vector by vector: thousands of them as numbers would block every other
 * request.
 */
async function* written(
  vectors: readonly string[],
  isPacked: boolean,
  rest: object,
): AsyncGenerator<string> {
  yield '{"object":"list","data":[';
  for (const [index, vector] of vectors.entries()) {
    const embedding = isPacked ? vector : unpack(vector);
    yield `${index > 0 ? "," : ""}${JSON.stringify({ object: "embedding", index, embedding })}`;
    if (!isPacked) await nextTurn();
  }
  yield `],${JSON.stringify(rest).slice(1)}`;
}

function toStream(text: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await text.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: async () => void (await text.return(undefined)),
  });
}

/**
 * Works on each item, some at a time. A failure doesn't end the others, which are already paid for.
 * Once the result isn't wanted any more, no more are started, and their places stay empty.
 */
async function inOrder<T, R>(
  list: readonly T[],
  work: (one: T, i: number) => Promise<R>,
  isUnwanted: () => boolean,
): Promise<PromiseSettledResult<R>[]> {
  const done: PromiseSettledResult<R>[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < list.length && !isUnwanted(); i = next++)
      [done[i]] = (await Promise.allSettled([work(list[i]!, i)])) as [PromiseSettledResult<R>];
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, list.length) }, worker));
  return done;
}
