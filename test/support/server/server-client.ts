import type { Asset, Message, Run, RunEvent } from "#contract/entities.ts";
import type { RunEventPayloads } from "#contract/events.ts";
import { newText } from "#contract/live-text.ts";
import type { Route } from "#contract/route.ts";
import { type RouteName, routes } from "#contract/routes/index.ts";
import { placesOfSimulators } from "../databases/store-rows.ts";
import { testPassword, until } from "./instance.ts";
import type { ServerProcess } from "./server-process.ts";

type Given = { params?: Record<string, string>; query?: Record<string, string>; body?: unknown };
type Reply<T> = { status: number; body: T };

/** A client of a real server over HTTP, with a session. */
export type ServerClient = {
  url: string;
  cookie: string;
  projectId: string;
  call<T = Record<string, unknown>>(name: RouteName, given?: Given): Promise<Reply<T>>;
  /** The same session at another server, or at the same one after a restart. */
  at(url: string): ServerClient;
};

async function send(url: string, cookie: string, name: RouteName, given: Given): Promise<Response> {
  const route: Route = routes[name];
  const path = route.path.replace(/:(\w+)/g, (_, key: string) => given.params?.[key] ?? "missing");
  const query = new URLSearchParams(given.query).toString();
  return fetch(`${url}${path}${query && `?${query}`}`, {
    method: route.method,
    headers: {
      ...(cookie && { cookie }),
      ...(given.body !== undefined && { "content-type": "application/json" }),
    },
    ...(given.body !== undefined && { body: JSON.stringify(given.body) }),
  });
}

export function createClient(url: string, cookie: string, projectId: string): ServerClient {
  return {
    url,
    cookie,
    projectId,
    async call<T>(name: RouteName, given: Given = {}) {
      const response = await send(url, cookie, name, given);
      const text = await response.text();
      return { status: response.status, body: (text.startsWith("{") ? JSON.parse(text) : {}) as T };
    },
    at: (other) => createClient(other, cookie, projectId),
  };
}

/** Sets up a fresh server through its link and returns its signed-in owner. */
export async function setUpServer(server: ServerProcess): Promise<ServerClient> {
  const code = new URL(server.setupLink ?? "").hash.slice("#code=".length);
  const body = {
    code,
    name: "Ada",
    email: "ada@example.org",
    password: testPassword,
    projectName: "Studio",
    take: [],
  };
  const response = await send(server.url, "", "setUp", { body });
  if (!response.ok)
    throw new Error(`could not set up: ${response.status} ${await response.text()}`);
  await response.body?.cancel();
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const me = await createClient(server.url, cookie, "").call<{ projects: { id: string }[] }>(
    "getMe",
  );
  return createClient(server.url, cookie, me.body.projects[0]!.id);
}

/** Connects a simulator for everyone and returns the connection's id. */
export async function connectKind(
  client: ServerClient,
  kind: string,
  values: Record<string, string | number>,
): Promise<string> {
  const made = await client.call<{ connection: { id: string } }>("createConnection", {
    body: { kind, name: kind, scope: "instance", values: { ...placesOfSimulators, ...values } },
  });
  if (made.status !== 200)
    throw new Error(`could not connect ${kind}: ${made.status} ${JSON.stringify(made.body)}`);
  return made.body.connection.id;
}

export type Asked = { conversationId: string; answer: Message; run: Run };

/** Sends a message in a new conversation; undefined if the server couldn't acknowledge it. */
export async function askServer(
  client: ServerClient,
  model: { connectionId: string; modelId: string },
  text: string,
): Promise<Asked> {
  const begun = await client.call<{ conversation: { id: string } }>("createConversation", {
    body: { projectId: client.projectId },
  });
  const conversationId = begun.body.conversation.id;
  const sent = await client.call<{ answer: Message; run: Run }>("sendMessage", {
    params: { conversationId },
    body: { parentId: null, text, ask: { model } },
  });
  if (sent.status !== 200)
    throw new Error(`not taken: ${sent.status} ${JSON.stringify(sent.body)}`);
  return { conversationId, answer: sent.body.answer, run: sent.body.run };
}

/** Requests one picture. */
export async function makeOnServer(
  client: ServerClient,
  model: { connectionId: string; modelId: string },
  input: Record<string, unknown>,
): Promise<Run> {
  const made = await client.call<{ runs: Run[] }>("createRuns", {
    body: { projectId: client.projectId, models: [model], task: "image", input },
  });
  if (made.status !== 200)
    throw new Error(`not taken: ${made.status} ${JSON.stringify(made.body)}`);
  return made.body.runs[0]!;
}

export type RunDetail = {
  run: Run;
  assets: Asset[];
  attempts: { number: number; state: string; providerRequestId: string | null }[];
};
export const runOnServer = async (client: ServerClient, runId: string): Promise<RunDetail> =>
  (await client.call<RunDetail>("getRun", { params: { runId } })).body;

export const runEnds = (
  client: ServerClient,
  runId: string,
  limitMs?: number,
): Promise<RunDetail> =>
  until(
    `run ${runId} ends`,
    async () => {
      const detail = await runOnServer(client, runId);
      return (
        ["succeeded", "failed", "cancelled", "unconfirmed"].includes(detail.run?.state) && detail
      );
    },
    limitMs,
  );

export async function fileOnServer(client: ServerClient, assetId: string): Promise<Buffer> {
  const response = await fetch(`${client.url}/api/v1/assets/${assetId}/file`, {
    headers: { cookie: client.cookie },
  });
  if (!response.ok) throw new Error(`no file: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

export async function uploadToServer(
  client: ServerClient,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Asset> {
  const query = new URLSearchParams({ projectId: client.projectId, name });
  const response = await fetch(`${client.url}/api/v1/uploads?${query}`, {
    method: "POST",
    headers: { cookie: client.cookie, "content-type": "application/octet-stream" },
    body: bytes,
  });
  if (!response.ok) throw new Error(`not kept: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { asset: Asset }).asset;
}

export type SeenEvent = { id: number; type: string; payload: Record<string, unknown> };

/**
 * Reads a run's event stream; `events` grows as they arrive. Ends with the stream, the server or
 * `stop`.
 */
export function watchRun(client: ServerClient, runId: string, after = 0) {
  const events: SeenEvent[] = [];
  const gone = new AbortController();
  const ended = read().catch(() => undefined);
  async function read(): Promise<void> {
    const response = await fetch(`${client.url}/api/v1/runs/${runId}/events`, {
      headers: { cookie: client.cookie, "last-event-id": String(after) },
      signal: gone.signal,
    });
    let text = "";
    for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      text += Buffer.from(piece).toString("latin1");
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const seen = toEvent(Buffer.from(text.slice(0, end), "latin1").toString());
        if (seen) events.push(seen);
        text = text.slice(end + 2);
      }
    }
  }
  return { events, ended, stop: () => gone.abort() };
}

function toEvent(block: string): SeenEvent | undefined {
  const field = (name: string) =>
    block
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const data = field("data");
  return data === undefined
    ? undefined
    : { id: Number(field("id")), type: field("event") ?? "", payload: JSON.parse(data) };
}

/**
 * All text shown by events, also to a reader who reconnected: `[missing]` replaces a missing word.
 */
export const shownText = (
  events: readonly Pick<RunEvent, "type" | "payload">[] | readonly SeenEvent[],
): string =>
  events.reduce((text, { type, payload }) => {
    if (type !== "text-delta") return text;
    const delta = payload as RunEventPayloads["text-delta"];
    return text + (newText(delta, text.length) ?? "[missing]");
  }, "");
