import { Agent, request } from "undici";
import { WebSocket } from "ws";
import type { Route } from "#contract/route.ts";
import { type RouteName, routes } from "#contract/routes/index.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";

type Given = { params?: Record<string, string>; query?: Record<string, string>; body?: unknown };

/** A signed-in person, over real HTTP with keep-alive sockets. */
export type Session = {
  url: string;
  cookie: string;
  agent: Agent;
  /** @throws Error with the answer if it isn't a 200 */
  call<N extends RouteName>(name: N, given?: Given): Promise<RouteOutput<N>>;
  openSocket(): Promise<WebSocket>;
  close(): Promise<void>;
};

export function createSession(url: string, cookie = ""): Session {
  const agent = new Agent({ connections: null, pipelining: 1, keepAliveTimeout: 60_000 });
  let signedInAs = cookie;
  return {
    url,
    get cookie() {
      return signedInAs;
    },
    agent,
    async call<N extends RouteName>(name: N, given: Given = {}) {
      const route: Route = routes[name];
      const path = route.path.replace(/:(\w+)/g, (_, key: string) => given.params?.[key] ?? "");
      const query = new URLSearchParams(given.query).toString();
      const answer = await request(`${url}${path}${query && `?${query}`}`, {
        dispatcher: agent,
        method: route.method,
        headers: {
          cookie: signedInAs,
          ...(given.body !== undefined && { "content-type": "application/json" }),
        },
        ...(given.body !== undefined && { body: JSON.stringify(given.body) }),
      });
      const text = await answer.body.text();
      if (answer.statusCode !== 200)
        throw new Error(
          `${route.method} ${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`,
        );
      const cookies = [answer.headers["set-cookie"] ?? []].flat();
      if (cookies.length > 0) signedInAs = cookies.map((line) => line.split(";")[0]).join("; ");
      return JSON.parse(text) as RouteOutput<N>;
    },
    openSocket() {
      const socket = new WebSocket(`${url.replace("http", "ws")}/api/v1/live`, {
        headers: { cookie: signedInAs },
        perMessageDeflate: false,
      });
      return new Promise((resolve, reject) => {
        socket.once("open", () => resolve(socket));
        socket.once("error", reject);
      });
    },
    close: () => agent.destroy(),
  };
}
