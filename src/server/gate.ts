import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono } from "hono";
import { routePath } from "hono/route";
import type { z } from "zod";
import { errors, Problem, toProblemBody } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { Route } from "#contract/route.ts";
import { type RouteOutput, type RouteParsed, type RouteSchemas, schemas } from "#contract/routes/index.schemas.ts";
import { type RouteName, routes } from "#contract/routes/index.ts";
import { scopesOfRoutes } from "#contract/routes/scopes.ts";
import { cleanJson } from "#domain/clean-json.ts";
import { type Actor, decide, hasNeededScope, type Scope } from "#domain/policy.ts";
import { problemOf } from "#engine/persist.ts";
import { findScope } from "#store/scopes.ts";
import { readBearer } from "./auth/bearer.ts";
import { actorOf, identify, type SignedIn } from "./auth/identify.ts";
import { networkOf, type RateLimit } from "./auth/rate-limit.ts";
import type { ServerDeps } from "./deps.ts";
import { answerFalError } from "./fal/errors.ts";
import { type Line, readLine } from "./line.ts";
import { answerOpenAiError } from "./openai/errors.ts";

/** `arrivedAt`: when the request's headers were read, by the monotonic clock. */
export type Env = { Bindings: HttpBindings; Variables: { requestId: string; arrivedAt: number } };
/** What a handler gets: who asks, what the policy found, the parsed input. It decides nothing about rights any more. */
export type Call<N extends RouteName> = {
  me: SignedIn;
  actor: Actor;
  scope: Scope;
  params: RouteParsed<N, "params">;
  query: RouteParsed<N, "query">;
  body: RouteParsed<N, "body">;
  line: Line;
  c: Context<Env>;
};
export type Handler<N extends RouteName> = (
  call: Call<N>,
) => Promise<RouteOutput<N> extends undefined ? Response : RouteOutput<N> | Response>;
/** Counted by address for who signs in, and by key. */
export type Rates = { signIn: RateLimit; key: RateLimit };
export type Handlers<N extends RouteName> = { [K in N]: Handler<K> };

/** Registers every route of the contract: line, identity, policy, input, handler, answer, in that order. */
export function registerRoutes(app: Hono<Env>, deps: ServerDeps, handlers: Handlers<RouteName>, rates: Rates): void {
  // Fixed paths before parameters: /assets/counts is no asset's id.
  const names = (Object.keys(routes) as RouteName[]).sort(
    (a, b) => Number(routes[a].path.includes(":")) - Number(routes[b].path.includes(":")),
  );
  for (const name of names) {
    const route: Route = routes[name];
    const takesKey = acceptsKey(schemas[name]);
    app.on(route.method, route.isDeep ? `${route.path}{.+}` : route.path, async (c) => {
      const line = readLine(c.env.incoming, deps.settings);
      if (route.rate === "sign-in") rates.signIn.hit(networkOf(line.address));
      if (route.signedOut && readBearer(c.req.raw.headers) === undefined && !(await identifyLine(deps, c, line)))
        return c.redirect(route.signedOut, 303);
      const me = route.permission === "public" ? undefined : await whoAsks(deps, c, line, rates.key);
      const actor = me && actorOf(me);
      if (actor && !hasNeededScope(actor, scopesOfRoutes[name])) throw new Problem("forbidden", { message: beyondKey(name) });
      const input = await readInput(c, route, schemas[name], takesKey);
      const scope = await authorize(deps, route, actor, input);
      const handler = handlers[name] as Handler<RouteName>;
      const answer = await handler({ me, actor, scope, line, c, ...input } as Call<RouteName>);
      return answer instanceof Response ? answer : c.json(answer as object);
    });
  }
}

/** @throws Problem not_signed_in; rate_limited for a key that asks too often */
async function whoAsks(deps: ServerDeps, c: Context<Env>, line: Line, keyRate: RateLimit): Promise<SignedIn> {
  const { headers } = c.req.raw;
  const me = await identifyLine(deps, c, line);
  if (!me && readBearer(headers) !== undefined) throw new Problem("not_signed_in", keyRefused);
  if (!me) throw new Problem("not_signed_in");
  if (me.key) keyRate.hit(me.key.id, me.key.ratePerMinute);
  return me;
}

const identifyLine = (deps: ServerDeps, c: Context<Env>, { encrypted }: Line) => identify(deps, { headers: c.req.raw.headers, encrypted });

const keyNeeded = {
  message: "Send an API key here, as “Authorization: Bearer …”.",
  advice: "Make one under Settings, API keys.",
};
const keyRefused = {
  message: "This is no API key of this Bottega, or it does not work any more: revoked, expired, or its person or project is not active.",
  advice: "Make a key under Settings, API keys, and send it as “Authorization: Bearer …”.",
};

function beyondKey(name: RouteName): string {
  const needed = scopesOfRoutes[name];
  return typeof needed === "string" ? "This can't be done with an API key." : `This API key lacks the scope ${needed.join(" or ")}.`;
}

type Input = { params: unknown; query: unknown; body: unknown };

async function readInput(c: Context<Env>, route: Route, schema: RouteSchemas, takesKey: boolean): Promise<Input> {
  const params = schema.params ? parseAddress(schema.params, cleanJson(c.req.param())) : undefined;
  const query = schema.query ? parse(schema.query, cleanJson(c.req.query()), "") : undefined;
  const most = route.body === "large" ? limits.apiBodyBytes : limits.jsonBodyBytes;
  const body = schema.body
    ? parse(schema.body, takesKey ? withKey(await readBody(c, most), c.req.header("idempotency-key")) : await readBody(c, most), "")
    : undefined;
  if (
    !schema.body &&
    route.body !== "bytes" &&
    route.method !== "GET" &&
    Number(c.req.header("content-length") ?? 0) > limits.jsonBodyBytes
  )
    throw new Problem("too_large");
  return { params, query, body };
}

const readBody = async (c: Context<Env>, mostBytes: number): Promise<unknown> => cleanJson(await readJson(c, mostBytes));

/** Whether a body may carry a key: its schema finds fault with the key's type and not with its name. */
const acceptsKey = (schema: RouteSchemas): boolean =>
  schema.body?.safeParse({ idempotencyKey: 1 }).error?.issues.some((issue) => issue.path[0] === "idempotencyKey") ?? false;

/** A body says its key itself; else the header that programs know says it (draft-ietf-httpapi-idempotency-key-header). */
function withKey(body: unknown, key: string | undefined): unknown {
  if (key === undefined || typeof body !== "object" || body === null || "idempotencyKey" in body) return body;
  return { ...body, idempotencyKey: key };
}

/** What can't be an address of ours is one where nothing is. */
function parseAddress(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new Problem("not_found");
  return parsed.data;
}

function parse(schema: z.ZodType, value: unknown, at: string): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  // What is not known is named as well.
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const field = [at, ...(issue?.path ?? []), ...unknown].filter((part) => part !== "").join(".");
  throw new Problem("invalid_input", { message: `${field ? `${field}: ` : ""}${issue?.message ?? "not valid"}`, ...(field && { field }) });
}

/** @throws Problem unsupported_media, too_large, invalid_input */
async function readJson(c: Context<Env>, mostBytes: number): Promise<unknown> {
  const length = Number(c.req.header("content-length") ?? 0);
  if (length > mostBytes)
    throw new Problem("too_large", {
      message: `This is more than ${mostBytes / 1024 ** 2} MB of text. Attach it as a file instead.`,
    });
  const text = await readText(c.req.raw, mostBytes);
  if (text === "") return {};
  // A form of another site can send text without asking; JSON it can't.
  if (!/^application\/json\b/i.test(c.req.header("content-type") ?? "")) throw new Problem("unsupported_media", { message: "Send JSON." });
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem("invalid_input", { message: "This is not valid JSON." });
  }
}

async function readText(request: Request, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new Problem("too_large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

async function authorize(deps: ServerDeps, route: Route, actor: Actor | undefined, input: Input): Promise<Scope> {
  if (route.target?.from === "key" && !actor?.key) throw new Problem("not_signed_in", keyNeeded);
  const scope =
    route.target && actor ? await findScope(deps.store.read, route.target.kind, targetId(route.target, input, actor), actor.userId) : {};
  const verdict = decide(actor, route.permission, scope);
  if (verdict === "signed-out") throw new Problem("not_signed_in");
  if (verdict === "hidden") throw new Problem("not_found");
  if (verdict === "refused") throw new Problem("forbidden");
  return scope;
}

function targetId(target: NonNullable<Route["target"]>, input: Input, { key }: Actor): string {
  if (target.from === "key") return key?.projectId ?? "";
  if (target.from === "query-or-key") {
    const named = (input.query as Record<string, string | undefined>)[target.name] ?? key?.projectId;
    if (named === undefined) throw new Problem("invalid_input", { field: target.name, message: "Name the project, as projectId=…" });
    return named;
  }
  const from = { param: input.params, query: input.query, body: input.body }[target.from] as Record<string, unknown>;
  return String(from[target.name]);
}

/** The one place that answers an error. What was not thrown on purpose is `internal`, with an id that is also in the log. */
export function answerError(deps: Pick<ServerDeps, "log" | "ids">, c: Context<Env>, error: unknown): Response {
  const problem = problemOf(error);
  const isOpenAi = c.req.path.startsWith("/v1/");
  const id = errors[problem.code].status >= 500 ? deps.ids() : undefined;
  // The route's pattern: the path itself may hold a one-time token.
  if (id) deps.log.error({ id, method: c.req.method, path: routePath(c), error: describe(problem) }, "a request failed");
  if (isOpenAi) return answerOpenAiError(c, problem, { id });
  if (c.req.path.startsWith("/api/fal/")) return answerFalError(c, problem, { id });
  const body = { ...toProblemBody(problem), ...(id && { id }) };
  const retryAfterMs = problem.detail.retryAfterMs;
  return c.json(body, body.status as 500, {
    "content-type": "application/problem+json",
    "cache-control": "no-store",
    ...(retryAfterMs && { "retry-after": String(Math.ceil(retryAfterMs / 1000)) }),
  });
}

function describe(problem: Problem): string {
  let cause: Error = problem;
  while (cause.cause instanceof Error) cause = cause.cause;
  return cause.stack ?? cause.message;
}
