import { randomUUID } from "node:crypto";
import { afterEach, beforeEach } from "vitest";
import type { JsonObject } from "#contract/json.ts";
import {
  type ModelFacts,
  ProviderError,
  type RunContext,
  type Workflow,
} from "#providers/adapter.ts";
import { createOutbound, type Outbound } from "#providers/outbound/outbound.ts";
import { comfyui } from "#providers/services/comfyui/adapter.ts";
import { type ComfyOptions, type ComfySimulator, startComfy } from "../../simulators/comfyui.ts";

type Wish = {
  secret?: string;
  options?: JsonObject;
  addresses?: Record<string, string>;
  token?: string;
  signal?: AbortSignal;
};

/** A ComfyUI for each test of a file, and the calls that the engine would make. */
export function setUpComfy() {
  let sim: ComfySimulator;
  let outbound: Outbound;
  const workflows = new Map<string, Workflow>();
  const warnings: string[] = [];
  beforeEach(async () => {
    outbound = createOutbound();
    sim = await startComfy();
    workflows.clear();
  });
  afterEach(async () => {
    await outbound.close();
    await sim.stop();
  });

  function buildContext({
    secret,
    options = {},
    addresses = sim.addresses,
    token = randomUUID(),
    signal,
  }: Wish = {}): RunContext {
    warnings.length = 0;
    return {
      connection: { id: "c1", kind: "comfyui", addresses, options, secret: secret ?? null },
      fetch: outbound.open({ privateOrigins: [sim.url], onePost: true }),
      openSocket: outbound.openSocket({ privateOrigins: [sim.url] }),
      signal: signal ?? new AbortController().signal,
      clock: { now: () => 1_000 },
      clientToken: token,
      warn: ({ message }) => warnings.push(message),
      workflows: {
        list: async () => [...workflows.values()],
        get: async (id) => workflows.get(id),
      },
    };
  }

  return {
    get sim(): ComfySimulator {
      return sim;
    },
    /** Replaces the running ComfyUI. */
    async restart(options: ComfyOptions): Promise<void> {
      await sim.stop();
      sim = await startComfy(options);
    },
    /** The saved workflows, by id. */
    workflows,
    /** The warnings of the latest context. */
    warnings,
    buildContext,
    /** Saves a graph as the workflow "w". */
    async add(graph: unknown, context = buildContext()): Promise<ModelFacts> {
      const workflow = {
        id: "w",
        name: "Mine",
        document: comfyui.workflows!.parse(JSON.stringify(graph)),
      };
      const facts = await comfyui.workflows!.describe(workflow, context);
      workflows.set("w", workflow);
      return facts;
    },
  };
}

export async function failureOf(action: Promise<unknown>): Promise<ProviderError> {
  const error = await action.then(
    () => new Error("It did not fail."),
    (thrown: unknown) => thrown,
  );
  if (error instanceof ProviderError) return error;
  throw error;
}

export const messageOf = async (action: Promise<unknown> | (() => unknown)): Promise<string> => {
  try {
    await (typeof action === "function" ? action() : action);
  } catch (error) {
    return (error as Error).message;
  }
  return "It did not fail.";
};
