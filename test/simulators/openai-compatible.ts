import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { answerMedia } from "./openai-compatible/answer-media.ts";
import { type Behaviour, createGates, type Post } from "./openai-compatible/behaviour.ts";
import { answerChat, reset } from "./openai-compatible/chat.ts";
import { json } from "./openai-compatible/json.ts";
import { formFields, refuseBody, refuseForm, requestFields } from "./openai-compatible/strict.ts";

export type { Behaviour, Fault, Post } from "./openai-compatible/behaviour.ts";

export type OpenAiCompatible = {
  /** The base URL, which ends in /v1. */
  url: string;
  /** What `Authorization: Bearer` must carry. */
  key: string;
  /** Every POST under /v1, refused ones too, in the order of their coming. */
  posts: Post[];
  /** How many connections were opened to it. */
  connections(): number;
  /** What the next POST meets; several calls make a queue, after which the defaults hold again. */
  script(next: Behaviour): void;
  /** Opens a gate of a script. */
  open(gate: string): void;
  /** Resolves when a request stands at the gate. */
  reached(gate: string): Promise<void>;
  stop(): Promise<void>;
};

export type SimulatorOptions = {
  port?: number;
  /** Null: no key is asked for, as with local servers. */
  key?: string | null;
  /** The rows of GET /models; a string is a page in their place. */
  models?: unknown[] | string;
  /** What every POST meets that no script is for. */
  defaults?: Behaviour;
};

const defaultModels = [
  { id: "sim-chat", object: "model", created: 1_700_000_000, owned_by: "simulator" },
  { id: "owner/sim-vision", object: "model", created: 1_700_000_000, owned_by: "simulator" },
];

/**
 * A strict server of the OpenAI kind over real HTTP on 127.0.0.1: an unknown field, a wrong type or a missing header is
 * refused with 400 or 401, as the original does. It keeps a ledger of every POST. Under /_control another process can do
 * what a test in this one does: GET posts, POST script, POST open.
 */
export async function startOpenAiCompatible(options: SimulatorOptions = {}): Promise<OpenAiCompatible> {
  const key = options.key === undefined ? "sim-key" : options.key;
  const posts: Post[] = [];
  const scripts: Behaviour[] = [];
  const gates = createGates();
  const files = new Map<string, Buffer>();

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else refuse(response, 500, { message: String(error), type: "simulator_error" });
    });
  });
  let connections = 0;
  server.on("connection", () => connections++);
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", origin);
    const body = await readAll(request);
    if (pathname.startsWith("/_control/")) return control(pathname.slice("/_control/".length), body, response);
    const file = files.get(pathname);
    if (file && request.method === "GET") {
      response.writeHead(200, { "content-type": "image/png", "content-length": file.length }).end(file);
      return;
    }
    const path = pathname.startsWith("/v1/") ? pathname.slice(3) : "";
    if (request.method === "GET" && path === "/models") {
      if (!authorized(request)) return refuseKey(response);
      if (typeof options.models === "string") {
        response.writeHead(200, { "content-type": "text/html" }).end(options.models);
        return;
      }
      return json(response, { object: "list", data: options.models ?? defaultModels });
    }
    if (request.method !== "POST" || !(path in requestFields || path in formFields)) {
      return refuse(response, 404, { message: `Invalid URL (${request.method} ${pathname})`, type: "invalid_request_error" });
    }
    await answer(path, request, body, response);
  }

  async function answer(path: string, request: IncomingMessage, bytes: Buffer, response: ServerResponse): Promise<void> {
    const post: Post = {
      path,
      body: null,
      headers: request.headers as Record<string, string>,
      at: Date.now(),
      state: "open",
      billed: false,
    };
    posts.push(post);
    response.on("close", () => {
      if (post.state === "open") post.state = response.writableFinished ? "answered" : "client-left";
    });
    if (!authorized(request)) {
      post.state = "refused";
      return refuseKey(response);
    }
    const contentType = request.headers["content-type"] ?? "";
    const wanted = path in formFields ? "multipart/form-data" : "application/json";
    if (!contentType.startsWith(wanted) || request.headers["content-length"] === undefined) {
      post.state = "refused";
      return refuse(response, 400, { message: `Expected ${wanted} with a length.`, type: "invalid_request_error" });
    }
    const problem = path in formFields ? await readForm() : readObject();
    if (problem) {
      post.state = "refused";
      return refuse(response, 400, { ...problem, type: "invalid_request_error", code: "unknown_parameter" });
    }
    const behaviour = { ...options.defaults, ...scripts.shift() };
    if (await failFirst(behaviour, post, response)) return;
    if (path === "/chat/completions") return answerChat({ body: post.body as never, behaviour, post, response, gates });
    if (behaviour.gate?.at === "head") await gates.wait(behaviour.gate.name);
    post.billed = true;
    return answerMedia({ path, body: post.body as Record<string, unknown>, behaviour, post, response, keep });

    function readObject() {
      try {
        post.body = JSON.parse(bytes.toString());
      } catch {
        return { message: "The body is not JSON.", param: null };
      }
      return refuseBody(path, post.body);
    }
    async function readForm() {
      const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": contentType } }).formData().catch(() => null);
      if (!form) return { message: "The form can't be read.", param: null };
      const fields: Record<string, unknown> = {};
      for (const [name, value] of form)
        fields[name] = value instanceof File ? { name: value.name, type: value.type, bytes: value.size } : value;
      post.body = fields;
      return refuseForm(path, form);
    }
  }

  function control(action: string, body: Buffer, response: ServerResponse) {
    if (action === "posts") return json(response, posts);
    if (action === "script") scripts.push(JSON.parse(body.toString()) as Behaviour);
    else if (action === "open") gates.open((JSON.parse(body.toString()) as { gate: string }).gate);
    else return refuse(response, 404, { message: `No such control: ${action}` });
    json(response, {});
  }

  /** Serves a file under an address of its own. */
  function keep(content: Buffer): string {
    const name = `/files/${files.size + 1}.png`;
    files.set(name, content);
    return origin + name;
  }

  const authorized = (request: IncomingMessage) => key === null || request.headers.authorization === `Bearer ${key}`;

  return {
    url: `${origin}/v1`,
    key: key ?? "",
    posts,
    connections: () => connections,
    script: (next) => void scripts.push(next),
    open: gates.open,
    reached: gates.reached,
    async stop() {
      gates.openAll();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Faults that come in place of an answer, whatever was asked. True when the request is done with. */
async function failFirst({ fault }: Behaviour, post: Post, response: ServerResponse): Promise<boolean> {
  if (fault?.kind === "reset" && fault.at === "request") {
    post.billed = true;
    reset(response, post);
    return true;
  }
  if (fault?.kind === "status") {
    post.state = "refused";
    post.billed = fault.status >= 500;
    for (const [name, value] of Object.entries(fault.headers ?? {})) response.setHeader(name, value);
    response.statusCode = fault.status;
    json(response, fault.body ?? { error: { message: `Simulated ${fault.status}.`, type: "simulated", param: null, code: null } });
    return true;
  }
  if (fault?.kind === "html") {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<!doctype html><title>Welcome</title><p>A page.");
    return true;
  }
  if (fault?.kind === "broken-json") {
    post.billed = true;
    response.writeHead(200, { "content-type": "application/json" }).end('{"data": [{"b64_json": "iVBO');
    return true;
  }
  return false;
}

function refuse(response: ServerResponse, status: number, error: object): void {
  response.statusCode = status;
  json(response, { error: { param: null, code: null, ...error } });
}

const refuseKey = (response: ServerResponse) =>
  refuse(response, 401, { message: "Incorrect API key provided.", type: "invalid_request_error", code: "invalid_api_key" });

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "0" },
      key: { type: "string" },
      tokens: { type: "string" },
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
      ...(values.tokens && { tokens: Number(values.tokens) }),
    },
  });
  console.log(simulator.url);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void simulator.stop().then(() => process.exit(0)));
}
