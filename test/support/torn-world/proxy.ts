import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { pipeline } from "node:stream/promises";

/** A provider's answer as it left the simulator, its body read whole. */
export type WholeAnswer = {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
};

/** What the program received in place of an answer. `isWhole`: it ended as HTTP ends an answer, with every byte that was announced. */
export type ServedAnswer = { status: number; body: Buffer; isWhole: boolean };

/** What becomes of an answer on its way. */
export type Fault = {
  name: string;
  /** The provider never sees the request: it made nothing, and charges for nothing. */
  isInstead?: true;
  /** Sends what the program receives. `answer` is empty where the provider was not asked. */
  meet(answer: WholeAnswer, response: ServerResponse): void | Promise<void>;
};

/** Which of a run's requests: the one that is paid for, or one about it (a status, a result, a file). */
export type RequestKind = "paid" | "question";
export type Asked = {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: Buffer;
};

export type TornProxy = {
  origin: string;
  /** Every request, with the fault that it met. */
  journal: string[];
  /** The whole answer to the last paid request that was read whole. */
  paidAnswer: WholeAnswer | null;
  /** What the program received of the last paid request's answer; null where the connection broke before its head. */
  servedAnswer: ServedAnswer | null;
  /** Where the next requests go, when the provider is no longer what it was. */
  redirect(target: string): void;
  stop(): Promise<void>;
};

const nothing: WholeAnswer = { status: 0, headers: {}, body: Buffer.alloc(0) };

/**
 * A real HTTP proxy between one run and the simulator of its provider. It reads each answer whole, and a fault may then send
 * something else in its place. What the provider itself would serve elsewhere (`files`) is served here.
 */
export async function startTornProxy(options: {
  target: string;
  isPaid(asked: Asked): boolean;
  /** The fault that this request meets. */
  faultOf(kind: RequestKind, asked: Asked): Fault | undefined;
  /** Addresses in answers that lead through a proxy instead: [what stands there, what is read]. Without it, an answer that meets no fault passes as it comes. */
  addresses?(): readonly (readonly [from: string, to: string])[];
  /** Bytes of outputs that the provider keeps at an address of its own, which `addresses` leads here. */
  files?: { path: string; mime: string; bytes: Buffer };
}): Promise<TornProxy> {
  let { target } = options;
  const journal: string[] = [];
  const tunnels = new Set<Socket>();
  const proxy: TornProxy = {
    origin: "",
    journal,
    paidAnswer: null,
    servedAnswer: null,
    redirect: (next) => {
      target = next;
    },
    async stop() {
      for (const socket of tunnels) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      journal.push(`proxy failed: ${String(error)}`);
      response.destroy();
    });
  });
  // Sockets (ComfyUI's progress) pass untouched.
  server.on("upgrade", (request, socket: Socket, head: Buffer) => {
    const { hostname, port } = new URL(target);
    const upstream = connect(Number(port), hostname);
    const lines = [`${request.method} ${request.url} HTTP/1.1`];
    for (let at = 0; at < request.rawHeaders.length; at += 2)
      lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`);
    upstream.write(`${lines.join("\r\n")}\r\n\r\n`);
    upstream.write(head);
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      tunnels.add(from);
      from.on("error", () => to.destroy()).on("close", () => to.destroy());
      from.pipe(to);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  proxy.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const asked: Asked = {
      method: request.method ?? "GET",
      path: request.url ?? "/",
      headers: request.headers,
      body: Buffer.concat(chunks),
    };
    const kind: RequestKind = options.isPaid(asked) ? "paid" : "question";
    const fault = options.faultOf(kind, asked);
    journal.push(
      `${kind} ${asked.method} ${asked.path.slice(0, 80)}${fault ? ` <- ${fault.name}` : ""}`,
    );
    if (!fault && !options.addresses) return pass(target, request, asked.body, response);
    const answer = fault?.isInstead ? nothing : await answerOf(request, asked);
    if (kind === "paid") {
      if (!fault?.isInstead) proxy.paidAnswer = answer;
      record(response, (served) => {
        proxy.servedAnswer = served;
      });
    }
    if (fault) await fault.meet(answer, response);
    else sendWhole(answer, response);
  }

  async function answerOf(request: IncomingMessage, asked: Asked): Promise<WholeAnswer> {
    if (options.files && asked.path.startsWith(options.files.path)) {
      const { mime, bytes } = options.files;
      return { status: 200, headers: { "content-type": mime }, body: bytes };
    }
    const answer = await readWhole(target, request, asked.body);
    return { ...answer, body: withAddresses(answer, options.addresses?.() ?? []) };
  }

  return proxy;
}

/** Tells what was served once its socket is done with. */
function record(response: ServerResponse, tell: (served: ServedAnswer | null) => void): void {
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown): void => {
    if (typeof chunk === "string" || chunk instanceof Uint8Array)
      chunks.push(Buffer.from(chunk as string));
  };
  const { write, end } = response;
  response.write = function (this: ServerResponse, ...given: unknown[]) {
    keep(given[0]);
    return write.apply(this, given as Parameters<typeof write>);
  } as typeof write;
  response.end = function (this: ServerResponse, ...given: unknown[]) {
    keep(given[0]);
    return end.apply(this, given as Parameters<typeof end>);
  } as typeof end;
  response.on("close", () =>
    tell(
      response.headersSent
        ? {
            status: response.statusCode,
            body: Buffer.concat(chunks),
            isWhole: response.writableFinished,
          }
        : null,
    ),
  );
}

/** Sends it on as it was, its headers too: a signature covers them. */
function forward(
  target: string,
  { method, url, rawHeaders }: IncomingMessage,
  body: Buffer,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(target);
    const sent = send(
      { hostname, port, method, path: url, headers: rawHeaders, agent: false, setHost: false },
      resolve,
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

async function readWhole(
  target: string,
  request: IncomingMessage,
  body: Buffer,
): Promise<WholeAnswer> {
  const answer = await forward(target, request, body);
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const headers = Object.fromEntries(
    Object.entries(answer.headers).filter(([name, value]) => value && !hop.has(name)),
  );
  return {
    status: answer.statusCode ?? 0,
    headers: headers as WholeAnswer["headers"],
    body: Buffer.concat(chunks),
  };
}

/** Each byte as it comes; who hangs up hangs up at the provider, and a provider that breaks off breaks off here. */
async function pass(
  target: string,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  const answer = await forward(target, request, body);
  response.writeHead(answer.statusCode ?? 0, answer.rawHeaders);
  response.flushHeaders();
  await pipeline(answer, response).catch(() => response.socket?.resetAndDestroy());
}

const hop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
  "date",
]);

/** Only in text: a picture's bytes stay as they are. */
function withAddresses(
  { headers, body }: WholeAnswer,
  addresses: readonly (readonly [from: string, to: string])[],
): Buffer {
  if (!/json|text/.test(String(headers["content-type"] ?? ""))) return body;
  return Buffer.from(
    addresses.reduce((text, [from, to]) => text.replaceAll(from, to), body.toString()),
  );
}

/** The answer as it is, with its length. */
export function sendWhole({ status, headers, body }: WholeAnswer, response: ServerResponse): void {
  response.writeHead(status, { ...headers, "content-length": body.length }).end(body);
}
