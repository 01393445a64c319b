import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { replyHtml } from "../http-reply.ts";
import { type Behaviour, createGates, type Gates, type Post } from "./behaviour.ts";
import { createInterruptions, cutAnswer, type Interruption } from "./interrupt.ts";
import { json } from "./json.ts";

/** One request as received, with its body read completely. */
export type Call = {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: Buffer;
  response: ServerResponse;
};

/** A provider's refusal. */
export type Refusal = { status: number; body: unknown; headers?: Record<string, string> };

/** The provider-specific part of a simulator. */
export type ProviderWire = {
  /** Answers free requests: lists, status, files. True if it has answered. */
  answerFree?(call: Call, origin: string): boolean | Promise<boolean>;
  /**
   * The reason to refuse a POST before anything is made: a missing key or header, an unknown field,
   * a wrong type. Reads the body into `post.body`. Null accepts it.
   */
  refuse(call: Call, post: Post): Refusal | null | Promise<Refusal | null>;
  /** Answers an accepted POST, with the provider-specific faults of `behaviour`. */
  answer(given: {
    call: Call;
    post: Post;
    behaviour: Behaviour;
    gates: Gates;
    origin: string;
  }): void | Promise<void>;
  /** The body of an error with only a status. */
  errorBody(status: number, message: string): unknown;
  /** The path of a POST in the ledger. */
  pathOf?(url: URL): string;
};

export type Simulator = {
  origin: string;
  /** Every paid POST in order of arrival, including refused ones. */
  posts: Post[];
  /** The number of connections opened to it. */
  connections(): number;
  /** Every request, "GET /v1/models", including unanswered ones. */
  requests: string[];
  /** From now on every request is cut off unanswered, or answered again. */
  setAway(isAway: boolean): void;
  /**
   * The behavior of the next POST. Several calls form a queue, after which the defaults apply
   * again.
   */
  script(next: Behaviour): void;
  /** Interrupts the next request about an accepted job. */
  interrupt(next: Interruption): void;
  /** Opens a script's gate. */
  open(gate: string): void;
  /** Resolves when a request waits at the gate. */
  reached(gate: string): Promise<void>;
  stop(): Promise<void>;
};

/**
 * A strict server of one provider over real HTTP on 127.0.0.1, with a ledger of every POST, a queue
 * of scripted behaviors, and gates. Another process can use /_control: GET posts, POST script, POST
 * open.
 */
export async function startSimulator(
  wire: ProviderWire,
  options: { port?: number; defaults?: Behaviour } = {},
): Promise<Simulator> {
  const posts: Post[] = [];
  const scripts: Behaviour[] = [];
  const gates = createGates();
  const interruptions = createInterruptions();
  const requests: string[] = [];
  let isAway = false;
  let connections = 0;

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else refuse(response, { status: 500, body: wire.errorBody(500, String(error)) });
    });
  });
  server.on("connection", () => connections++);
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", origin);
    const body = await readAll(request);
    if (url.pathname.startsWith("/_control/"))
      return control(url.pathname.slice("/_control/".length), body, response);
    requests.push(`${request.method} ${url.pathname}`);
    if (isAway) return void request.socket.destroy();
    if (interruptions.meet(response)) return;
    const call: Call = {
      method: request.method ?? "GET",
      url,
      headers: request.headers as Record<string, string>,
      body,
      response,
    };
    if (await wire.answerFree?.(call, origin)) return;
    if (call.method !== "POST")
      return refuse(response, {
        status: 404,
        body: wire.errorBody(404, `No such path: ${url.pathname}`),
      });
    await take(call);
  }

  async function take(call: Call): Promise<void> {
    const { response } = call;
    const path = wire.pathOf?.(call.url) ?? call.url.pathname;
    const post: Post = {
      path,
      body: null,
      headers: call.headers,
      at: Date.now(),
      state: "open",
      billed: false,
    };
    posts.push(post);
    response.on("close", () => {
      if (post.state === "open")
        post.state = response.writableFinished ? "answered" : "client-left";
    });
    const refusal = await wire.refuse(call, post);
    if (refusal) {
      post.state = "refused";
      return refuse(response, refusal);
    }
    const behaviour = { ...options.defaults, ...scripts.shift() };
    if (failFirst(wire, behaviour, post, response)) return;
    if (behaviour.splitBytes) cutAnswer(response, behaviour.splitBytes);
    if (behaviour.fault?.kind === "reset" && behaviour.fault.at === "head")
      breakOff(response, post);
    if (behaviour.gate?.at === "head") await gates.wait(behaviour.gate.name);
    post.billed = true;
    await wire.answer({ call, post, behaviour, gates, origin });
  }

  function control(action: string, body: Buffer, response: ServerResponse) {
    if (action === "posts") return json(response, posts);
    if (action === "script") scripts.push(JSON.parse(body.toString()) as Behaviour);
    else if (action === "open") gates.open((JSON.parse(body.toString()) as { gate: string }).gate);
    else return refuse(response, { status: 404, body: { error: `No such control: ${action}` } });
    json(response, {});
  }

  return {
    origin,
    posts,
    requests,
    setAway: (next) => {
      isAway = next;
    },
    connections: () => connections,
    script: (next) => void scripts.push(next),
    interrupt: interruptions.interrupt,
    open: gates.open,
    reached: gates.reached,
    async stop() {
      gates.openAll();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Faults that replace any answer. True if the request is finished. */
function failFirst(
  wire: ProviderWire,
  { fault }: Behaviour,
  post: Post,
  response: ServerResponse,
): boolean {
  if (fault?.kind === "reset" && fault.at === "request") {
    post.billed = true;
    reset(response, post);
    return true;
  }
  if (fault?.kind === "status") {
    post.state = "refused";
    post.billed = fault.status >= 500;
    const body = fault.body ?? wire.errorBody(fault.status, `Simulated ${fault.status}.`);
    refuse(response, {
      status: fault.status,
      body,
      ...(fault.headers && { headers: fault.headers }),
    });
    return true;
  }
  if (fault?.kind === "html") {
    replyHtml(response);
    return true;
  }
  if (fault?.kind === "broken-json") {
    post.billed = true;
    response
      .writeHead(200, { "content-type": "application/json" })
      .end('{"data": [{"b64_json": "iVBO');
    return true;
  }
  return false;
}

/** Sends half of a complete answer and resets the connection. A stream breaks off by itself. */
function breakOff(response: ServerResponse, post: Post): void {
  const end = response.end.bind(response) as (body?: unknown) => ServerResponse;
  response.end = ((body?: unknown) => {
    if (typeof body !== "string" && !(body instanceof Uint8Array)) return end(body);
    const bytes = Buffer.from(body as string);
    response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => reset(response, post));
    return response;
  }) as typeof response.end;
}

export function reset(response: ServerResponse, post: Post): void {
  post.state = "broken";
  response.socket?.resetAndDestroy();
}

function refuse(response: ServerResponse, { status, body, headers = {} }: Refusal): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  // A gateway answers with a page in its place; some label their JSON with another type.
  if ("content-type" in headers)
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  else json(response, body);
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
