import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { pipeline } from "node:stream/promises";

/** A provider's answer as it left the simulator, with its body read completely. */
export type WholeAnswer = {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
};

/**
 * What the program received in place of an answer. `isWhole` means that it ended as HTTP requires,
 * with every announced byte.
 */
export type ServedAnswer = { status: number; body: Buffer; isWhole: boolean };

/** What happens to an answer in transit. */
export type Fault = {
  name: string;
  /** The provider never receives the request, so it makes and charges nothing. */
  isInstead?: true;
  /** Sends the program's answer. `answer` is empty if the provider wasn't asked. */
  meet(answer: WholeAnswer, response: ServerResponse): void | Promise<void>;
};

/** The kind of a run's request: the paid one, or one about it (a status, a result, a file). */
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
  /** The complete answer to the last paid request whose answer was read completely. */
  paidAnswer: WholeAnswer | null;
  /**
   * What the program received of the last paid request's answer; null if the connection broke
   * before its head.
   */
  servedAnswer: ServedAnswer | null;
  /** Sends further requests elsewhere, after the provider has changed. */
  redirect(target: string): void;
  stop(): Promise<void>;
};

const nothing: WholeAnswer = { status: 0, headers: {}, body: Buffer.alloc(0) };

/**
 * A real HTTP proxy between one run and its provider's simulator. It reads each answer completely,
 * and a fault may then send another one. Files that the provider itself would serve elsewhere
 * (`files`) are served here.
 */
export async function startTornProxy(options: {
  target: string;
  isPaid(asked: Asked): boolean;
  /** The fault for this request. */
  faultOf(kind: RequestKind, asked: Asked): Fault | undefined;
  /**
   * Addresses in answers to redirect through a proxy: [original, replacement]. Without it, an
   * answer without a fault is passed on as it arrives.
   */
  addresses?(): readonly (readonly [from: string, to: string])[];
  /**
   * Bytes of outputs that the provider stores at a separate address, which `addresses` redirects
   * here.
   */
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
  // Sockets (ComfyUI's progress) pass unchanged.
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

/** Reports the served bytes once the socket is finished. */
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

/** Passes the request on unchanged, including its headers, which may be covered by a signature. */
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

/** Passes each byte as it arrives; a disconnect on either side is passed on to the other. */
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

/** Only in text; a picture's bytes stay unchanged. */
function withAddresses(
  { headers, body }: WholeAnswer,
  addresses: readonly (readonly [from: string, to: string])[],
): Buffer {
  if (!/json|text/.test(String(headers["content-type"] ?? ""))) return body;
  return Buffer.from(
    addresses.reduce((text, [from, to]) => text.replaceAll(from, to), body.toString()),
  );
}

/** Sends the unchanged answer with its length. */
export function sendWhole({ status, headers, body }: WholeAnswer, response: ServerResponse): void {
  response.writeHead(status, { ...headers, "content-length": body.length }).end(body);
}
