import { cohere } from "#providers/services/cohere/adapter.ts";
import { deepgram } from "#providers/services/deepgram/adapter.ts";
import { elevenlabs } from "#providers/services/elevenlabs/adapter.ts";
import { startCohere } from "../../simulators/cohere.ts";
import { startDeepgram } from "../../simulators/deepgram.ts";
import { startElevenLabs } from "../../simulators/elevenlabs.ts";
import { buildRequest } from "../contracts/attempt.ts";
import { endsWithoutAWord, keyComesFirst, requestComesFirst } from "./openai.ts";
import type { Column, Refusal } from "./table.ts";

const ofCohere = (status: number, message: string): Refusal => ({
  status,
  body: { id: "e-1", message },
});
/** The newer shape has a type and a code, the older one a status. */
const ofElevenLabs = (status: number, code: string, message: string): Refusal => ({
  status,
  body: { detail: { status: code, message } },
});
const ofElevenLabsNow = (status: number, type: string, code: string, message: string): Refusal => ({
  status,
  body: { detail: { type, code, message, request_id: "r-1" } },
});
const ofDeepgram = (status: number, code: string, message: string): Refusal => ({
  status,
  body: { err_code: code, err_msg: message, request_id: "r-1" },
});

const speech = { task: "speech" as const, turns: [] };

export const mediaColumns: readonly Column[] = [
  {
    name: "cohere",
    adapter: cohere,
    reference: "https://docs.cohere.com/reference/errors",
    async start() {
      const simulator = await startCohere();
      const connection = {
        kind: "cohere",
        addresses: { api: simulator.url },
        options: {},
        secret: simulator.key,
      };
      return { simulator, origin: simulator.url, connection };
    },
    request: buildRequest({ model: { id: "command-sim", inputSchema: null, capabilities: {} } }),
    before: {
      "rate limit": {
        ...ofCohere(429, "You are using a Trial key, which is limited to 20 API calls / minute."),
        headers: { "retry-after": "7" },
        waitMs: 7_000,
      },
      "used up": [
        ofCohere(429, "You are using a Trial key, which is limited to 1000 API calls / month."),
        ofCohere(
          402,
          "Please add or update your payment method at https://dashboard.cohere.com/billing",
        ),
      ],
      "wrong key": ofCohere(401, "invalid api token"),
      "missing right": ofCohere(403, "your key may not use this model"),
      "too long": ofCohere(
        400,
        "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292.",
      ),
      filter: "Its safety modes answer with words, and refuse no prompt.",
      "wrong setting": [
        ofCohere(400, "invalid request: temperature must be between 0 and 1.0 inclusive."),
        ofCohere(422, "p must be below 1"),
      ],
      "model gone": [
        ofCohere(404, "model 'command-0' not found, make sure the correct model ID was used"),
        ofCohere(404, "model 'command-r' was removed on September 15, 2025."),
      ],
      overload: ofCohere(503, "the service is overloaded, please try again"),
      timeout: ofCohere(504, "the request timed out"),
      "broken server": ofCohere(
        500,
        "internal server error, this has been reported to our developers.",
      ),
    },
    after: {
      "rate limit": requestComesFirst,
      "used up": requestComesFirst,
      "wrong key": keyComesFirst,
      "missing right": keyComesFirst,
      "too long": requestComesFirst,
      filter: "Its second version ends an answer for no reason of content.",
      "wrong setting": requestComesFirst,
      "model gone": requestComesFirst,
      overload: endsWithoutAWord,
      timeout: { finish: "TIMEOUT" },
      "broken server": { error: "the model broke while it was writing", isSilent: true },
    },
  },
  {
    name: "elevenlabs",
    adapter: elevenlabs,
    reference: "https://elevenlabs.io/docs/developers/resources/error-messages",
    async start() {
      const simulator = await startElevenLabs();
      const connection = {
        kind: "elevenlabs",
        addresses: { api: simulator.url },
        options: {},
        secret: simulator.key,
      };
      return { simulator, origin: simulator.url, connection };
    },
    request: buildRequest({
      ...speech,
      model: { id: "eleven_v3", inputSchema: null, capabilities: {} },
      input: { text: "Good morning", voice: "voice0" },
    }),
    before: {
      "rate limit": [
        {
          ...ofElevenLabs(
            429,
            "too_many_concurrent_requests",
            "Too many concurrent requests. Your current subscription allows 3.",
          ),
          headers: { "retry-after": "3" },
          waitMs: 3_000,
        },
        ofElevenLabsNow(
          429,
          "rate_limit_error",
          "rate_limit_exceeded",
          "You have sent too many requests.",
        ),
      ],
      "used up": [
        // The same status as for a wrong key.
        ofElevenLabs(
          401,
          "quota_exceeded",
          "This request exceeds your quota of 10000. You have 2 credits remaining.",
        ),
        ofElevenLabsNow(
          402,
          "payment_required",
          "insufficient_credits",
          "You do not have enough credits.",
        ),
        ofElevenLabs(402, "payment_required", "Free users cannot use library voices via the API."),
      ],
      "wrong key": ofElevenLabs(401, "invalid_api_key", "Invalid API key"),
      "missing right": [
        ofElevenLabs(
          401,
          "missing_permissions",
          "The API key you used is missing the permission text_to_speech to execute this operation.",
        ),
        ofElevenLabs(
          401,
          "detected_unusual_activity",
          "Unusual activity detected. Free Tier usage disabled.",
        ),
      ],
      "too long": {
        ...ofElevenLabs(
          400,
          "max_character_limit_exceeded",
          "A single request can contain at most 5000 characters.",
        ),
        // A text to be spoken, without a conversation that could be restarted.
        code: "provider_invalid_input",
      },
      filter: ofElevenLabs(
        400,
        "content_against_policy",
        "The text you are trying to use may violate our Terms of Service.",
      ),
      "wrong setting": [
        {
          status: 422,
          body: {
            detail: [
              {
                loc: ["body", "voice_settings", "speed"],
                msg: "Input should be less than 1.2",
                type: "less_than",
              },
            ],
          },
          field: "voice_settings.speed",
        },
        ofElevenLabs(404, "voice_not_found", "A voice with voice_id x was not found."),
      ],
      "model gone": ofElevenLabs(
        404,
        "model_not_found",
        "Model with model ID eleven_v0 does not exist.",
      ),
      overload: [
        {
          ...ofElevenLabs(
            429,
            "system_busy",
            "We are experiencing heavy traffic, please try again.",
          ),
          accepted: "no",
        },
        ofElevenLabsNow(
          503,
          "service_unavailable",
          "service_unavailable",
          "The service is not available now.",
        ),
      ],
      timeout: ofElevenLabs(504, "timeout", "The request timed out."),
      "broken server": ofElevenLabs(500, "internal_server_error", "Something broke on our side."),
    },
    after: "It answers whole: after the first byte come the bytes of a sound, or none.",
  },
  {
    name: "deepgram",
    adapter: deepgram,
    reference: "https://developers.deepgram.com/docs/errors",
    async start() {
      const simulator = await startDeepgram();
      const connection = {
        kind: "deepgram",
        addresses: { api: simulator.url },
        options: {},
        secret: simulator.key,
      };
      return { simulator, origin: simulator.url, connection };
    },
    request: buildRequest({
      ...speech,
      model: { id: "aura-2-thalia-en", inputSchema: null, capabilities: {} },
      input: { text: "Good morning" },
    }),
    before: {
      "rate limit": {
        ...ofDeepgram(429, "TOO_MANY_REQUESTS", "Too many requests. Please try again later"),
        headers: { "retry-after": "2" },
        waitMs: 2_000,
      },
      "used up": ofDeepgram(
        402,
        "ASR_PAYMENT_REQUIRED",
        "Project does not have enough credits for an ASR request and does not have an overage agreement.",
      ),
      "wrong key": ofDeepgram(401, "INVALID_AUTH", "Invalid credentials."),
      "missing right": ofDeepgram(
        403,
        "INSUFFICIENT_PERMISSIONS",
        "Project does not have access to the requested model.",
      ),
      "too long": {
        ...ofDeepgram(
          413,
          "PAYLOAD_TOO_LARGE",
          "Input text exceeds maximum character limit of 2000.",
        ),
        code: "provider_invalid_input",
      },
      filter: "Deepgram refuses no content: it hears and speaks whatever it is given.",
      "wrong setting": [
        {
          status: 400,
          body: {
            category: "INVALID_QUERY_PARAMETER",
            message: "Failed to deserialize query parameters: unknown container.",
            details: "x",
            request_id: "r",
          },
        },
        {
          status: 400,
          body: {
            category: "INVALID_JSON",
            message: "Invalid JSON submitted.",
            details: "Json deserialize error: missing field `text` at line 7 column 1",
            request_id: "r",
          },
        },
        ofDeepgram(
          400,
          "Bad Request",
          "Bad Request: failed to process audio: corrupt or unsupported data",
        ),
      ],
      "model gone": ofDeepgram(
        400,
        "Bad Request",
        "Bad Request: No such model/language/tier combination found.",
      ),
      overload: ofDeepgram(503, "Service Unavailable", "The service is temporarily unavailable."),
      timeout: ofDeepgram(504, "Gateway Timeout", "The request took longer than ten minutes."),
      "broken server": ofDeepgram(500, "INTERNAL_SERVER_ERROR", "An internal error occurred."),
    },
    after: "It answers whole: after the first byte come the bytes of a sound, or none.",
  },
];
