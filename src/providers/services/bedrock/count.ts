import { sentences } from "#contract/sentences/index.ts";
import type { CallContext, PlainQuestion } from "../../adapter.ts";
import { unpaid } from "../../outbound/outbound.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { readJson, readOptions, toHttpError } from "../../wire/http-errors.ts";
import { statedCount } from "../../wire/values.ts";
import { addressOf, signInToBedrock } from "./access.ts";
import { baseOf, isClaude } from "./catalogue.ts";
import { classify } from "./errors.ts";

/**
 * POST /model/{id}/count-tokens (API_runtime_CountTokens), which is free. It accepts models' own
 * ids, not those of profiles, and only Claude, with the body of InvokeModel.
 * @throws ProviderError
 */
export async function countTokens(
  modelId: string,
  question: PlainQuestion,
  unsigned: CallContext,
): Promise<number | null> {
  const base = baseOf(modelId);
  if (!isClaude(modelId)) return null;
  const { context } = await signInToBedrock(unsigned);
  // The body is that of an answer, and so requires a limit, which has no effect.
  const body = { anthropic_version: "bedrock-2023-05-31", max_tokens: 1, ...question };
  const input = { invokeModel: { body: Buffer.from(JSON.stringify(body)).toString("base64") } };
  const response = await context.fetch(
    `${addressOf(context, "api")}/model/${encodeURIComponent(base)}/count-tokens`,
    unpaid({
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/json" },
      body: JSON.stringify({ input }),
      signal: context.signal,
    }),
  );
  if (!response.ok) throw await toHttpError(response, readOptions(context, "GET"), classify);
  const answer = await readJson(response, readOptions(context, "GET"));
  return statedCount(
    isRecord(answer) ? answer.inputTokens : undefined,
    sentences.connections.notBedrock,
  );
}
