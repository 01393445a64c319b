import type { Context, Next } from "hono";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { listOptionsOfKind } from "#store/models/connections.ts";
import type { ServerDeps } from "../../deps.ts";
import type { Env } from "../../env.ts";
import { falKind } from "./models.ts";

const askedHeader =
  /^(authorization|content-type|accept|idempotency-key|range|x-fal-[a-z-]{1,60})$/;
const shownHeaders =
  "x-fal-request-id, x-fal-billable-units, retry-after, content-length, content-range, etag";

/**
 * Cross-origin requests (fetch.spec.whatwg.org, "CORS protocol") for apps whose origin an admin has named on a fal connection of the
 * instance. They send a key: a browser is never allowed to send our cookies along.
 */
export function createAppOrigins(deps: Pick<ServerDeps, "store">) {
  async function isNamed(origin: string): Promise<boolean> {
    const named = (await listOptionsOfKind(deps.store.read, falKind)).flatMap(({ appOrigins }) =>
      typeof appOrigins === "string" ? appOrigins.split(",") : [],
    );
    return named.some((one) => URL.canParse(one.trim()) && new URL(one.trim()).origin === origin);
  }

  return async function allowNamed(c: Context<Env>, next: Next): Promise<Response | undefined> {
    const origin = c.req.header("origin");
    const isAllowed = origin !== undefined && (await isNamed(origin));
    if (c.req.method === "OPTIONS") {
      if (!isAllowed)
        throw new Problem("forbidden", {
          message: sentences.fal.originNotAllowed,
        });
      const asked = (c.req.header("access-control-request-headers") ?? "")
        .split(",")
        .map((name) => name.trim().toLowerCase());
      return c.body(null, 204, {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": "GET, POST, PUT",
        "access-control-allow-headers": asked.filter((name) => askedHeader.test(name)).join(", "),
        "access-control-max-age": "600",
        vary: "origin",
      });
    }
    const headers: Record<string, string> = {
      vary: "origin",
      ...(isAllowed && {
        "access-control-allow-origin": origin,
        "access-control-expose-headers": shownHeaders,
      }),
    };
    // An event stream is written past Hono.
    for (const [name, value] of Object.entries(headers)) c.env.outgoing.setHeader(name, value);
    await next();
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
    return undefined;
  };
}
