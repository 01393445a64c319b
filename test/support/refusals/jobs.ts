import { luma } from "#providers/services/luma/adapter.ts";
import { replicate } from "#providers/services/replicate/adapter.ts";
import { startLuma } from "../../simulators/luma.ts";
import { startReplicate } from "../../simulators/replicate.ts";
import { buildRequest } from "../contracts/attempt.ts";
import { endsWithoutAWord, keyComesFirst, requestComesFirst } from "./openai.ts";
import type { Column, LateRefusal, Refusal } from "./table.ts";

/** RFC 7807, without its type. */
const ofReplicate = (
  status: number,
  title: string,
  detail: string,
  more: object = {},
): Refusal => ({
  status,
  body: { title, detail, status, ...more },
});
const ofLuma = (status: number, detail: unknown): Refusal => ({ status, body: { detail } });
/** A job's final message: one sentence. */
const failed = (error: string): LateRefusal => ({ error });
export const wordOf = (late: LateRefusal): string => ("error" in late ? String(late.error) : "");

export const jobColumns: readonly Column[] = [
  {
    name: "replicate",
    adapter: replicate,
    reference: "https://replicate.com/docs/reference/http",
    async start() {
      const simulator = await startReplicate();
      const connection = {
        kind: "replicate",
        addresses: { api: simulator.url },
        options: {},
        secret: simulator.key,
      };
      return {
        simulator,
        origin: simulator.url,
        connection,
        interrupt: simulator.interrupt,
        endJob: (late, id) => id && simulator.set(id, { status: "failed", error: wordOf(late) }),
      };
    },
    request: buildRequest({
      task: "image",
      model: { id: "forest/flux", inputSchema: null, capabilities: {} },
      turns: [],
      input: { prompt: "a fox" },
    }),
    asks: true,
    before: {
      "rate limit": {
        status: 429,
        body: {
          title: "Request was throttled",
          detail:
            "Request was throttled. Your rate limit for prediction creation is reduced to 6 requests per minute with a burst of 1 requests while you have less than $5.0 in credit. Your rate limit resets in ~5s.",
          status: 429,
          retry_after: 5,
        },
        waitMs: 5_000,
      },
      "used up": [
        ofReplicate(
          402,
          "Insufficient credit",
          "You have insufficient credit to run this model. Go to https://replicate.com/account/billing#billing to purchase credit.",
        ),
        ofReplicate(429, "Spend limit reached", "You have reached your monthly spend limit."),
      ],
      "wrong key": ofReplicate(
        401,
        "Unauthenticated",
        "You did not pass a valid authentication token",
      ),
      "missing right": ofReplicate(
        403,
        "Forbidden",
        "You do not have permission to perform this action.",
      ),
      "too long": "Its models say so when they run: see after the first byte.",
      filter: "Its models say so when they run: see after the first byte.",
      "wrong setting": {
        ...ofReplicate(422, "Input validation failed", "- input.prompt is required", {
          invalid_fields: [
            { type: "required", field: "input.prompt", description: "prompt is required" },
          ],
        }),
        field: "prompt",
      },
      "model gone": ofReplicate(404, "Not Found", "The requested resource could not be found."),
      overload: ofReplicate(503, "Service Unavailable", "The service is not available now."),
      timeout: ofReplicate(504, "Gateway Timeout", "The request timed out on its way."),
      "broken server": ofReplicate(500, "Internal Server Error", "An unexpected error occurred."),
    },
    after: {
      "rate limit": requestComesFirst,
      "used up": requestComesFirst,
      "wrong key": keyComesFirst,
      "missing right": keyComesFirst,
      "too long": failed("Input is too long: the maximum context length is 4096 tokens."),
      filter: [
        failed("NSFW content detected. Try running it again, or try a different prompt."),
        failed(
          "The input or output was flagged as sensitive. Please try again with different inputs. (E005)",
        ),
      ],
      "wrong setting": { ...failed("width must be a multiple of 8"), code: "provider_interrupted" },
      "model gone": requestComesFirst,
      overload: [
        failed("CUDA out of memory. Tried to allocate 2 GiB"),
        failed("Director: the model was stopped by the system (E1001)"),
        failed("Service is temporarily unavailable: at capacity (E003)"),
      ],
      timeout: failed("Prediction timed out before it was done"),
      "broken server": failed("list index out of range"),
    },
  },
  {
    name: "luma",
    adapter: luma,
    reference: "https://docs.lumalabs.ai/docs/errors",
    async start() {
      const simulator = await startLuma();
      const connection = {
        kind: "luma",
        addresses: { api: simulator.url },
        options: {},
        secret: simulator.key,
      };
      return {
        simulator,
        origin: simulator.url,
        connection,
        interrupt: simulator.interrupt,
        endJob: (late, id) =>
          id && simulator.set(id, { state: "failed", failure_reason: wordOf(late) }),
      };
    },
    request: buildRequest({
      task: "video",
      model: { id: "ray-2", inputSchema: null, capabilities: {} },
      turns: [],
      input: { prompt: "a fox runs" },
    }),
    asks: true,
    before: {
      "rate limit": {
        ...ofLuma(429, "Rate limit exceeded, slow down"),
        headers: { "retry-after": "9" },
        waitMs: 9_000,
      },
      "used up": ofLuma(400, "Insufficient credits, please add more"),
      "wrong key": ofLuma(403, "Not authenticated: the key is not known"),
      "missing right": ofLuma(403, "You have no access to this model"),
      "too long": {
        ...ofLuma(400, "Prompt is too long: it has more than 5000 characters"),
        code: "provider_invalid_input",
      },
      filter: ofLuma(400, "Prompt moderation failed: your prompt is not allowed"),
      "wrong setting": {
        ...ofLuma(422, [
          { loc: ["body", "duration"], msg: "Input should be '5s' or '9s'", type: "enum" },
        ]),
        field: "duration",
      },
      "model gone":
        "Its models are a list in its reference: one that is not in it is a wrong setting.",
      overload: ofLuma(503, "The service is not available now"),
      timeout: ofLuma(504, "The gateway timed out waiting"),
      "broken server": ofLuma(500, "Internal server error, sorry"),
    },
    after: {
      "rate limit": requestComesFirst,
      "used up": requestComesFirst,
      "wrong key": keyComesFirst,
      "missing right": keyComesFirst,
      "too long": requestComesFirst,
      filter: [failed("Frame moderation failed"), failed("Prompt moderation failed, advisory")],
      "wrong setting": requestComesFirst,
      "model gone": requestComesFirst,
      overload: endsWithoutAWord,
      timeout: endsWithoutAWord,
      "broken server": failed("Job failed while it was rendered"),
    },
  },
];
