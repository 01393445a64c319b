import type { Context, Next } from "hono";
import type { ServerDeps } from "../../deps.ts";
import type { Env } from "../../env.ts";
import { isAnthropicCall } from "../anthropic/errors.ts";

/**
 * Names every answer in the header that the official clients read: OpenAI's `x-request-id`,
 * Anthropic's `request-id`. An answer with a run has the run's ID instead. The headers are set on
 * the raw response, because event streams bypass Hono.
 */
export const createRequestIds =
  ({ ids }: Pick<ServerDeps, "ids">) =>
  async (c: Context<Env>, next: Next): Promise<void> => {
    const id = ids();
    c.set("requestId", id);
    for (const name of requestIdHeaders(c)) c.env.outgoing.setHeader(name, id);
    await next();
  };

const requestIdHeaders = (c: Context): readonly string[] =>
  isAnthropicCall(c) ? ["x-request-id", "request-id"] : ["x-request-id"];
