import { createHash } from "node:crypto";
import { afterEach, beforeEach } from "vitest";
import {
  type InputFile,
  type JobStatus,
  ProviderError,
  type RunContext,
  type RunRequest,
} from "#providers/adapter.ts";
import { createOutbound, type Outbound } from "#providers/outbound/outbound.ts";
import { fal } from "#providers/services/fal/adapter.ts";
import { type FalOptions, type FalSimulator, startFal } from "../../simulators/fal.ts";

type Wish = {
  secret?: string;
  addresses?: Record<string, string>;
  options?: Record<string, string>;
  signal?: AbortSignal;
};
const job = fal.job!;

/** A separate fal for each test, and the arguments for its adapter. */
export function setUpFal() {
  let sim: FalSimulator;
  let outbound: Outbound;
  const warnings: string[] = [];
  beforeEach(async () => {
    outbound = createOutbound();
    sim = await startFal();
  });
  afterEach(async () => {
    await outbound.close();
    await sim.stop();
  });
  function buildContext({
    secret = sim.key,
    addresses = sim.addresses,
    options = {},
    signal,
  }: Wish = {}): RunContext {
    warnings.length = 0;
    return {
      connection: { id: "c1", kind: "fal", addresses, options, secret },
      fetch: outbound.open({ privateOrigins: [sim.url], onePost: true }),
      signal: signal ?? new AbortController().signal,
      clock: { now: () => 1_000 },
      clientToken: "t1",
      warn: ({ feature }) => warnings.push(feature),
    };
  }
  const submit = (prompt: string, context = buildContext()) =>
    job.submit(buildRequest("sim/flux/dev", { prompt, image_size: "square" }), context);

  async function toDone(prompt: string) {
    const handle = await submit(prompt);
    const statuses: JobStatus[] = [];
    for await (const status of job.follow!(handle, buildContext())) statuses.push(status);
    return { handle, statuses };
  }
  return {
    get sim() {
      return sim;
    },
    warnings,
    async restart(options: FalOptions) {
      await sim.stop();
      sim = await startFal(options);
    },
    /** Stops answering at the address and closes all connections. */
    async stop() {
      await sim.stop();
      await outbound.close();
      outbound = createOutbound();
    },
    buildContext,
    submit,
    toDone,
  };
}

export function buildRequest(
  model: string,
  input: RunRequest["input"],
  files: InputFile[] = [],
): RunRequest {
  return {
    runId: "r1",
    task: "image",
    model: { id: model, inputSchema: null, capabilities: {} },
    input,
    turns: [],
    files: new Map(files.map((file) => [file.assetId, file])),
  };
}

export const picture = "6f9619ff-8b86-4011-b42d-00c04fc964ff";
export function buildFile(bytes: Uint8Array, assetId = picture): InputFile {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return {
    ...{
      assetId,
      sha256,
      mime: "image/png",
      bytes: bytes.length,
      name: "été/du soir",
      width: 1,
      height: 1,
    },
    async open(range) {
      const part = range ? bytes.subarray(range.start, range.end + 1) : bytes;
      return (async function* () {
        for (let at = 0; at < part.length; at += 65_536) yield part.subarray(at, at + 65_536);
      })();
    },
  };
}

export async function failureOf(
  action: Promise<unknown> | AsyncIterable<unknown>,
): Promise<ProviderError> {
  try {
    if (Symbol.asyncIterator in action) for await (const _ of action);
    else await action;
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
  throw new Error("It did not fail.");
}
