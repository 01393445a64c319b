import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { replyHtml } from "../http-reply.ts";
import { type Behaviour, createGates, type Gates, type Post } from "./behaviour.ts";
import { createInterruptions, cutAnswer, type Interruption } from "./interrupt.ts";
import { json } from "./json.ts";

/** One request as it came, its body read whole. */
export type Call = {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: Buffer;
  response: ServerResponse;
};

/** How the provider says no. */
export type Refusal = { status: number; body: unknown; headers?: Record<string, string> };

/** What is a provider's own in its simulator. */
export type ProviderWire = {
  /** What costs nothing: lists, status, files. True when it was answered. */
  answerFree?(call: Call, origin: string): boolean | Promise<boolean>;
  /**
   * Why a POST is refused before anything is made: a missing key or header, an unknown field, a wrong type. It reads the body
   * into `post.body`. Null lets it in.
   */
  refuse(call: Call, post: Post): Refusal | null | Promise<Refusal | null>;
  /** Answers a POST that was let in, with the faults of `behaviour` that are not those of all. */
  answer(given: {
    call: Call;
    post: Post;
    behaviour: Behaviour;
    gates: Gates;
    origin: string;
  }): void | Promise<void>;
  /** The body of an error of which only the status is known. */
  errorBody(status: number, message: string): unknown;
  /** The path under which a POST stands in the ledger. */
  pathOf?(url: URL): string;
};

export type Simulator = {
  origin: string;
  /** Every POST that is not free, refused ones too, in the order of their coming. */
  posts: Post[];
  /** How many connections were opened to it. */
  connections(): number;
  /** Every request, "GET /v1/models", those that met nobody too. */
  requests: string[];
  /** From now on every request is cut off unanswered, or answered again. */
  setAway(isAway: boolean): void;
  /** What the next POST meets; several calls make a queue, after which the defaults hold again. */
  script(next: Behaviour): void;
  /** What the next request meets before anything else, for those about a job that was taken. */
  interrupt(next: Interruption): void;
  /** Opens a gate of a script. */
  open(gate: string): void;
  /** Resolves when a request stands at the gate. */
  reached(gate: string): Promise<void>;
  stop(): Promise<void>;
};

/**
 * A strict server of one provider over real HTTP on 127.0.0.1, with a ledger of every POST, a queue of scripted behaviours
 * and gates. Under /_control another process can do what a test in this one does: GET posts, POST script, POST open.
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

/** Faults that come in place of an answer, whatever was asked. True when the request is done with. */
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

/** An answer that is written whole leaves in half, and the connection is reset. A stream breaks off by itself. */
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
  // What a gateway says in its place is a page; some give their JSON under another name.
  if ("content-type" in headers)
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  else json(response, body);
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
