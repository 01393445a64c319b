import type { Tool } from "@modelcontextprotocol/client";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
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
import { callInHand } from "./call-in-hand.ts";
import { toToolError } from "./errors.ts";
import { asksForSignIn, mcpKind } from "./kind.ts";
import { answerEnded, closeSessions, LastOutput, type Session, withSession } from "./session.ts";
import { beginSignIn, finishSignIn, requireSignIn } from "./sign-in.ts";
import { readResult, sortTools, toModel, toRunResult } from "./tools.ts";

/** What kind.ts declares, done. */
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

/** Only the manager who checks a program may read its output, because a program may print its own command line. */
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

async function inSession<T>(
  context: CallContext,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  return withSession(context, use).catch(async (error) => {
    throw await toToolError(error, context, false);
  });
}

async function listTools({ client }: Session, { signal }: CallContext): Promise<Tool[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  return (await client.listTools(undefined, { signal })).tools;
}

/** One tool call. Nothing is reported before its result: the effect of a broken call is unknown. */
async function* answerCall(request: RunRequest, context: RunContext): AsyncGenerator<AnswerPart> {
  const result = readResult(
    await callTool(request.model.id, request.input, context),
    request.model.id,
  );
  for (const output of result.files) yield { type: "file", output };
  yield { type: "finish", reason: "stop", usage: {}, result: toRunResult(result) };
}

async function callTool(name: string, input: JsonObject, context: RunContext) {
  let isSent = false;
  return withSession(context, async (session) => {
    const ended = new AbortController();
    const call = {
      fetch: context.fetch,
      markSent: () => context.markSent?.(),
      onAnswerEnd: () => ended.abort(answerEnded()),
    };
    const signal = AbortSignal.any([context.signal, ended.signal]);
    isSent = true;
    try {
      return await callInHand.run(call, () =>
        session.client.callTool(
          { name, arguments: input },
          {
            signal,
            timeout: limits.toolSilenceMs,
            maxTotalTimeout: limits.toolMostMs,
            resetTimeoutOnProgress: true,
            onprogress: () => undefined,
          },
        ),
      );
    } catch (error) {
      const known =
        ended.signal.aborted && !context.signal.aborted
          ? ended.signal.reason
          : await toToolError(error, context, true);
      session.isBroken ||=
        (known as { detail?: { httpStatus?: number } } | null)?.detail?.httpStatus === 404;
      throw known;
    }
  }).catch(async (error) => {
    throw isSent ? error : await toToolError(error, context, false);
  });
}
