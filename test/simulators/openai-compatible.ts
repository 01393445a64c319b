import { parseArgs } from "node:util";
import type { Behaviour, Post } from "./kit/behaviour.ts";
import { json } from "./kit/json.ts";
import {
  type Call,
  type ProviderWire,
  type Refusal,
  type Simulator,
  startSimulator,
} from "./kit/server.ts";
import { answerMedia } from "./openai-compatible/answer-media.ts";
import { answerChat } from "./openai-compatible/chat.ts";
import {
  formFields,
  type OtherFields,
  refuseBody,
  refuseForm,
  requestFields,
} from "./openai-compatible/strict.ts";

export type { Behaviour, Fault } from "./kit/behaviour.ts";

export type OpenAiCompatible = Omit<Simulator, "origin"> & {
  /** The base URL, which ends in /v1. */
  url: string;
  /** The required value of `Authorization: Bearer`. */
  key: string;
};

export type SimulatorOptions = {
  port?: number;
  /** Null: no key is required, like for local servers. */
  key?: string | null;
  /** The rows of GET /models, once they are available; a string is a page in their place. */
  models?: unknown[] | string | (() => Promise<unknown[]>);
  /** The behavior of every POST without a script. */
  defaults?: Behaviour;
  /** Set for a service other than OpenAI's own. */
  own?: OwnWays;
};

export type OwnWays = {
  fields?: OtherFields;
  /** Headers required in every call. */
  headers?: Readonly<Record<string, string>>;
  /** Headers of every answer. */
  answers?: Readonly<Record<string, string>>;
  /** Answers to further requests by full path, each of which requires the key. */
  questions?: Readonly<Record<string, unknown>>;
  /** Refuses POSTs for free, by path. Null accepts the POST. */
  refuses?(path: string, body: Buffer): Refusal | null;
  /** The list of models is public, or doesn't exist. */
  modelList?: "open" | "none";
};

const defaultModels = [
  { id: "sim-chat", object: "model", created: 1_700_000_000, owned_by: "simulator" },
  { id: "owner/sim-vision", object: "model", created: 1_700_000_000, owned_by: "simulator" },
];

/**
 * A strict OpenAI-compatible server over real HTTP on 127.0.0.1: an unknown field, a wrong type or
 * a missing header is refused with 400 or 401, like in the original.
 */
export async function startOpenAiCompatible(
  options: SimulatorOptions = {},
): Promise<OpenAiCompatible> {
  const key = options.key === undefined ? "sim-key" : options.key;
  const isRight = ([name, value]: [string, string], { headers }: Call) => headers[name] === value;
  const isAuthorized = (call: Call) =>
    (key === null || call.headers.authorization === `Bearer ${key}`) &&
    Object.entries(options.own?.headers ?? {}).every((header) => isRight(header, call));
  const { origin, ...simulator } = await startSimulator(
    openAiWire(options, isAuthorized, "/v1"),
    options,
  );
  return { ...simulator, url: `${origin}/v1`, key: key ?? "" };
}

/**
 * The part common to all compatible services: chat completions, pictures, speech, transcripts and
 * embeddings, under the path `base`.
 */
export function openAiWire(
  options: Pick<SimulatorOptions, "models" | "own">,
  isAuthorized: (call: Call) => boolean,
  base: string,
): ProviderWire {
  const { fields, answers = {}, questions = {}, modelList } = options.own ?? {};
  const files = new Map<string, Buffer>();
  const pathOf = (url: URL) =>
    url.pathname.startsWith(`${base}/`) ? url.pathname.slice(base.length) : "";

  return {
    pathOf,
    errorBody: (_status, message) => ({
      error: { message, type: "simulated", param: null, code: null },
    }),
    answerFree(call) {
      const { response, url, method } = call;
      for (const [name, value] of Object.entries(answers)) response.setHeader(name, value);
      const file = files.get(url.pathname);
      const path = pathOf(url);
      const refused =
        method === "POST" && isAuthorized(call) && options.own?.refuses?.(path, call.body);
      if (refused) say(call, refused);
      else if (file && method === "GET")
        response
          .writeHead(200, { "content-type": "image/png", "content-length": file.length })
          .end(file);
      else if (method === "GET" && url.pathname in questions) {
        if (isAuthorized(call)) json(response, questions[url.pathname]);
        else say(call, wrongKey);
      } else if (method === "GET" && path === "/models" && modelList !== "none")
        void answerModels(call);
      else if (method !== "POST" || !(path in requestFields || path in formFields)) {
        say(call, refusal(404, { message: `Invalid URL (${method} ${url.pathname})` }));
      } else return false;
      return true;
    },
    refuse: (call, post) => (isAuthorized(call) ? refusePost(call, post, fields) : wrongKey),
    answer(given) {
      const { call, post, behaviour, origin } = given;
      if (post.path === "/chat/completions") return answerChat(given);
      const keep = (content: Buffer) => {
        const name = `/files/${files.size + 1}.png`;
        files.set(name, content);
        return origin + name;
      };
      return answerMedia({
        path: post.path,
        body: post.body as Record<string, unknown>,
        behaviour,
        post,
        response: call.response,
        gates: given.gates,
        keep,
      });
    },
  };

  async function answerModels(call: Call): Promise<void> {
    const { models } = options;
    if (modelList !== "open" && !isAuthorized(call)) say(call, wrongKey);
    else if (typeof models === "string")
      call.response.writeHead(200, { "content-type": "text/html" }).end(models);
    else
      json(call.response, {
        object: "list",
        data: (typeof models === "function" ? await models() : models) ?? defaultModels,
      });
  }
}

/** The error of a POST with a valid key, or null. */
async function refusePost(
  { headers, body }: Call,
  post: Post,
  others?: OtherFields,
): Promise<Refusal | null> {
  const contentType = headers["content-type"] ?? "";
  const isForm = post.path in formFields;
  const wanted = isForm ? "multipart/form-data" : "application/json";
  if (!contentType.startsWith(wanted) || headers["content-length"] === undefined) {
    return refusal(400, { message: `Expected ${wanted} with a length.` });
  }
  const problem = isForm ? await readForm(contentType, body, post) : readObject(body, post, others);
  return problem && refusal(400, { ...problem, code: "unknown_parameter" });
}

function readObject(body: Buffer, post: Post, others?: OtherFields) {
  try {
    post.body = JSON.parse(body.toString());
  } catch {
    return { message: "The body is not JSON.", param: null };
  }
  return refuseBody(post.path, post.body, others);
}

async function readForm(contentType: string, body: Buffer, post: Post) {
  const form = await new Response(new Uint8Array(body), {
    headers: { "content-type": contentType },
  })
    .formData()
    .catch(() => null);
  if (!form) return { message: "The form can't be read.", param: null };
  const fields: Record<string, unknown> = {};
  for (const [name, value] of form)
    fields[name] =
      value instanceof File ? { name: value.name, type: value.type, bytes: value.size } : value;
  post.body = fields;
  return refuseForm(post.path, form);
}

export const refusal = (status: number, error: object): Refusal => ({
  status,
  body: { error: { type: "invalid_request_error", param: null, code: null, ...error } },
});
export const wrongKey = refusal(401, {
  message: "Incorrect API key provided.",
  code: "invalid_api_key",
});
export const say = ({ response }: Call, { status, body }: Refusal) => {
  response.statusCode = status;
  json(response, body);
};

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "0" },
      key: { type: "string" },
      tokens: { type: "string" },
      stamped: { type: "boolean", default: false },
      "first-token-ms": { type: "string", default: "0" },
      "between-ms": { type: "string", default: "0" },
    },
  });
  const simulator = await startOpenAiCompatible({
    port: Number(values.port),
    key: values.key ?? null,
    defaults: {
      firstTokenMs: Number(values["first-token-ms"]),
      betweenMs: Number(values["between-ms"]),
      stamped: values.stamped,
      ...(values.tokens && { tokens: Number(values.tokens) }),
    },
  });
  console.log(simulator.url);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void simulator.stop().then(() => process.exit(0)));
}
