import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { EngineDeps } from "../deps.ts";
import { connect, type NewConnection } from "./connect.ts";

/**
 * A service found by discovery, which is connected only when a person chooses it by `take`.
 * `address` is set if the server requires a key, which the person has to enter.
 */
export type Found = {
  take: string;
  kind: string;
  name: string;
  detail: string;
  needsKey?: { address: string };
};

const probeMs = 1_000;

/** A local model server at its default port, and the request that identifies it. */
export type LocalServer = {
  kind: string;
  name: string;
  field: string;
  address: string;
  ask: string;
  isIt(body: unknown): boolean;
  /** Whether a 401 or 403 with this body and these headers comes from this server. */
  isLocked?(body: unknown, headers: Headers): boolean;
  /**
   * Whether a 503 with these headers comes from this server, which refuses all requests while it
   * loads its model.
   */
  isLoading?(headers: Headers): boolean;
};

/** What a server allows a client without a key. */
type ServerAccess = "open" | "locked" | "loading";
const accessNotes: Readonly<Record<ServerAccess, string>> = {
  open: "",
  locked: " and requires a key",
  loading: " and is loading its model",
};

/**
 * A fixed list that can't be configured. Several kinds share a port, so their responses tell them
 * apart.
 */
export const localServers: readonly LocalServer[] = [
  {
    kind: "ollama",
    name: "Ollama",
    field: "api",
    address: "http://127.0.0.1:11434",
    ask: "/api/version",
    isIt: (body) => hasKeys(body, "version"),
  },
  {
    kind: "comfyui",
    name: "ComfyUI",
    field: "api",
    address: "http://127.0.0.1:8188",
    ask: "/system_stats",
    isIt: (body) => hasKeys(body, "system", "devices"),
  },
  {
    kind: "lmstudio",
    name: "LM Studio",
    field: "api",
    address: "http://127.0.0.1:1234/v1",
    ask: "/api/v0/models",
    isIt: (body) => rowsOf(body).some((row) => hasKeys(row, "id", "state", "type")),
    isLocked: (body) => hasKeys(body, "error"),
  },
  llamaAt(9931, "llama.cpp"),
  // llama.cpp's port until late 2026.
  llamaAt(8080, "llama.cpp at port 8080"),
  {
    kind: "localai",
    name: "LocalAI",
    field: "api",
    address: "http://127.0.0.1:8080/v1",
    ask: "/system",
    isIt: (body) => hasKeys(body, "backends", "loaded_models"),
  },
  {
    kind: "vllm",
    name: "vLLM",
    field: "api",
    address: "http://127.0.0.1:8000/v1",
    ask: "/v1/models",
    isIt: (body) => rowsOf(body).some((row) => hasKeys(row, "max_model_len")),
    // vLLM's whole body; other servers explain what is wrong with the key.
    isLocked: (body) => JSON.stringify(body) === '{"error":"Unauthorized"}',
  },
];

/** llama.cpp names itself in the Server header of every response, and requires a key for /props. */
function llamaAt(port: number, name: string): LocalServer {
  const isNamed = (headers: Headers): boolean => /^llama\.cpp/i.test(headers.get("server") ?? "");
  return {
    kind: "llamacpp",
    name,
    field: "api",
    address: `http://127.0.0.1:${port}/v1`,
    ask: "/props",
    isIt: (body) => hasKeys(body, "default_generation_settings"),
    isLocked: (_body, headers) => isNamed(headers),
    isLoading: isNamed,
  };
}

/**
 * Other servers with OpenAI's API at these ports, connected as OpenAI-compatible if no kind above
 * matches.
 */
const otherServers: readonly LocalServer[] = [1234, 8080, 8000].map((port) => ({
  kind: "openai-compatible",
  name: `Server at port ${port}`,
  field: "api",
  address: `http://127.0.0.1:${port}/v1`,
  ask: "/v1/models",
  isIt: (body) => hasKeys(body, "data"),
  // Requires OpenAI's error format, because unrelated programs at these ports also require keys.
  isLocked: (body) =>
    hasKeys(body, "error") && hasKeys((body as { error: unknown }).error, "message"),
}));

const hasKeys = (body: unknown, ...keys: string[]): boolean =>
  typeof body === "object" && body !== null && keys.every((key) => key in body);
const rowsOf = (body: unknown): unknown[] =>
  typeof body === "object" && body !== null && "data" in body && Array.isArray(body.data)
    ? body.data
    : [];

/** Whether a server answers at its address, and what it allows. */
async function probeServer(
  deps: EngineDeps,
  server: LocalServer,
): Promise<ServerAccess | undefined> {
  try {
    const { origin } = new URL(server.address);
    const fetch = deps.outbound.open({ privateOrigins: [origin], mostBytes: 1024 ** 2 });
    const response = await fetch(`${origin}${server.ask}`, {
      signal: AbortSignal.timeout(probeMs),
    });
    return identifyServer(server, response.status, response.headers, await response.json());
  } catch {
    // No response, or one that isn't a model server's: there is nothing to offer.
    return undefined;
  }
}

export function identifyServer(
  server: LocalServer,
  status: number,
  headers: Headers,
  body: unknown,
): ServerAccess | undefined {
  if (status === 401 || status === 403)
    return server.isLocked?.(body, headers) ? "locked" : undefined;
  if (status === 503) return server.isLoading?.(headers) ? "loading" : undefined;
  return status >= 200 && status < 300 && server.isIt(body) ? "open" : undefined;
}

/** Looks for services on this machine and for keys in the environment. */
export async function discover(
  deps: EngineDeps,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Found[]> {
  const asked = [...localServers, ...otherServers].filter(({ kind }) => deps.kinds.has(kind));
  const there = await Promise.all(
    asked.map(async (server) => ({ ...server, door: await probeServer(deps, server) })),
  );
  const servers = there
    .flatMap(({ door, ...server }) => (door ? [{ ...server, door }] : []))
    .filter(
      (server, index, all) => all.findIndex(({ address }) => address === server.address) === index,
    )
    .map(
      ({ name, kind, address, door }): Found => ({
        take: `local:${name}`,
        kind,
        name,
        detail: `answers at ${address}${accessNotes[door]}`,
        ...(door === "locked" && { needsKey: { address } }),
      }),
    );
  const keys = [...deps.kinds.values()].flatMap((known) =>
    (known.environmentKeys ?? [])
      .filter((name) => environment[name])
      .map(
        (name): Found => ({
          take: `env:${name}`,
          kind: known.kind,
          name: known.name,
          detail: `key in ${name}`,
        }),
      ),
  );
  return [...servers, ...keys];
}

/**
 * Connects a discovered service for the whole instance.
 * @throws Problem not_found if it is no longer found; provider_auth if it requires a key
 */
export async function connectDiscovered(
  deps: EngineDeps,
  environment: Readonly<Record<string, string | undefined>>,
  take: string,
  userId: string,
): Promise<Awaited<ReturnType<typeof connect>>> {
  const found = (await discover(deps, environment)).find((candidate) => candidate.take === take);
  if (!found) throw new Problem("not_found", { message: sentences.connections.missing });
  if (found.needsKey)
    throw new Problem("provider_auth", {
      message: sentences.connections.keyNeeded({ name: found.name, ...found.needsKey }),
    });
  const kind = deps.kinds.get(found.kind)!;
  const server = [...localServers, ...otherServers].find(
    (candidate) => `local:${candidate.name}` === take,
  );
  const secretField = kind.fields.find((field) => field.kind === "secret")?.name;
  const values: NewConnection["values"] = {};
  if (server)
    values[kind.fields.find((field) => field.address === server.field)?.name ?? server.field] =
      server.address;
  else {
    if (secretField) values[secretField] = environment[take.slice("env:".length)] ?? "";
    for (const field of kind.fields)
      if (field.required && field.address) values[field.name] = kind.addresses[field.address] ?? "";
  }
  return connect(deps, { kind: found.kind, name: found.name, scope: "instance", userId, values });
}
