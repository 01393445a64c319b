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
import { readHead } from "./media/read-head.ts";
import { sniffType } from "./media/sniff.ts";
import { createLifetime, type Lifetime } from "./output-lifetime.ts";
import { storeBytes } from "./store-bytes.ts";

/**
 * The waits between attempts to download an output; the last one repeats for as long as the
 * provider keeps the file.
 */
const retryMs = [500, 2_000, 5_000, 15_000, 60_000, 5 * 60_000, 10 * 60_000];
/** Between attempts when our own storage fails. */
const storageRetryMs = 5_000;

/**
 * A download without a byte for this long restarts or resumes, because an existing file arrives
 * immediately.
 */
const silenceMs = 60_000;

/** `odd` states how the file differs from what the provider declared. */
export type StoredFile = { sha256: string; bytes: number; odd?: string };
export type Source = { file: ProducedFile; output: Output };

export type Fetching = {
  adapter: Pick<Adapter, "openFile" | "free" | "runsOn" | "addresses">;
  context: CallContext;
  /** A person waits for the answer, so there is one attempt only. */
  once?: boolean;
  promisedAt: number;
  expiresAt: number;
  /** Ends the waits between attempts, but not a running download, when a person cancels. */
  impatience?: AbortSignal;
  /** The same for the server's shutdown; the run's next owner continues. */
  letGo?: AbortSignal;
  /** Called before each wait, to keep files that have arrived from being swept. */
  onWait?(): Promise<void>;
  onExpiring?(): Promise<void>;
  /** Reports why the output isn't downloaded yet, in a sentence, whenever the reason changes. */
  onDelay?(message: string): Promise<void>;
};

/** The context for downloading a provider's files. */
export function downloadContext(
  deps: EngineDeps,
  adapter: Adapter,
  connection: SealedConnection,
  signal: AbortSignal,
): CallContext {
  const maxMs = deps.outputSilenceMs ?? silenceMs;
  return callContext(deps, adapter, connection, signal, {
    headersTimeoutMs: maxMs,
    idleTimeoutMs: maxMs,
  });
}

/**
 * Whether our own disk, bucket or database is full or unreachable. A paid result is retried until
 * they recover.
 */
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
 * Downloads one output into storage and verifies it. A broken transfer resumes, and a failed one is
 * retried for as long as the provider keeps the file. Failures of our own storage don't count.
 * @throws the last attempt's error once retrying is pointless
 */
export async function downloadOutput(
  deps: EngineDeps,
  run: OwnedRun,
  { file, output }: Source,
  fetching: Fetching,
): Promise<StoredFile> {
  const { signal } = fetching.context;
  const lifetime = createLifetime(deps.clock, {
    ...fetching,
    isLocal: isFreeAt(fetching.adapter, { baseUrls: fetching.context.connection.addresses }),
  });
  const source = openerOf(deps, run, file, fetching, lifetime);
  const oddBefore = { sha256: "" };
  let lastReported = "";
  for (let tries = 0; ; tries++) {
    const beganAt = deps.clock.monotonic();
    try {
      const kept = await storeBytes(deps, source.open, {
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
      if (message !== lastReported) await fetching.onDelay?.(message);
      lastReported = message;
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

/**
 * Opens an output's bytes again on each call, and distinguishes a failure of the source from one of
 * our storage.
 */
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
    /**
     * Whether the source failed rather than our storage. A file with `open` is itself read from our
     * storage.
     */
    hasFailed: (): boolean => failed && !("open" in file),
  };
}

/** Media types that an error page or a text message can never have. */
const mediaTypes = /^(image\/(?!svg)|video\/|audio\/)/;

/**
 * Compares the file with the provider's declaration. Text instead of a picture is an error message
 * from the provider. A file of another size or hash is downloaded again; if the same bytes come
 * twice, they are the result and the declaration was wrong.
 */
async function refuseOdd(
  deps: EngineDeps,
  file: ProducedFile,
  kept: StoredFile,
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

/**
 * Whether a download can never succeed: the file is gone, its address is forbidden, or it is too
 * large. After a 404 the file may still appear.
 */
function isHopeless(error: unknown): boolean {
  if (!(error instanceof ProviderError || error instanceof Problem)) return false;
  if (error instanceof ProviderError && isRefusedAddress(error)) return true;
  return error.code === "too_large" || error.detail.httpStatus === 410;
}
