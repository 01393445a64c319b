import { createHash } from "node:crypto";
import type {
  Client,
  JsonSchemaValidator,
  jsonSchemaValidator,
  Transport,
} from "@modelcontextprotocol/client";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";
import { callInHand, type ToolCallInHand } from "./call-in-hand.ts";
import { createHttpTransport } from "./http.ts";
import { createProgramTransport } from "./program.ts";

export type Session = {
  client: Client;
  transport: Transport;
  uses: number;
  /** Calls waiting for a result. */
  calls: Set<ToolCallInHand>;
  isBroken: boolean;
  timer: NodeJS.Timeout | null;
};

const connectMs = 20_000;
const closeMs = 5_000;
/**
 * Sessions by connection and all parameters they were opened with: another key or URL means another
 * session.
 */
const sessions = new Map<string, Promise<Session>>();

/**
 * Uses the session with this connection's server, which stays open for the next call. Nothing loads
 * before the first.
 * @throws the error of `use`, or of opening the session
 */
export async function withSession<T>(
  context: CallContext,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const key = keyOf(context);
  const opening = sessions.get(key) ?? openSession(context, key);
  sessions.set(key, opening);
  opening.catch(() => sessions.get(key) === opening && sessions.delete(key));
  const session = await untilAborted(opening, context.signal);
  session.uses++;
  clearTimeout(session.timer ?? undefined);
  try {
    return await use(session);
  } finally {
    session.uses--;
    if (session.uses === 0) {
      const isOld = session.isBroken || sessions.get(key) !== opening;
      session.timer = setTimeout(
        () => void end(key, opening),
        isOld ? 0 : limits.toolSessionIdleMs,
      ).unref();
    }
    if (session.isBroken && sessions.get(key) === opening) sessions.delete(key);
  }
}

/** Others may wait for the same session, so a caller that stops waiting doesn't end it. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  return Promise.race([promise, aborted.promise]).finally(() =>
    signal.removeEventListener("abort", onAbort),
  );
}

const keyOf = ({ connection: { id, addresses, options, secret } }: CallContext): string =>
  createHash("sha256")
    .update(JSON.stringify([id, addresses, options, secret]))
    .digest("hex");

async function openSession(context: CallContext, key: string): Promise<Session> {
  const sdk = await import("@modelcontextprotocol/client");
  const program =
    context.connection.options.reach === "program"
      ? await createProgramTransport(context)
      : undefined;
  const transport = program?.transport ?? createHttpTransport(sdk, context);
  watchCalls(transport, program !== undefined);
  // The server's own schemas validate nothing here: its results are untrusted in any declared form.
  const jsonSchemaValidator: jsonSchemaValidator = {
    getValidator: <T>() =>
      ((input) => ({
        valid: true,
        data: input as T,
        errorMessage: undefined,
      })) as JsonSchemaValidator<T>,
  };
  const client = new sdk.Client(
    { name: "bottega", title: "Bottega", version: "1" },
    { jsonSchemaValidator, listMaxPages: 20, capabilities: { elicitation: { form: {} } } },
  );
  const session: Session = {
    client,
    transport,
    uses: 0,
    calls: new Set(),
    isBroken: false,
    timer: null,
  };
  client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) => {
    // Over HTTP a question arrives in the response to its call. A program's question may belong to
    // any call, so it is unambiguous only if there is one.
    const [only, ...others] = session.calls;
    const call = callInHand.getStore() ?? (others.length === 0 ? only : undefined);
    return call?.ask(params, mcpReq.signal) ?? { action: "cancel" };
  });
  client.onclose = () => {
    session.isBroken = true;
    sessions.delete(key);
  };
  // Messages outside of responses fail no call; a call's own failure reaches the call.
  client.onerror = () => undefined;
  try {
    await client.connect(transport, { timeout: connectMs });
    readFewTools(transport);
  } catch (error) {
    await client.close().catch(() => undefined);
    throw program ? notStarted(error, program.lastWords()) : error;
  }
  return session;
}

/** A program's output before it failed, shown only to its admin. */
export class LastOutput extends Error {
  override readonly name = "LastOutput";
}

function notStarted(error: unknown, lastWords: string): ProviderError {
  const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
  const message = isMissing ? sentences.tools.programNotFound : sentences.tools.programNotMcp;
  return new ProviderError(
    "provider_unreachable",
    "no",
    { message },
    { cause: new LastOutput(lastWords) },
  );
}

/**
 * Reports that a call was sent, if no fetch does, and that no result will arrive: the SDK would
 * wait for its timeout even after the server has ended its response.
 */
function watchCalls(transport: Transport, isProgram: boolean): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const call = callInHand.getStore();
    const isCall = call !== undefined && "method" in message && message.method === "tools/call";
    if (isCall && isProgram) call.markSent();
    return send(message, isCall ? { ...options, onRequestStreamEnd: call.onAnswerEnd } : options);
  };
}

/**
 * Passes on only as many tools of a page as are used, because the SDK validates all of them
 * synchronously.
 */
function readFewTools(transport: Transport): void {
  const take = transport.onmessage;
  transport.onmessage = (message, extra) => {
    const { tools } = ("result" in message ? message.result : {}) as { tools?: unknown };
    if (Array.isArray(tools) && tools.length > limits.toolsRead)
      tools.length = limits.toolsRead + 1;
    take?.(message, extra);
  };
}

async function end(key: string, opening: Promise<Session>): Promise<void> {
  const session = await opening.catch(() => undefined);
  if (!session || session.uses > 0) return;
  if (sessions.get(key) === opening) sessions.delete(key);
  const { client, transport } = session;
  const terminated =
    "terminateSession" in transport
      ? (transport.terminateSession as () => Promise<void>)()
      : undefined;
  await Promise.race([
    terminated,
    new Promise((resolve) => setTimeout(resolve, closeMs).unref()),
  ]).catch(() => undefined);
  await client.close().catch(() => undefined);
}

/** Ends every session, and the programs that belong to them. */
export async function closeSessions(): Promise<void> {
  const open = [...sessions];
  sessions.clear();
  await Promise.all(
    open.map(async ([key, opening]) => {
      const session = await opening.catch(() => undefined);
      if (!session) return;
      clearTimeout(session.timer ?? undefined);
      session.uses = 0;
      await end(key, opening);
    }),
  );
}

/** The error for a result that can't arrive any more. */
export const answerEnded = (): ProviderError =>
  new ProviderError("provider_interrupted", "unknown", {
    message: sentences.tools.noResult,
  });
