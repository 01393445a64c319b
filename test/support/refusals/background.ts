import { azure } from "#providers/services/azure/adapter.ts";
import { openai } from "#providers/services/openai/adapter.ts";
import { startAzure } from "../../simulators/azure.ts";
import { startOpenAi } from "../../simulators/openai.ts";
import { buildRequest } from "../contracts/attempt.ts";
import {
  azureRefusals,
  chatOf,
  endsWithoutAWord,
  keyComesFirst,
  openAiRefusals,
  requestComesFirst,
} from "./openai.ts";
import type { Cells, Column, LateRefusal, Started } from "./table.ts";

type Failure = { code: string; message: string };
type Jobs = { endJob(id: string, error?: Failure): void };

/** The error of a response or a video that failed: `error: {code, message}`. */
const failed = (code: string, message: string): LateRefusal => ({ error: { code, message } });
const endIn =
  (simulator: Jobs): Started["endJob"] =>
  (late, id) =>
    id !== null && "error" in late && simulator.endJob(id, late.error as Failure);

async function startOpenAiJobs(): Promise<Started> {
  const simulator = await startOpenAi();
  const connection = {
    kind: "openai",
    addresses: { api: simulator.url },
    options: {},
    secret: simulator.key,
  };
  const { interrupt } = simulator;
  return {
    simulator,
    origin: new URL(simulator.url).origin,
    connection,
    interrupt,
    endJob: endIn(simulator),
  };
}

/**
 * ResponseError. Its codes are listed with the object
 * (https://platform.openai.com/docs/api-reference/responses/object).
 */
const ofResponse: Cells<LateRefusal> = {
  "rate limit": failed(
    "rate_limit_exceeded",
    "Rate limit reached for gpt-5.5. Please try again in 11.054s.",
  ),
  "used up": failed(
    "insufficient_quota",
    "You exceeded your current quota, please check your plan and billing details.",
  ),
  "wrong key": keyComesFirst,
  "missing right": keyComesFirst,
  "too long": failed(
    "context_length_exceeded",
    "Your input exceeds the context window of this model.",
  ),
  filter: [
    failed("invalid_prompt", "Invalid prompt: your prompt was flagged by our usage policy."),
    failed("image_content_policy_violation", "The image violates our usage policies."),
    failed("bio_policy", "This request was stopped by our policy on biological risks."),
  ],
  "wrong setting": [
    failed("invalid_base64_image", "The image data you provided is not valid base64."),
    failed("image_too_large", "The image is larger than the maximum allowed size."),
    failed("failed_to_download_image", "The image could not be fetched from its address."),
  ],
  "model gone": requestComesFirst,
  overload: failed(
    "server_is_overloaded",
    "Our servers are currently overloaded. Please try again later.",
  ),
  timeout: failed("vector_store_timeout", "The vector store took too long to answer."),
  "broken server": failed("server_error", "An error occurred while processing your request."),
};

export const backgroundColumns: readonly Column[] = [
  {
    name: "openai, background",
    adapter: openai,
    reference: "https://platform.openai.com/docs/guides/background",
    start: startOpenAiJobs,
    request: chatOf("gpt-5.5", { reasoning: true }),
    asks: true,
    before: openAiRefusals,
    after: ofResponse,
  },
  {
    name: "openai, videos",
    adapter: openai,
    reference: "https://platform.openai.com/docs/api-reference/videos/object",
    start: startOpenAiJobs,
    request: buildRequest({
      task: "video",
      model: { id: "sora-2", inputSchema: null, capabilities: {} },
      turns: [],
      input: { prompt: "a fox runs" },
    }),
    asks: true,
    before: openAiRefusals,
    after: {
      "rate limit": requestComesFirst,
      "used up": requestComesFirst,
      "wrong key": keyComesFirst,
      "missing right": keyComesFirst,
      "too long": requestComesFirst,
      filter: failed("moderation_blocked", "Your request was blocked by our moderation system."),
      "wrong setting": requestComesFirst,
      "model gone": requestComesFirst,
      overload: endsWithoutAWord,
      timeout: endsWithoutAWord,
      "broken server": failed(
        "video_generation_failed",
        "Video generation failed due to an internal error.",
      ),
    },
  },
  {
    name: "azure, background",
    adapter: azure,
    reference: "https://learn.microsoft.com/en-us/azure/ai-foundry/openai/how-to/responses",
    async start() {
      const simulator = await startAzure();
      const options = { deployments: "gpt-5-house = gpt-5.5" };
      const connection = {
        kind: "azure",
        addresses: { api: simulator.url },
        options,
        secret: JSON.stringify({ key: simulator.key }),
      };
      return {
        simulator,
        origin: simulator.url,
        connection,
        interrupt: simulator.interrupt,
        endJob: endIn(simulator),
      };
    },
    request: chatOf("gpt-5-house", { reasoning: true }),
    asks: true,
    before: azureRefusals,
    after: {
      ...ofResponse,
      filter: failed(
        "content_filter",
        "The response was filtered by the content management policy.",
      ),
    },
  },
];
