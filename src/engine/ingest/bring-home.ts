import { setTimeout as sleep } from "node:timers/promises";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import {
  type Adapter,
  type CallContext,
  type ProducedFile,
  ProviderError,
} from "#providers/adapter.ts";
import { isRefusedAddress } from "#providers/outbound/outbound.ts";
import { openDownload } from "#providers/outbound/outbound-download.ts";
import type { SealedConnection } from "#store/models/connections.ts";
import type { Output } from "#store/runs/outputs.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { Fenced } from "#store/runs/runs.ts";
import { callContext } from "../connections/open-connection.ts";
import { isFreeAt } from "../connections/run-place.ts";
import type { EngineDeps } from "../deps.ts";
import { isTransient } from "../persist.ts";
import { toRunError } from "../settle/settle.ts";
import { keepBytes } from "./keep-bytes.ts";
import { readHead } from "./media/read-head.ts";
import { sniffType } from "./media/sniff.ts";
import { createLifetime, type Lifetime } from "./output-lifetime.ts";

/** Between the tries to fetch one output; the last is repeated for as long as the provider keeps the file. */
const retryMs = [500, 2_000, 5_000, 15_000, 60_000, 5 * 60_000, 10 * 60_000];
/** Between tries of our own storage. */
const storageRetryMs = 5_000;

/** A download without a byte for this long restarts or resumes: an existing file arrives at once. */
const silenceMs = 60_000;

/** `odd`: in what it is not as it was promised. */
export type Kept = { sha256: string; bytes: number; odd?: string };
export type Source = { file: ProducedFile; output: Output };

/** How an output is downloaded. */
export type Fetching = {
  adapter: Pick<Adapter, "openFile" | "free" | "runsOn" | "addresses">;
  context: CallContext;
  /** Somebody waits for the answer: one try, then the truth. */
  once?: boolean;
  promisedAt: number;
  expiresAt: number;
  /** Ends the waiting between tries, and nothing that is under way: a person who wants no more of it. */
  impatience?: AbortSignal;
  /** The same for the server's stop: the run's next owner continues. */
  letGo?: AbortSignal;
  /** Called before each wait: what else has come must not be swept away meanwhile. */
  onWait?(): Promise<void>;
  onExpiring?(): Promise<void>;
  /** Why it is not downloaded yet, in a sentence; reported when it changes. */
  onDelay?(message: string): Promise<void>;
};

/** What a provider is called with for the files that it made. */
export function downloadContext(
  deps: EngineDeps,
  adapter: Adapter,
  connection: SealedConnection,
  signal: AbortSignal,
): CallContext {
  const mostMs = deps.outputSilenceMs ?? silenceMs;
  return callContext(deps, adapter, connection, signal, {
    headersTimeoutMs: mostMs,
    idleTimeoutMs: mostMs,
  });
}

/** Our own disk, bucket or database has no room or does not answer: what was paid for is kept trying for as long as it takes. */
export const isOurStorage = (error: unknown): boolean =>
  (error instanceof Problem && (error.code === "storage_full" || error.code === "unavailable")) ||
  isTransient(error);

export async function whileStorageFails<T>(
  deps: EngineDeps,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isOurStorage(error)) throw error;
      const waitMs = deps.outputRetryMs?.[0] ?? storageRetryMs;
      deps.log.warn(
        { error: String(error), waitMs },
        "the file storage failed while a result was saved; retrying",
      );
      await sleep(waitMs, undefined, { signal });
    }
  }
}

/**
 * Downloads one output into the storage and verifies it. A broken transfer resumes, a failed one is tried
 * again for as long as the provider keeps the file, and a failure of our own storage never counts.
 * @throws what the last try failed with, when no more make sense
 */
export async function bringHome(
  deps: EngineDeps,
  run: OwnedRun,
  { file, output }: Source,
  fetching: Fetching,
): Promise<Kept> {
  const { signal } = fetching.context;
  const lifetime = createLifetime(deps.clock, {
    ...fetching,
    isLocal: isFreeAt(fetching.adapter, { baseUrls: fetching.context.connection.addresses }),
  });
  const source = openerOf(deps, run, file, fetching, lifetime);
  const oddBefore = { sha256: "" };
  let told = "";
  for (let tries = 0; ; tries++) {
    const beganAt = deps.clock.monotonic();
    try {
      const kept = await keepBytes(deps, source.open, {
        mostBytes: limits.outputBytes,
        signal,
        mime: file.mime,
        run,
      });
      return { ...kept, ...(await refuseOdd(deps, file, kept, oddBefore)) };
    } catch (error) {
      const ours = !source.hasFailed() && isOurStorage(error);
      if (signal.aborted || isHopeless(error)) throw error;
      if (
        !ours &&
        (fetching.once ||
          fetching.impatience?.aborted ||
          lifetime.isOver(beganAt, isRefusal(error)))
      )
        throw error;
      const waitMs = ours ? (deps.outputRetryMs?.[0] ?? storageRetryMs) : waitOf(deps, tries);
      deps.log.warn(
        { index: output.index, error: String(error), waitMs },
        "could not save a result; retrying",
      );
      const { message } = toRunError(error, run.connectionId);
      if (message !== told) await fetching.onDelay?.(message);
      told = message;
      await pause(fetching, lifetime, waitMs);
      if (fetching.letGo?.aborted) throw new Fenced(output.runId);
    }
  }
}

function waitOf(deps: EngineDeps, tries: number): number {
  const waits = deps.outputRetryMs ?? retryMs;
  const longest = waits[Math.min(tries, waits.length - 1)] ?? 0;
  return Math.round(longest / 2 + (deps.random() / 2 ** 31) * (longest / 2));
}

/** @throws the signal's reason */
async function pause(fetching: Fetching, lifetime: Lifetime, waitMs: number): Promise<void> {
  const { context, impatience, letGo, onWait, onExpiring } = fetching;
  await onWait?.();
  if (lifetime.isAlarm()) await onExpiring?.();
  const signal = AbortSignal.any(
    [context.signal, impatience, letGo].filter((end) => end !== undefined),
  );
  await sleep(lifetime.cut(waitMs), undefined, { signal }).catch(() =>
    context.signal.throwIfAborted(),
  );
}

/** The bytes of one output at each call, and what is known when that or the storing of them failed. */
function openerOf(
  deps: EngineDeps,
  run: OwnedRun,
  file: ProducedFile,
  fetching: Fetching,
  lifetime: Lifetime,
) {
  const { adapter, context } = fetching;
  let failed = false;
  /** A broken transfer resumes when the provider answers again. */
  async function mayGoOn(failures: number): Promise<boolean> {
    if (
      fetching.once ||
      fetching.impatience?.aborted ||
      fetching.letGo?.aborted ||
      lifetime.isOver(deps.clock.monotonic(), false)
    )
      return false;
    await pause(fetching, lifetime, waitOf(deps, failures - 1));
    return true;
  }
  async function bytes(): Promise<AsyncIterable<Uint8Array>> {
    if ("url" in file && file.needsKey && adapter.openFile)
      return adapter.openFile(file.url, context);
    if ("url" in file) {
      const { fetch, signal } = context;
      return (
        await openDownload({
          fetch,
          url: file.url,
          mime: file.mime,
          mostBytes: limits.outputBytes,
          signal,
          mayGoOn,
        })
      ).stream;
    }
    if ("open" in file) return file.open();
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
        let isFirst = true;
        try {
          for await (const bytes of source) {
            yield bytes;
            if (isFirst) await deps.failpoints?.at("output.begun", run);
            isFirst = false;
          }
        } catch (error) {
          fail(error);
        }
      })();
    },
    /** Whether it was the source that failed, and not our storage: what is read from there may be kept twice, and lies there once. */
    hasFailed: (): boolean => failed && !("open" in file),
  };
}

/** Media of which a page or a message in words is never a form. */
const mediaTypes = /^(image\/(?!svg)|video\/|audio\/)/;

/**
 * Holds what came against what was promised. Words in place of a picture are a message of the provider's. Another size or
 * hash than promised is fetched once more; when the same bytes come again they are the result, and the promise was wrong.
 */
async function refuseOdd(
  deps: EngineDeps,
  file: ProducedFile,
  kept: Kept,
  before: { sha256: string },
): Promise<{ odd?: string }> {
  if (!("url" in file)) return {};
  if (kept.bytes === 0)
    throw new ProviderError("output_unavailable", "yes", {
      message: sentences.runs.resultEmpty,
    });
  if (file.mime && mediaTypes.test(file.mime)) {
    const type = await sniffType(await readHead(deps, kept.sha256, kept.bytes), file.name);
    if (type.kind === "text")
      throw new ProviderError("output_unavailable", "yes", {
        message: sentences.runs.resultText,
      });
  }
  const { size = kept.bytes, sha256 = kept.sha256 } = file;
  if (size === kept.bytes && sha256 === kept.sha256) return {};
  const odd =
    size === kept.bytes
      ? "is not the file that the provider announced"
      : `has ${kept.bytes} bytes, and the provider announced ${size}`;
  if (before.sha256 === kept.sha256) return { odd };
  before.sha256 = kept.sha256;
  throw new ProviderError("provider_interrupted", "yes", {
    message: sentences.runs.resultOdd({ fault: odd }),
  });
}

const isRefusal = (error: unknown): boolean =>
  error instanceof ProviderError && error.code === "output_unavailable";

/** Gone for good, at an address that is never asked, or larger than anything we keep. A 404 may be a file that is not there yet. */
function isHopeless(error: unknown): boolean {
  if (!(error instanceof ProviderError || error instanceof Problem)) return false;
  if (error instanceof ProviderError && isRefusedAddress(error)) return true;
  return error.code === "too_large" || error.detail.httpStatus === 410;
}
