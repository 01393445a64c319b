import type { Context, Hono } from "hono";
import { routePath } from "hono/route";
import { z } from "zod";
import { errors, Problem, toProblemBody } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { Route, RouteRate } from "#contract/route.ts";
import { type RouteName, routes } from "#contract/routes/index.ts";
import { scopesOfRoutes } from "#contract/routes/scopes.ts";
import {
  type RouteOutput,
  type RouteParsed,
  type RouteSchemas,
  schemas,
} from "#contract/schemas/index.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type Actor, decide, hasNeededScope, type Scope } from "#domain/people/policy.ts";
import { cleanJson } from "#domain/schemas/clean-json.ts";
import { problemOf } from "#engine/persist.ts";
import { parseInput } from "#engine/threads/json/read-json.ts";
import { findScope } from "#store/people/scopes.ts";
import { readBearer } from "./auth/bearer.ts";
import { actorOf, identify, type SignedIn } from "./auth/identify.ts";
import { networkOf, type RateLimit } from "./auth/rate-limit.ts";
import { isForm, isJson, readBody } from "./body.ts";
import { type ClientConnection, readClientConnection } from "./client-connection.ts";
import type { ServerDeps } from "./deps.ts";
import { answerAnthropicError, isAnthropicCall } from "./doors/anthropic/errors.ts";
import { answerFalError } from "./doors/fal/errors.ts";
import { answerOpenAiError } from "./doors/openai/errors.ts";
import { setRateHeaders } from "./doors/programs/rate-headers.ts";
import type { Env } from "./env.ts";
import type { SentFiles } from "./files/sent-files.ts";

/**
 * The arguments of a handler: the actor, the scope found by the policy, and the parsed input. All
 * rights have been checked.
 */
export type Call<N extends RouteName> = {
  me: SignedIn;
  actor: Actor;
  scope: Scope;
  params: RouteParsed<N, "params">;
  query: RouteParsed<N, "query">;
  body: RouteParsed<N, "body">;
  line: ClientConnection;
  /** Files extracted from the body, kept until the handler is done. */
  files: SentFiles;
  c: Context<Env>;
};
type Handler<N extends RouteName> = (
  call: Call<N>,
) => Promise<RouteOutput<N> extends undefined ? Response : RouteOutput<N> | Response>;
/** By network address for public routes, otherwise by person and by key. */
export type Rates = Record<RouteRate | "person" | "key", RateLimit>;
export type Handlers<N extends RouteName> = { [K in N]: Handler<K> };

/**
 * Registers every route of the contract. Each request passes these steps in order: connection,
 * rate, identity, address, rights, body, handler, response.
 */
export function registerRoutes(
  app: Hono<Env>,
  deps: ServerDeps,
  handlers: Handlers<RouteName>,
  rates: Rates,
): void {
  // Fixed paths before parameters: in /assets/counts, "counts" isn't an asset's id.
  const names = (Object.keys(routes) as RouteName[]).sort(
    (a, b) => Number(routes[a].path.includes(":")) - Number(routes[b].path.includes(":")),
  );
  for (const name of names) {
    const route: Route = routes[name];
    const known = knownParameters(route, schemas[name]);
    app.on(route.method, route.isDeep ? `${route.path}{.+}` : route.path, async (c) => {
      const line = readClientConnection(c.env.incoming, deps.settings);
      if (route.rate) rates[route.rate].hit(networkOf(line.address));
      if (
        route.signedOut &&
        readBearer(c.req.raw.headers) === undefined &&
        !(await identifyLine(deps, c, line))
      )
        return c.redirect(route.signedOut, 303);
      const me = route.permission === "public" ? undefined : await whoAsks(deps, c, line, rates);
      const actor = me && actorOf(me);
      if (actor && !hasNeededScope(actor, scopesOfRoutes[name]))
        throw new Problem("forbidden", { message: beyondKey(name) });
      const address = readAddress(c, schemas[name], known);
      // Rights are checked before the body, unless only the body names the target.
      const isNamedInBody = route.target?.from === "body";
      let scope = isNamedInBody ? undefined : await authorize(deps, route, actor, address);
      const { body, files } = await readBodyOf(deps, c, name);
      try {
        const input = { ...address, body };
        scope ??= await authorize(deps, route, actor, input);
        const handler = handlers[name] as Handler<RouteName>;
        const answer = await handler({
          me,
          actor,
          scope,
          line,
          c,
          files,
          ...input,
        } as Call<RouteName>);
        return answer instanceof Response ? answer : c.json(answer as object);
      } finally {
        await files?.remove();
      }
    });
  }
}

/** @throws Problem not_signed_in; rate_limited for a person or key with too many requests */
async function whoAsks(
  deps: ServerDeps,
  c: Context<Env>,
  line: ClientConnection,
  rates: Rates,
): Promise<SignedIn> {
  const { headers } = c.req.raw;
  const me = await identifyLine(deps, c, line);
  if (!me && readBearer(headers) !== undefined) throw new Problem("not_signed_in", keyRefused);
  if (!me) throw new Problem("not_signed_in");
  if (me.key)
    try {
      rates.key.hit(me.key.id, me.key.ratePerMinute);
    } finally {
      if (c.req.path.startsWith("/v1/"))
        setRateHeaders(c.env.outgoing, rates.key.left(me.key.id, me.key.ratePerMinute));
    }
  else rates.person.hit(me.user.id);
  return me;
}

const identifyLine = (deps: ServerDeps, c: Context<Env>, { encrypted }: ClientConnection) =>
  identify(deps, { headers: c.req.raw.headers, encrypted });

const keyNeeded = {
  message: sentences.keys.needed,
  advice: sentences.keys.createOne,
};
const keyRefused = {
  message: sentences.keys.invalid,
  advice: sentences.keys.createAndSend,
};

function beyondKey(name: RouteName): string {
  const needed = scopesOfRoutes[name];
  return typeof needed === "string"
    ? sentences.keys.notByKey
    : sentences.keys.scopeMissing({ scope: needed.join(" or ") });
}

type Input = { params: unknown; query: unknown; body?: unknown };

/**
 * Returns a route's query parameters; undefined when unknown ones are accepted, as in the APIs that
 * imitate other services.
 */
function knownParameters(route: Route, { query }: RouteSchemas): ReadonlySet<string> | undefined {
  if (route.anyQuery || !route.path.startsWith("/api/")) return undefined;
  const shape = query instanceof z.ZodPipe ? query.in : query;
  if (shape !== undefined && !(shape instanceof z.ZodObject))
    throw new Error(`The query of ${route.path} is no object.`);
  return new Set(Object.keys(shape?.shape ?? {}));
}

/**
 * Rejects unknown parameters, because a misspelled filter would return rows that it should have
 * excluded.
 * @throws Problem invalid_input that names them
 */
function refuseUnknown(query: Record<string, string>, known: ReadonlySet<string>): void {
  const unknown = Object.keys(query).filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new Problem("invalid_input", {
      field: unknown[0]!,
      message: sentences.api.unknownParameters({ names: unknown.join(", ") }),
    });
}

function readAddress(
  c: Context<Env>,
  schema: RouteSchemas,
  known: ReadonlySet<string> | undefined,
): Input {
  if (known) refuseUnknown(c.req.query(), known);
  const params = schema.params ? parseAddress(schema.params, cleanJson(c.req.param())) : undefined;
  const query = schema.query ? parseInput(schema.query, cleanJson(c.req.query())) : undefined;
  return { params, query };
}

/** A malformed address is not found. */
function parseAddress(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new Problem("not_found");
  return parsed.data;
}

/** Returns the size limit of a route's JSON body in bytes. */
export function bodyBytesOf({ permission, body }: Route): number {
  if (permission === "public") return limits.publicJsonBytes;
  // A form is decoded on the main thread.
  if (body === "field") return limits.jsonHereBytes;
  return body === undefined || body === "bytes" ? limits.jsonBodyBytes : limits.apiBodyBytes;
}

async function readBodyOf(
  deps: ServerDeps,
  c: Context<Env>,
  name: RouteName,
): Promise<{ body: unknown; files?: SentFiles }> {
  const route: Route = routes[name];
  const most = bodyBytesOf(route);
  const schema: RouteSchemas = schemas[name];
  if (!schema.body || (route.body === "form" && !isJson(c))) {
    if (
      route.body !== "bytes" &&
      route.body !== "form" &&
      route.method !== "GET" &&
      Number(c.req.header("content-length") ?? 0) > most
    )
      throw new Problem("too_large");
    return { body: undefined };
  }
  const takesFiles = route.body === "files" || route.body === "form";
  const { bytes, files } = await readBody(c, most, {
    filesFolder: takesFiles ? deps.scratchFolder : undefined,
    isField: route.body === "field",
  });
  try {
    const body = await deps.json.read({
      as: "body",
      route: name,
      bytes,
      idempotencyKey: c.req.header("idempotency-key"),
    });
    return { body, files };
  } catch (error) {
    await files.remove();
    throw error;
  }
}

async function authorize(
  deps: ServerDeps,
  route: Route,
  actor: Actor | undefined,
  input: Input,
): Promise<Scope> {
  if (route.target?.from === "key" && !actor?.key) throw new Problem("not_signed_in", keyNeeded);
  const scope =
    route.target && actor
      ? await findScope(
          deps.store.read,
          route.target.kind,
          targetId(route.target, input, actor),
          actor.userId,
        )
      : {};
  const verdict = decide(actor, route.permission, scope);
  if (verdict === "signed-out") throw new Problem("not_signed_in");
  if (verdict === "hidden") throw new Problem("not_found");
  if (verdict === "refused") throw new Problem("forbidden");
  return scope;
}

function targetId(target: NonNullable<Route["target"]>, input: Input, { key }: Actor): string {
  if (target.from === "key") return key?.projectId ?? "";
  if (target.from === "query-or-key") {
    const named =
      (input.query as Record<string, string | undefined>)[target.name] ?? key?.projectId;
    if (named === undefined)
      throw new Problem("invalid_input", {
        field: target.name,
        message: "Name the project, as projectId=…",
      });
    return named;
  }
  const from = { param: input.params, query: input.query, body: input.body }[target.from] as Record<
    string,
    unknown
  >;
  return String(from[target.name]);
}

/**
 * Writes every error response. An unexpected error becomes `internal`, with an id that is also in
 * the log.
 */
export function answerError(
  deps: Pick<ServerDeps, "log" | "ids">,
  c: Context<Env>,
  error: unknown,
): Response {
  const problem = problemOf(error);
  const id = errors[problem.code].status >= 500 ? (c.get("requestId") ?? deps.ids()) : undefined;
  // The route's pattern, because the path itself may contain a one-time token.
  const of = { id, method: c.req.method, path: routePath(c) };
  if (id && hasHungUp(c)) deps.log.info(of, "a request ended before its body did");
  else if (problem.code === "internal")
    deps.log.error({ ...of, error: describe(problem) }, "a request failed");
  // A provider's refusal, a full disk or a stop isn't a bug, so no stack is logged.
  else if (id)
    deps.log.warn(
      { ...of, code: problem.code, error: rootOf(problem).message },
      "a request was answered with an error",
    );
  if (c.req.path.startsWith("/v1/")) return answerProgramError(c, problem, { id });
  if (c.req.path.startsWith("/api/fal/")) return answerFalError(c, problem, { id });
  const body = { ...toProblemBody(problem), ...(id && { id }) };
  const retryAfterMs = problem.detail.retryAfterMs;
  return c.json(body, body.status as 500, {
    // A form's answer is shown in a frame, and Firefox would save the other type as a file.
    "content-type": isForm(c) ? "application/json" : "application/problem+json",
    "cache-control": "no-store",
    ...(retryAfterMs && { "retry-after": String(Math.ceil(retryAfterMs / 1000)) }),
  });
}

/** Writes an error in the format of the API that the program speaks. */
export const answerProgramError = (
  c: Context<Env>,
  problem: Problem,
  ids: { id?: string },
): Response => (isAnthropicCall(c) ? answerAnthropicError : answerOpenAiError)(c, problem, ids);

/**
 * Whether the caller disconnected before its body arrived. Failures that result from that aren't
 * the server's.
 */
const hasHungUp = ({ env: { incoming } }: Context<Env>): boolean =>
  incoming.destroyed && !incoming.complete;

function rootOf(problem: Problem): Error {
  let cause: Error = problem;
  while (cause.cause instanceof Error) cause = cause.cause;
  return cause;
}

function describe(problem: Problem): string {
  const root = rootOf(problem);
  return root.stack ?? root.message;
}
