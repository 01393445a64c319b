import { google } from "#providers/services/google/adapter.ts";
import { vertex } from "#providers/services/vertex/adapter.ts";
import { errorOf, startGoogle } from "../../simulators/google.ts";
import { startVertex } from "../../simulators/vertex.ts";
import { buildRequest } from "../contracts/attempt.ts";
import { claudeLate, claudeRefusals } from "./anthropic.ts";
import { keyComesFirst, requestComesFirst } from "./openai.ts";
import type { Cells, Column, LateRefusal, Refusal } from "./table.ts";

const detail = (type: string, fields: object) => ({
  "@type": `type.googleapis.com/google.rpc.${type}`,
  ...fields,
});
const refusal = (status: number, name: string, message: string, details?: object[]): Refusal => ({
  status,
  body: errorOf(status, name, message, details),
});
const late = (status: number, name: string, message: string): LateRefusal => ({
  error: errorOf(status, name, message).error,
});
const quota = (quotaId: string) => [
  detail("QuotaFailure", {
    violations: [
      { quotaMetric: "generativelanguage.googleapis.com/generate_content_requests", quotaId },
    ],
  }),
  detail("RetryInfo", { retryDelay: "34.4s" }),
];
const exceeded = "You exceeded your current quota, please check your plan and billing details.";

const shared: Pick<
  Cells<Refusal>,
  "too long" | "filter" | "overload" | "timeout" | "broken server"
> = {
  "too long": refusal(
    400,
    "INVALID_ARGUMENT",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  ),
  filter: refusal(
    400,
    "INVALID_ARGUMENT",
    "The prompt could not be submitted. It contains sensitive words that violate Google's Responsible AI practices.",
  ),
  overload: refusal(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
  timeout: refusal(504, "DEADLINE_EXCEEDED", "Deadline expired before operation could complete."),
  "broken server": refusal(
    500,
    "INTERNAL",
    "An internal error has occurred. Please retry or report in the troubleshooting guide.",
  ),
};
const afterwards: Cells<LateRefusal> = {
  "rate limit": late(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
  "used up": late(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."),
  "wrong key": keyComesFirst,
  "missing right": keyComesFirst,
  "too long": requestComesFirst,
  filter: [{ finish: "SAFETY" }, { finish: "PROHIBITED_CONTENT" }, { finish: "RECITATION" }],
  "wrong setting": requestComesFirst,
  "model gone": requestComesFirst,
  overload: late(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
  timeout: late(504, "DEADLINE_EXCEEDED", "Deadline expired before operation could complete."),
  "broken server": late(500, "INTERNAL", "An internal error has occurred."),
};

export async function startVertexAi() {
  const simulator = await startVertex();
  const { origin } = simulator;
  const secret = JSON.stringify({ serviceAccount: simulator.tokens.keyFile });
  const addresses = { api: origin, token: `${origin}/token`, storage: origin };
  return {
    simulator,
    origin,
    connection: { kind: "vertex", addresses, options: { location: "us-central1" }, secret },
  };
}

export const ofGemini: Cells<Refusal> = {
  ...shared,
  "rate limit": {
    ...refusal(
      429,
      "RESOURCE_EXHAUSTED",
      exceeded,
      quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier"),
    ),
    waitMs: 34_400,
  },
  "used up": [
    refusal(
      429,
      "RESOURCE_EXHAUSTED",
      exceeded,
      quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"),
    ),
    refusal(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."),
    refusal(
      400,
      "FAILED_PRECONDITION",
      "Gemini API free tier is not available in your country. Please enable billing on your project.",
    ),
  ],
  "wrong key": [
    refusal(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [
      detail("ErrorInfo", { reason: "API_KEY_INVALID" }),
    ]),
    refusal(400, "INVALID_ARGUMENT", "API key expired. Please renew the API key."),
  ],
  "missing right": [
    refusal(
      403,
      "PERMISSION_DENIED",
      "Method doesn't allow unregistered callers (callers without established identity).",
    ),
    refusal(400, "FAILED_PRECONDITION", "User location is not supported for the API use."),
  ],
  "wrong setting": refusal(
    400,
    "INVALID_ARGUMENT",
    "Invalid value at 'generation_config.temperature' (TYPE_FLOAT)",
  ),
  "model gone": refusal(
    404,
    "NOT_FOUND",
    "models/gemini-1.0-pro is not found for API version v1beta, or is not supported for generateContent.",
  ),
};

export const ofVertex: Cells<Refusal> = {
  ...shared,
  "rate limit": refusal(429, "RESOURCE_EXHAUSTED", "Resource exhausted. Please try again later."),
  "used up": [
    refusal(403, "PERMISSION_DENIED", "This API method requires billing to be enabled.", [
      detail("ErrorInfo", { reason: "BILLING_DISABLED" }),
    ]),
    refusal(403, "PERMISSION_DENIED", "This API method requires billing to be enabled."),
  ],
  "wrong key": refusal(
    401,
    "UNAUTHENTICATED",
    "Request had invalid authentication credentials. Expected OAuth 2 access token.",
  ),
  "missing right": [
    refusal(
      403,
      "PERMISSION_DENIED",
      "Permission 'aiplatform.endpoints.predict' denied on resource (or it may not exist).",
    ),
    refusal(
      403,
      "PERMISSION_DENIED",
      "Vertex AI API has not been used in project 1 before or it is disabled.",
      [detail("ErrorInfo", { reason: "SERVICE_DISABLED" })],
    ),
  ],
  "wrong setting": refusal(
    400,
    "INVALID_ARGUMENT",
    "Unable to submit request because temperature must be between 0 and 2.",
  ),
  "model gone": refusal(
    404,
    "NOT_FOUND",
    "Publisher Model `publishers/google/models/gemini-0` was not found or your project does not have access to it.",
  ),
};

export const googleColumns: readonly Column[] = [
  {
    name: "google",
    adapter: google,
    reference: "https://ai.google.dev/gemini-api/docs/troubleshooting",
    async start() {
      const simulator = await startGoogle();
      const connection = {
        kind: "google",
        addresses: { api: simulator.url },
        options: {},
        secret: simulator.key,
      };
      return { simulator, origin: new URL(simulator.url).origin, connection };
    },
    request: buildRequest({
      model: { id: "gemini-3.5-flash", inputSchema: null, capabilities: { reasoning: true } },
    }),
    before: ofGemini,
    after: afterwards,
  },
  {
    name: "vertex",
    adapter: vertex,
    reference: "https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/api-errors",
    start: startVertexAi,
    request: buildRequest({
      model: { id: "gemini-3.5-flash", inputSchema: null, capabilities: { reasoning: true } },
    }),
    before: ofVertex,
    after: afterwards,
  },
  {
    name: "vertex, Claude",
    adapter: vertex,
    reference: "https://docs.claude.com/en/api/errors",
    start: startVertexAi,
    request: buildRequest({
      model: { id: "anthropic/claude-opus-5", inputSchema: null, capabilities: {} },
    }),
    before: {
      ...ofVertex,
      "rate limit": claudeRefusals["rate limit"],
      "too long": claudeRefusals["too long"],
      filter: claudeRefusals.filter,
      "wrong setting": claudeRefusals["wrong setting"],
      overload: claudeRefusals.overload,
    },
    after: claudeLate,
  },
];
