import type { z } from "zod";
import { Problem } from "#contract/errors.ts";
import { labels, type openAiSchemas } from "#contract/schemas/doors/openai.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { ServerDeps } from "../../deps.ts";
import { type Asking, aside, headersOf, unusedOf, usageOf } from "../programs/follow.ts";
import { answerGone } from "../programs/stream.ts";
import { fieldsOf, make, nameIn, passOn, readBytes, refuseField } from "./make.ts";

type Body = z.output<(typeof openAiSchemas)["createEmbeddings"]["body"]>;

/** Runs of one request that are on their way at once. */
const atOnce = 8;

/** POST /v1/embeddings: each text is a run of its own. */
export async function createEmbeddings(
  deps: ServerDeps,
  asking: Asking,
  body: Body,
): Promise<Response> {
  const texts = typeof body.input === "string" ? [body.input] : body.input;
  const made = await inOrder(texts, (text, i) =>
    make(deps, asking, {
      model: body.model,
      tasks: ["embedding"],
      keySuffix: texts.length > 1 ? `:${i}` : "",
      input(model) {
        const fields = fieldsOf(model);
        const name = nameIn(fields, ["input", "text", "prompt"]);
        return name
          ? { [name]: text, ...passOn(fields, { dimensions: body.dimensions }) }
          : refuseField(fields, "input");
      },
    }),
  );
  const data: object[] = [];
  let tokens = 0;
  for (const [index, one] of made.entries()) {
    if (!one?.assets[0]) return answerGone;
    const { embedding } = JSON.parse((await readBytes(deps, one.assets[0])).toString()) as {
      embedding?: unknown;
    };
    if (!Array.isArray(embedding))
      throw new Problem("provider_protocol", {
        message: sentences.api.noVector,
      });
    data.push({
      object: "embedding",
      index,
      embedding: body.encoding_format === "base64" ? toBase64(embedding) : embedding,
    });
    tokens += usageOf(one.runs[0]!).inputTokens;
  }
  const unused = unusedOf(body, Object.keys(labels));
  const asides = made.flatMap(
    (one) => one?.runs.map((run) => aside(run, { unused, dropped: [] })) ?? [],
  );
  const answer = {
    object: "list",
    data,
    model: body.model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
    bottega: asides,
  };
  return asking.c.json(answer, 200, headersOf(made[0]?.runs[0]?.id ?? ""));
}

/** What the official client asks for: 32-bit floats, little-endian. */
const toBase64 = (vector: readonly number[]): string =>
  Buffer.from(new Float32Array(vector).buffer).toString("base64");

/** Does the same with each, some at a time; the first failure ends it. */
async function inOrder<T, R>(
  list: readonly T[],
  work: (one: T, i: number) => Promise<R>,
): Promise<R[]> {
  const done: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < list.length; i = next++) done[i] = await work(list[i]!, i);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, list.length) }, worker));
  return done;
}
