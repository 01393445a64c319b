import { setTimeout as sleep } from "node:timers/promises";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { tasks } from "#contract/tasks.ts";
import { promptOf } from "#domain/input-schema.ts";
import { type Adapter, type CallContext, type ProducedFile, ProviderError } from "#providers/adapter.ts";
import { openDownload } from "#providers/outbound-download.ts";
import type { NewAsset } from "#store/assets.ts";
import type { Output } from "#store/attempts.ts";
import type { OwnedRun } from "#store/runs.ts";
import type { EngineDeps } from "./deps.ts";
import { keepBytes } from "./keep-bytes.ts";
import { sniffBytes, sniffType } from "./media/sniff.ts";
import { mayPass } from "./persist.ts";

/** Between tries to fetch one output. A provider keeps its files for an hour at least; after these it is lost to us. */
const retryMs = [500, 2_000, 5_000, 15_000, 60_000];

export type Ingested = { assets: { index: number; asset: NewAsset }[]; lost: { index: number; error: unknown }[] };
type Source = { file: ProducedFile; output: Output };

/** The bytes of one output at each call, and what is known when that or the storing of them failed. */
function openerOf(file: ProducedFile, adapter: Pick<Adapter, "openFile">, context: CallContext, onBegun: () => Promise<void> | undefined) {
  let failed = false;
  let begun = false;
  async function bytes(): Promise<AsyncIterable<Uint8Array>> {
    if ("url" in file && file.needsKey && adapter.openFile) return adapter.openFile(file.url, context);
    if ("url" in file) {
      const { fetch, signal } = context;
      return (await openDownload({ fetch, url: file.url, mostBytes: limits.outputBytes, signal })).stream;
    }
    if ("stream" in file) return file.stream;
    return (async function* () {
      yield file.bytes;
    })();
  }
  return {
    async open(): Promise<AsyncIterable<Uint8Array>> {
      failed = false;
      const fail = (error: unknown): never => {
        failed = true;
        throw error;
      };
      const source = await bytes().catch(fail);
      return (async function* () {
        begun = true;
        let first = true;
        try {
          for await (const bytes of source) {
            yield bytes;
            if (first) await onBegun();
            first = false;
          }
        } catch (error) {
          fail(error);
        }
      })();
    },
    /** Whether it was the source that failed, and not what stores it. */
    hasFailed: (): boolean => failed,
    isUsedUp: (): boolean => begun && "stream" in file,
  };
}

/**
 * Brings every promised output home: fetched, hashed, kept, described. Nothing is written to the database; the caller
 * settles with what came. An output that can't be had after all tries is reported as lost, the others are kept.
 */
export async function ingestOutputs(
  deps: EngineDeps,
  run: OwnedRun,
  modelName: string,
  sources: readonly Source[],
  adapter: Pick<Adapter, "openFile">,
  context: CallContext,
): Promise<Ingested> {
  const { signal } = context;
  const ingested: Ingested = { assets: [], lost: [] };
  for (const source of sources) {
    try {
      const kept = await keepOutput(deps, run, source.file, adapter, context);
      const asset = await whileStorageFails(deps, signal, () => describe(deps, run, modelName, source, kept.sha256, kept.bytes));
      ingested.assets.push({ index: source.output.index, asset });
    } catch (error) {
      if (signal.aborted) throw error;
      ingested.lost.push({ index: source.output.index, error });
    }
  }
  return ingested;
}

/** Our own disk, bucket or database has no room or does not answer: what was paid for is kept trying for as long as it takes. */
const isOurStorage = (error: unknown): boolean =>
  (error instanceof Problem && (error.code === "storage_full" || error.code === "unavailable")) || mayPass(error);
const storageRetryMs = 5_000;

async function whileStorageFails<T>(deps: EngineDeps, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isOurStorage(error)) throw error;
      const waitMs = deps.outputRetryMs?.[0] ?? storageRetryMs;
      deps.log.warn({ error: String(error), waitMs }, "our storage did not take or give an output; trying again");
      await sleep(waitMs, undefined, { signal });
    }
  }
}

async function keepOutput(
  deps: EngineDeps,
  run: OwnedRun,
  file: ProducedFile,
  adapter: Pick<Adapter, "openFile">,
  context: CallContext,
): Promise<{ sha256: string; bytes: number }> {
  const waits = [...(deps.outputRetryMs ?? retryMs)];
  const { signal } = context;
  const source = openerOf(file, adapter, context, () => deps.failpoints?.at("output.begun", run));
  for (;;) {
    try {
      return await keepBytes(deps, source.open, { mostBytes: limits.outputBytes, signal, mime: file.mime, run });
    } catch (error) {
      const ours = !source.hasFailed() && isOurStorage(error);
      const waitMs = ours ? (deps.outputRetryMs?.[0] ?? storageRetryMs) : waits.shift();
      if (signal.aborted || waitMs === undefined || source.isUsedUp() || isHopeless(error)) throw error;
      deps.log.warn({ error: String(error), waitMs }, "could not bring an output home; trying again");
      await sleep(waitMs, undefined, { signal });
    }
  }
}

/** Gone for good, or larger than anything we keep: trying again would not help. A 404 may be a file that is not there yet. */
function isHopeless(error: unknown): boolean {
  if (!(error instanceof ProviderError || error instanceof Problem)) return false;
  return error.code === "too_large" || error.detail.httpStatus === 410;
}

async function describe(
  deps: EngineDeps,
  run: OwnedRun,
  modelName: string,
  source: Source,
  sha256: string,
  bytes: number,
): Promise<NewAsset> {
  const { file, output } = source;
  const type = await sniffType(await readHead(deps, sha256, bytes), file.name);
  const facts = await deps.media.describe(sha256, type).catch((error) => {
    deps.log.warn({ runId: run.id, error: String(error) }, "could not look into an output");
    return { width: null, height: null, durationMs: null, thumbhash: null, variants: [] };
  });
  const prompt = promptOf(run.input as JsonObject);
  return {
    id: deps.ids(),
    projectId: run.projectId,
    visibility: run.visibility,
    runId: run.id,
    outputIndex: output.index,
    uploadId: null,
    createdBy: run.userId,
    sha256,
    kind: type.kind,
    mime: type.mime,
    bytes,
    width: facts.width ?? file.width ?? null,
    height: facts.height ?? file.height ?? null,
    durationMs: facts.durationMs ?? file.durationMs ?? null,
    thumbhash: facts.thumbhash,
    variants: facts.variants,
    title: titleOf(prompt, tasks[run.task].makes.one),
    promptText: prompt,
    modelName,
    createdAt: deps.clock.now(),
  };
}

/** The first words of the prompt, or what it is. */
function titleOf(prompt: string, fallback: string): string {
  const line = prompt.trim().split("\n")[0]?.trim() ?? "";
  const characters = [...line];
  if (characters.length === 0) return `${fallback[0]?.toUpperCase()}${fallback.slice(1)}`;
  return characters.length <= 80 ? line : `${characters.slice(0, 79).join("").trimEnd()}…`;
}

export async function readHead(deps: Pick<EngineDeps, "blobs">, sha256: string, bytes: number): Promise<Uint8Array> {
  if (bytes === 0) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  for await (const chunk of await deps.blobs.get(sha256, { start: 0, end: Math.min(bytes, sniffBytes) - 1 })) chunks.push(chunk);
  return Buffer.concat(chunks);
}
