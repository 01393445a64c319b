import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createGates } from "./kit/behaviour.ts";
import { resultOf, type SimulatedTool, simulatedTools } from "./mcp/tools.ts";
import {
  type ClientMessage,
  type ClientResponse,
  clientMessage,
  protocolVersion,
} from "./mcp/wire.ts";

/** The behavior of the next tool call. `gate`: the call has run, and its answer waits there. */
export type McpBehaviour = {
  fault?:
    | { kind: "reset" | "no-result" | "html" | "forget" }
    | { kind: "status"; status: number }
    | { kind: "error"; code: number; message: string };
  gate?: string;
  /** As an event stream, with progress before the result. */
  asEvents?: boolean | { message: string };
  /** Replaces the tool's result. */
  result?: object;
  /** The parameters of a question to the person, whose answer becomes the result's text. */
  asks?: object;
  /**
   * The question is canceled when this gate opens, and the tool continues without an answer, to
   * the other `gate`.
   */
  takesBackAt?: string;
};
/** A request for resources besides the endpoint: its metadata, its authorization server. */
export type HttpCall = {
  method: string;
  url: URL;
  headers: IncomingMessage["headers"];
  body: Buffer;
  response: ServerResponse;
};
type Session = { id: string; isReady: boolean };

/**
 * A strict tool server over streamable HTTP, implemented from the specification without the SDK
 * (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports). A wrong header or
 * message is refused.
 */
export async function startMcp(
  options: {
    key?: string;
    tools?: readonly SimulatedTool[];
    /** Two per page, so that the cursor is used. */
    pageSize?: number;
    /** The answer for a lost session; 404 by the specification. */
    lostSession?: 400;
    port?: number;
    isToken?(token: string): boolean;
    also?(call: HttpCall): boolean;
  } = {},
) {
  const calls: { name: string; arguments: Record<string, unknown>; isDone: boolean }[] = [];
  const refused: string[] = [];
  const cancelled: unknown[] = [];
  const notes: string[] = [];
  const scripts: McpBehaviour[] = [];
  const sessions = new Map<string, Session>();
  const gates = createGates();
  const questions = new Map<string | number, (answer: ClientResponse) => void>();
  let opened = 0;
  const tools = options.tools ?? simulatedTools;

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      refused.push(String(error));
      if (response.headersSent) response.destroy();
      else refuse(response, 500, String(error));
    });
  });
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function refuse(
    response: ServerResponse,
    status: number,
    message: string,
    headers: Record<string, string> = {},
  ): void {
    refused.push(`${status} ${message}`);
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message } }));
  }

  /** The session named by the headers, or the error in them. */
  function sessionOf({ headers }: IncomingMessage, response: ServerResponse): Session | undefined {
    const id = headers["mcp-session-id"];
    if (typeof id !== "string") return void refuse(response, 400, "Mcp-Session-Id is missing");
    if (headers["mcp-protocol-version"] !== protocolVersion)
      return void refuse(response, 400, "MCP-Protocol-Version is missing or wrong");
    const session = sessions.get(id);
    if (session) return session;
    // The answer after a restart of a server made from the official SDK's examples.
    if (options.lostSession === 400)
      return void refuse(response, 400, "Bad Request: No valid session ID provided");
    return void refuse(response, 404, "Session not found");
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readAll(request);
    if (
      options.also?.({
        method: request.method ?? "GET",
        url: new URL(request.url ?? "/", origin),
        headers: request.headers,
        body,
        response,
      })
    )
      return;
    if (new URL(request.url ?? "/", origin).pathname !== "/mcp")
      return refuse(response, 404, "no such path");
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1];
    const isLetIn = options.isToken
      ? token !== undefined && options.isToken(token)
      : !options.key || token === options.key;
    const challenge = options.isToken && {
      "www-authenticate": `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
    };
    if (!isLetIn) return refuse(response, 401, "who are you?", challenge || {});
    if (request.method === "DELETE") {
      const session = sessionOf(request, response);
      if (session) sessions.delete(session.id);
      if (session) response.writeHead(200).end();
      return;
    }
    if (request.method !== "POST")
      return void response.writeHead(405, { allow: "POST, DELETE" }).end();
    const accepted = (request.headers.accept ?? "").split(",").map((type) => type.trim());
    if (!accepted.includes("application/json") || !accepted.includes("text/event-stream"))
      return refuse(response, 406, "Accept both types");
    if (request.headers["content-type"] !== "application/json")
      return refuse(response, 415, "Send JSON");
    const message = clientMessage.safeParse(JSON.parse(body.toString()));
    if (!message.success) return refuse(response, 400, message.error.message);
    if (!("method" in message.data)) {
      if (!sessionOf(request, response)) return;
      const waiting = questions.get(message.data.id);
      if (!waiting) return refuse(response, 400, "No such question");
      questions.delete(message.data.id);
      waiting(message.data);
      return void response.writeHead(202).end();
    }
    await answer(message.data, request, response);
  }

  async function answer(
    message: ClientMessage,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (message.method === "initialize") {
      if (request.headers["mcp-session-id"] !== undefined)
        return refuse(response, 400, "A handshake has no session");
      const session: Session = { id: randomUUID(), isReady: false };
      sessions.set(session.id, session);
      opened++;
      const serverInfo = { name: "notebook", version: "2.1" };
      const result = { protocolVersion, capabilities: { tools: {} }, serverInfo };
      return reply(response, message.id, { result }, { "mcp-session-id": session.id });
    }
    const session = sessionOf(request, response);
    if (!session) return;
    if (message.method === "notifications/initialized") session.isReady = true;
    if (message.method === "notifications/cancelled") cancelled.push(message.params.requestId);
    if (!("id" in message)) return void response.writeHead(202).end();
    if (!session.isReady) return refuse(response, 400, "The session is not initialized");
    if (message.method === "ping") return reply(response, message.id, { result: {} });
    if (message.method === "tools/list") return listTools(message, response);
    await callTool(message, session, response);
  }

  function listTools(
    message: Extract<ClientMessage, { method: "tools/list" }>,
    response: ServerResponse,
  ): void {
    const from = Number(message.params?.cursor ?? 0);
    const next = from + (options.pageSize ?? 2);
    reply(response, message.id, {
      result: {
        tools: tools.slice(from, next),
        ...(next < tools.length && { nextCursor: String(next) }),
      },
    });
  }

  async function callTool(
    { id, params }: Extract<ClientMessage, { method: "tools/call" }>,
    session: Session,
    response: ServerResponse,
  ): Promise<void> {
    const { fault, gate, asEvents, result, asks, takesBackAt } = scripts.shift() ?? {};
    const call = { name: params.name, arguments: params.arguments ?? {}, isDone: false };
    if (fault?.kind === "forget") {
      sessions.delete(session.id);
      return refuse(response, 404, "Session not found");
    }
    calls.push(call);
    if (fault?.kind === "status")
      return refuse(response, fault.status, `Simulated ${fault.status}`);
    if (fault?.kind === "error")
      return reply(response, id, { error: { code: fault.code, message: fault.message } });
    if (!tools.some(({ name }) => name === params.name))
      return reply(response, id, { error: { code: -32602, message: "Unknown tool" } });
    if (asks) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const questionId = randomUUID();
      const answered = new Promise<ClientResponse>((resolve) => questions.set(questionId, resolve));
      event(response, {
        jsonrpc: "2.0",
        id: questionId,
        method: "elicitation/create",
        params: asks,
      });
      const takenBack = takesBackAt === undefined ? undefined : gates.wait(takesBackAt);
      const said = await Promise.race([answered, ...(takenBack ? [takenBack] : [])]);
      if (!said)
        event(response, {
          jsonrpc: "2.0",
          method: "notifications/cancelled",
          params: { requestId: questionId },
        });
      if (gate) await gates.wait(gate);
      const text = said
        ? JSON.stringify("result" in said ? said.result : said.error)
        : "It went on without an answer.";
      call.isDone = true;
      event(response, { jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } });
      return void response.end();
    }
    const given = result ?? resultOf(params.name, call.arguments, notes);
    call.isDone = true;
    if (gate) await gates.wait(gate);
    if (fault?.kind === "reset") return void response.socket?.resetAndDestroy();
    if (fault?.kind === "html")
      return void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Portal</h1>");
    if (!asEvents && fault?.kind !== "no-result") return reply(response, id, { result: given });
    response.writeHead(200, { "content-type": "text/event-stream" });
    const progressToken = params._meta?.progressToken;
    if (progressToken !== undefined)
      event(response, {
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: {
          progressToken,
          progress: 1,
          ...(typeof asEvents === "object" ? asEvents : { total: 2 }),
        },
      });
    if (fault?.kind !== "no-result") event(response, { jsonrpc: "2.0", id, result: given });
    response.end();
  }

  return {
    origin,
    url: `${origin}/mcp`,
    /** Each received tool call, in order; `isDone` once the tool has run. */
    calls,
    /** Every violation of the protocol. */
    refused,
    cancelled,
    notes,
    sessions: () => ({ open: sessions.size, opened }),
    /** Acts like a restarted process. */
    restart: () => sessions.clear(),
    script: (next: McpBehaviour) => void scripts.push(next),
    open: gates.open,
    reached: gates.reached,
    async stop() {
      gates.openAll();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
export type Mcp = Awaited<ReturnType<typeof startMcp>>;

const reply = (
  response: ServerResponse,
  id: string | number,
  body: object,
  headers: Record<string, string> = {},
): void =>
  void response
    .writeHead(200, { "content-type": "application/json", ...headers })
    .end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));

const event = (response: ServerResponse, message: object): void =>
  void response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
