import { setTimeout as sleep } from "node:timers/promises";
import type { Route } from "#contract/route.ts";
import { type RouteName, routes } from "#contract/routes/index.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";

type Given = { params?: Record<string, string>; query?: Record<string, string>; body?: unknown };
export type Reply<N extends RouteName> =
  | { status: 200; body: RouteOutput<N> }
  | { status: number; body: { code?: string; detail?: string } };

/** A signed-in client whose server may die at any moment; retries use the same key. */
export type Client = {
  /** One call; status 0 if there was no answer. */
  call<N extends RouteName>(name: N, given?: Given): Promise<Reply<N>>;
  /**
   * Repeats a call until the answer isn't "not now"; for calls that may be repeated.
   * @throws Error after a minute
   */
  persist<N extends RouteName>(name: N, given?: Given): Promise<Reply<N>>;
  cookie: string;
};

const patienceMs = 60_000;
const callMs = 20_000;

/** @param address the address of a server believed to be running; called for each request */
export function createClient(address: () => string, cookie: string): Client {
  async function call<N extends RouteName>(name: N, given: Given = {}): Promise<Reply<N>> {
    const route: Route = routes[name];
    const path = route.path.replace(
      /:(\w+)/g,
      (_, key: string) => given.params?.[key] ?? "missing",
    );
    const query = new URLSearchParams(given.query).toString();
    try {
      const response = await fetch(`${address()}${path}${query && `?${query}`}`, {
        method: route.method,
        headers: {
          cookie,
          ...(given.body !== undefined && { "content-type": "application/json" }),
        },
        ...(given.body !== undefined && { body: JSON.stringify(given.body) }),
        signal: AbortSignal.timeout(callMs),
      });
      const text = await response.text();
      return { status: response.status, body: JSON.parse(text || "{}") };
    } catch (error) {
      return { status: 0, body: { detail: String(error) } };
    }
  }
  return {
    call,
    cookie,
    async persist(name, given) {
      for (const endMs = Date.now() + patienceMs; ; ) {
        const reply = await call(name, given);
        if (reply.status !== 0 && reply.status !== 503 && reply.status !== 500) return reply;
        if (Date.now() > endMs)
          throw new Error(
            `${name} was not answered for a minute: ${reply.status} ${JSON.stringify(reply.body)}`,
          );
        await sleep(100);
      }
    },
  };
}
