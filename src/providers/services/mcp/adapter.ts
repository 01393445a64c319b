import type { Progress, Tool } from "@modelcontextprotocol/client";
import { cleanText } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  type Adapter,
  type AnswerPart,
  type CallContext,
  type ModelFacts,
  ProviderError,
  type RunContext,
  type RunRequest,
} from "../../adapter.ts";
import { redact } from "../../wire/error-fields.ts";
import { callInHand, type ToolCallInHand } from "./call-in-hand.ts";
import { askFor } from "./elicitation.ts";
import { toToolError } from "./errors.ts";
import { asksForSignIn, mcpKind } from "./kind.ts";
import { answerEnded, closeSessions, LastOutput, type Session, withSession } from "./session.ts";
import { beginSignIn, finishSignIn, requireSignIn } from "./sign-in.ts";
import { readResult, sortTools, toModel, toRunResult } from "./tools.ts";

/** Implements the declaration in kind.ts. */
export const mcp: Adapter = {
  ...mcpKind,
  async check(context) {
    if (asksForSignIn(context)) await requireSignIn(context);
    return withLastOutput(context, () =>
      inSession(context, async (session) => {
        const { offered, leftOut } = sortTools(await listTools(session, context));
        const { name = "The server", version = "" } = session.client.getServerVersion() ?? {};
        const tools = offered.length === 1 ? "1 tool" : `${offered.length} tools`;
        return {
          message: [`${`${name} ${version}`.trim().slice(0, 100)}: ${tools}.`, leftOut]
            .filter(Boolean)
            .join(" "),
        };
      }),
    );
  },
  async *models(context): AsyncGenerator<ModelFacts[]> {
    const tools = await inSession(context, (session) => listTools(session, context));
    yield sortTools(tools).offered.map((tool) => toModel(tool, context.clock.now()));
  },
  answer: answerCall,
  signIn: { begin: beginSignIn, finish: finishSignIn },
  close: closeSessions,
};

/**
 * Only the manager who checks a program may read its output, because a program may print its own
 * command line.
 */
async function withLastOutput<T>({ connection }: CallContext, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    const words =
      error instanceof ProviderError && error.cause instanceof LastOutput
        ? redact(error.cause.message, connection.secret)
        : "";
    if (!(error instanceof ProviderError) || !words) throw error;
    throw new ProviderError(error.code, error.accepted, error.detail, {
      cause: error,
      aside: `It wrote: ${words}`,
    });
  }
}

/**
 * Makes a request without effects: if the server has lost the session, it is repeated in a new one.
 */
async function inSession<T>(
  context: CallContext,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const ask = () =>
    withSession(context, async (session) =>
      use(session).catch(async (error) => {
        throw endIfForgotten(session, await toToolError(error, context, "question"));
      }),
    ).catch(async (error) => {
      throw await toToolError(error, context, "opening");
    });
  return ask().catch((error) => {
    if (!isForgotten(error)) throw error;
    return ask();
  });
}

const isForgotten = (error: unknown): boolean =>
  error instanceof ProviderError && error.detail.forgotten === true;

/** The next use opens a new session. */
function endIfForgotten(session: Session, error: unknown): unknown {
  session.isBroken ||= isForgotten(error);
  return error;
}

async function listTools({ client }: Session, { signal }: CallContext): Promise<Tool[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  return (await client.listTools(undefined, { signal })).tools;
}

/**
 * Calls a tool once. Only progress is reported before the result: the effect of a broken call is
 * unknown.
 */
async function* answerCall(request: RunRequest, context: RunContext): AsyncGenerator<AnswerPart> {
  const parts: AnswerPart[] = [];
  let news = Promise.withResolvers<void>();
  let isOver = false;
  const calling = callTool(request.model.id, request.input, context, (progress) => {
    parts.push(toProgress(progress));
    news.resolve();
  }).finally(() => {
    isOver = true;
    news.resolve();
  });
  // Awaited below.
  calling.catch(() => undefined);
  while (!isOver) {
    await news.promise;
    news = Promise.withResolvers();
    yield* parts.splice(0);
  }
  const result = readResult(await calling, request.model.id);
  for (const output of result.files) yield { type: "file", output };
  yield { type: "finish", reason: "stop", usage: {}, result: toRunResult(result) };
}

/** Without a total there is no share to show, only the message. */
const toProgress = ({ progress, total, message }: Progress): AnswerPart => ({
  type: "progress",
  done: progress,
  total: total ?? 0,
  ...(message && { label: cleanText(message).slice(0, limits.nameCharacters) }),
});

async function callTool(
  name: string,
  input: JsonObject,
  context: RunContext,
  onProgress: (progress: Progress) => void,
) {
  let isSent = false;
  let hasBegun = false;
  return withSession(context, async (session) => {
    const ended = new AbortController();
    const silence = watchSilence(() => ended.abort(silentTooLong()));
    const call: ToolCallInHand = {
      fetch: context.fetch,
      markSent: () => context.markSent?.(),
      ask(params, withdrawn) {
        hasBegun = true;
        return silence.whilePaused(() => askFor(params, context, withdrawn));
      },
      onAnswerEnd: () => ended.abort(answerEnded()),
    };
    session.calls.add(call);
    const signal = AbortSignal.any([context.signal, ended.signal]);
    isSent = true;
    try {
      return await callInHand.run(call, () =>
        session.client.callTool(
          { name, arguments: input },
          {
            signal,
            // Silence is timed here: the client would also count the time a person takes to answer.
            timeout: limits.toolMostMs,
            onprogress: (progress) => {
              silence.end();
              hasBegun = true;
              onProgress(progress);
            },
          },
        ),
      );
    } catch (error) {
      const known =
        ended.signal.aborted && !context.signal.aborted
          ? ended.signal.reason
          : await toToolError(error, context, "call");
      throw endIfForgotten(session, hasBegun ? asBegun(known) : known);
    } finally {
      silence.stop();
      session.calls.delete(call);
    }
  }).catch(async (error) => {
    throw isSent ? error : await toToolError(error, context, "opening");
  });
}

/** A call that has reported progress or asked a question was accepted, whatever its error says. */
const asBegun = (error: unknown): unknown =>
  error instanceof ProviderError && error.accepted === "no"
    ? new ProviderError(error.code, "yes", error.detail, { cause: error })
    : error;

const silentTooLong = (): ProviderError =>
  new ProviderError("provider_timeout", "unknown", { message: sentences.tools.tooSlow });

/** Calls `onTooLong` when a server is silent for too long. */
function watchSilence(onTooLong: () => void) {
  let timer: NodeJS.Timeout | undefined;
  let pauses = 0;
  let isStopped = false;
  /** Call when the server has sent something. */
  const end = (): void => {
    clearTimeout(timer);
    if (pauses === 0 && !isStopped) timer = setTimeout(onTooLong, limits.toolSilenceMs);
  };
  end();
  return {
    end,
    /** Stops permanently, because a question may end after its call. */
    stop(): void {
      isStopped = true;
      clearTimeout(timer);
    },
    /** Suspends the timer during `work`. */
    async whilePaused<T>(work: () => Promise<T>): Promise<T> {
      pauses++;
      clearTimeout(timer);
      try {
        return await work();
      } finally {
        pauses--;
        end();
      }
    },
  };
}
