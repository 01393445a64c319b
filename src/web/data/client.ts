import type { ErrorCode, ProblemBody } from "#contract/errors.ts";
import type { Route } from "#contract/route.ts";
import { type RouteName, routes } from "#contract/routes/index.ts";
import type { RouteInput, RouteOutput } from "#contract/schemas/index.ts";
import { noteServerTime } from "./server-clock.ts";

/**
 * An error answered by the server, with its code from the error catalog. `describeError` reads
 * it.
 */
export class ServerProblem extends Error {
  override readonly name = "ServerProblem";
  readonly code: ErrorCode;
  readonly body: ProblemBody;
  constructor(body: ProblemBody) {
    super(body.detail);
    this.code = body.code;
    this.body = body;
    // `describeError` reads these from the error itself.
    Object.assign(this, {
      detail: body.detail,
      advice: body.advice,
      id: body.id,
      connectionId: body.connectionId,
      field: body.field,
      providerMessage: body.providerMessage,
      providerCode: body.providerCode,
      httpStatus: body.httpStatus,
    });
  }
}

type Given<N extends RouteName> = {
  [K in "params" | "query" | "body" as RouteInput<N, K> extends undefined ? never : K]: RouteInput<
    N,
    K
  >;
};
type Rest<N extends RouteName> =
  Record<never, never> extends Given<N>
    ? [given?: Given<N> & Options]
    : [given: Given<N> & Options];
type Options = { signal?: AbortSignal };
type Loose = {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
} & Options;

/**
 * The address of a route, for a link or an image: `routePath("getFile", { params: { assetId } })`.
 */
export function routePath<N extends RouteName>(
  name: N,
  given?: { params?: object; query?: object },
): string {
  const params = (given?.params ?? {}) as Record<string, unknown>;
  const path = routes[name].path.replace(/:(\w+)/g, (_, key: string) =>
    encodeURIComponent(String(params[key])),
  );
  const query = new URLSearchParams(
    Object.entries(given?.query ?? {}).flatMap(([key, value]) =>
      value === undefined || value === null || value === "" ? [] : [[key, String(value)]],
    ),
  );
  return query.size > 0 ? `${path}?${query}` : path;
}

/**
 * Calls a route of the contract: `await call("getRun", { params: { runId } })`.
 * @throws ServerProblem with the server's error; TypeError if the server can't be reached
 */
export async function call<N extends RouteName>(
  name: N,
  ...[given]: Rest<N>
): Promise<RouteOutput<N>> {
  const { params, query, body, signal } = (given ?? {}) as Loose;
  const route: Route = routes[name];
  const response = await fetch(routePath(name, { params, query }), {
    method: route.method,
    signal,
    headers: {
      accept: "application/json",
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  noteServerTime(response.headers.get("date"));
  const answer = await readAnswer<RouteOutput<N>>(response);
  if (name === "getSession") noteSession(answer as RouteOutput<"getSession">);
  if (name === "signOut") isSignedIn = false;
  return answer;
}

/** Whether a person is signed in on this page. A failed sign-in is refused with the same code. */
let isSignedIn = false;
let asking: Promise<boolean> | undefined;

/**
 * Reloads a page whose session has ended, so that none of the person's data stays on it. The reload
 * leads to the sign-in and back here; typed text is saved as drafts.
 */
function noteSession({ me }: RouteOutput<"getSession">): void {
  if (!me && isSignedIn) location.reload();
  isSignedIn = me !== null;
}

/**
 * Checks whether the session has ended. A person who has just set a new password already has a new
 * session and stays.
 */
export function leaveIfSignedOut(): Promise<boolean> {
  asking ??= call("getSession")
    .then(
      ({ me }) => me === null,
      () => false,
    )
    .finally(() => {
      asking = undefined;
    });
  return asking;
}

/** Converts a problem body to the error to throw. */
export function problemOf(body: ProblemBody): ServerProblem {
  if (body.code === "not_signed_in" && isSignedIn) void leaveIfSignedOut();
  return new ServerProblem(body);
}

export async function readAnswer<T>(response: Response): Promise<T> {
  const body: unknown = await response.json().catch(() => null);
  if (response.ok && body !== null) return body as T;
  if (isProblemBody(body)) throw problemOf(body);
  throw new TypeError("fetch: the server answered with something that is not its own");
}

const isProblemBody = (body: unknown): body is ProblemBody =>
  typeof body === "object" && body !== null && "code" in body && "detail" in body;
export const isProblem = (error: unknown, code: ErrorCode): boolean =>
  error instanceof ServerProblem && error.code === code;
