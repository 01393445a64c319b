import type { Context, Next } from "hono";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { ServerDeps } from "../../deps.ts";
import type { Env } from "../../env.ts";

/** The rights of pages on other origins in one API. */
export type CrossOriginAccess = {
  methods: string;
  /** Headers that a page may send. */
  asked: RegExp;
  /** Headers that a page may read. */
  shown: string;
  /** Origins in addition to those of the server's settings. */
  named?: () => Promise<readonly string[]>;
};

const originOf = (text: string): string | undefined =>
  URL.canParse(text.trim()) ? new URL(text.trim()).origin : undefined;

/**
 * Handles cross-origin requests (fetch.spec.whatwg.org, "CORS protocol") for apps with an exactly
 * listed origin, and for no others. They authenticate with a key: browsers are never allowed to
 * send our cookies along.
 */
export function createAppOrigins(
  { settings }: Pick<ServerDeps, "settings">,
  { methods, asked, shown, named }: CrossOriginAccess,
) {
  async function isNamed(origin: string): Promise<boolean> {
    const all = [...settings.appOrigins, ...((await named?.()) ?? [])];
    return all.some((one) => originOf(one) === origin);
  }

  return async function allowNamed(c: Context<Env>, next: Next): Promise<Response | undefined> {
    const origin = c.req.header("origin");
    const isAllowed = origin !== undefined && (await isNamed(origin));
    if (c.req.method === "OPTIONS") {
      if (!isAllowed)
        throw new Problem("forbidden", {
          message: sentences.access.originNotAllowed,
        });
      const wanted = (c.req.header("access-control-request-headers") ?? "")
        .split(",")
        .map((name) => name.trim().toLowerCase());
      return c.body(null, 204, {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": methods,
        "access-control-allow-headers": wanted.filter((name) => asked.test(name)).join(", "),
        "access-control-max-age": "600",
        vary: "origin",
      });
    }
    const headers: Record<string, string> = {
      vary: "origin",
      ...(isAllowed && {
        "access-control-allow-origin": origin,
        "access-control-expose-headers": shown,
      }),
    };
    // Event streams bypass Hono's response.
    for (const [name, value] of Object.entries(headers)) c.env.outgoing.setHeader(name, value);
    await next();
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
    return undefined;
  };
}

/** Settings for OpenAI's and Anthropic's clients in a browser. */
export const programsDoor: CrossOriginAccess = {
  methods: "GET, POST, DELETE",
  asked:
    /^(authorization|x-api-key|content-type|accept|idempotency-key|last-event-id|(?:anthropic|openai|x-stainless|x-bottega)-[a-z-]{1,60})$/,
  shown:
    "x-request-id, request-id, retry-after, retry-after-ms, x-should-retry, x-bottega-dropped, x-ratelimit-limit-requests, x-ratelimit-remaining-requests, x-ratelimit-reset-requests",
};
