import { Problem } from "#contract/errors.ts";
import { connect, type NewConnection } from "./connect.ts";
import type { EngineDeps } from "./deps.ts";

/** Something found by itself. `take` names it when a person wants it; nothing is taken silently. */
export type Found = { take: string; kind: string; name: string; detail: string };

const lookMs = 1_000;

/** Usual ports of local model servers, and the one question each kind answers: a fixed list that nobody can change. */
const localServers = [
  {
    kind: "ollama",
    name: "Ollama",
    field: "api",
    address: "http://127.0.0.1:11434",
    ask: "/api/version",
    isIt: (body: unknown) => hasKey(body, "version"),
  },
  {
    kind: "comfyui",
    name: "ComfyUI",
    field: "api",
    address: "http://127.0.0.1:8188",
    ask: "/system_stats",
    isIt: (body: unknown) => hasKey(body, "system") && hasKey(body, "devices"),
  },
  {
    kind: "openai-compatible",
    name: "LM Studio",
    field: "api",
    address: "http://127.0.0.1:1234/v1",
    ask: "/models",
    isIt: (body: unknown) => hasKey(body, "data"),
  },
  {
    kind: "openai-compatible",
    name: "llama.cpp",
    field: "api",
    address: "http://127.0.0.1:8080/v1",
    ask: "/models",
    isIt: (body: unknown) => hasKey(body, "data"),
  },
  {
    kind: "openai-compatible",
    name: "vLLM",
    field: "api",
    address: "http://127.0.0.1:8000/v1",
    ask: "/models",
    isIt: (body: unknown) => hasKey(body, "data"),
  },
] as const;

const hasKey = (body: unknown, key: string): boolean => typeof body === "object" && body !== null && key in body;

async function answers(deps: EngineDeps, server: (typeof localServers)[number]): Promise<boolean> {
  try {
    const fetch = deps.outbound.open({ privateOrigins: [new URL(server.address).origin], mostBytes: 1024 ** 2 });
    const response = await fetch(`${server.address}${server.ask}`, { signal: AbortSignal.timeout(lookMs) });
    return response.ok && server.isIt(await response.json());
  } catch {
    // Nothing there, or something that is no model server: both mean that there is nothing to offer.
    return false;
  }
}

/** Looks on this machine and in the environment for what could be connected. */
export async function discover(deps: EngineDeps, environment: Readonly<Record<string, string | undefined>>): Promise<Found[]> {
  const found = await Promise.all(
    localServers.map(async (server) => ((await answers(deps, server)) && deps.adapters.has(server.kind) ? [server] : [])),
  );
  const servers = found
    .flat()
    .map(
      (server): Found => ({ take: `local:${server.name}`, kind: server.kind, name: server.name, detail: `answers at ${server.address}` }),
    );
  const keys = [...deps.adapters.values()].flatMap((adapter) =>
    (adapter.environmentKeys ?? [])
      .filter((name) => environment[name])
      .map((name): Found => ({ take: `env:${name}`, kind: adapter.kind, name: adapter.name, detail: `key in ${name}` })),
  );
  return [...servers, ...keys];
}

/** Connects what was found, for the whole instance. @throws Problem when it is not there (any more) */
export async function takeFound(
  deps: EngineDeps,
  environment: Readonly<Record<string, string | undefined>>,
  take: string,
  userId: string,
): Promise<Awaited<ReturnType<typeof connect>>> {
  const found = (await discover(deps, environment)).find((candidate) => candidate.take === take);
  if (!found) throw new Problem("not_found", { message: "It is not there any more." });
  const adapter = deps.adapters.get(found.kind)!;
  const server = localServers.find((candidate) => `local:${candidate.name}` === take);
  const secretField = adapter.fields.find((field) => field.kind === "secret")?.name;
  const values: NewConnection["values"] = {};
  if (server) values[adapter.fields.find((field) => field.address === server.field)?.name ?? server.field] = server.address;
  else {
    if (secretField) values[secretField] = environment[take.slice("env:".length)] ?? "";
    for (const field of adapter.fields) if (field.required && field.address) values[field.name] = adapter.addresses[field.address] ?? "";
  }
  return connect(deps, { kind: found.kind, name: found.name, scope: "instance", userId, values });
}
