import { setTimeout as sleep } from "node:timers/promises";
import { cleanText, turnsDirection } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type Task, tasks } from "#contract/tasks.ts";
import { promptOf } from "#domain/schemas/input-schema.ts";
import type { Adapter, CallContext } from "#providers/adapter.ts";
import { getAsset, listRunInputs, type NewAsset } from "#store/content/assets.ts";
import { touchBlob } from "#store/content/blobs.ts";
import type { Output } from "#store/runs/outputs.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { Fenced } from "#store/runs/runs.ts";
import type { EngineDeps } from "../deps.ts";
import { problemOf } from "../persist.ts";
import type { Ingested } from "../settle/settle.ts";
import {
  downloadOutput,
  isOurStorage,
  type Source,
  type StoredFile,
  whileStorageFails,
} from "./download-output.ts";
import { type MediaFacts, noFacts } from "./media/media.ts";
import { readHead } from "./media/read-head.ts";
import { sniffType } from "./media/sniff.ts";
import { graceMs } from "./store-bytes.ts";

/** Settings that all outputs of a run share. */
export type Ingesting = {
  modelName: string;
  adapter: Pick<Adapter, "openFile" | "outputLifetimeMs" | "free" | "runsOn" | "addresses">;
  context: CallContext;
  once?: boolean;
  impatience?: AbortSignal;
  letGo?: AbortSignal;
  /** Called when the provider will soon delete an output that isn't downloaded. */
  onExpiring?(output: Output): Promise<void>;
  /** Called with the reason why an output isn't downloaded yet. */
  onDelay?(output: Output, message: string): Promise<void>;
};

/**
 * How often stored files are marked as needed while others are downloading: well within the
 * collector's grace period.
 */
const warmMs = graceMs / 6;

/** The wait between attempts at a preview when storage is full, and their number. */
const previewRetryMs = 5_000;
const previewTries = 12;

type SniffedType = Awaited<ReturnType<typeof sniffType>>;
type Inspection = { facts: MediaFacts; lacks?: string };

/** When a provider deletes an output: as it states, or else the default of its kind. */
export const expiryOf = (
  adapter: Pick<Adapter, "outputLifetimeMs">,
  expiresAt: number | undefined,
  now: number,
): number => expiresAt ?? now + (adapter.outputLifetimeMs ?? limits.outputLifetimeMs);

/**
 * Downloads, hashes, stores and describes each output. The database is written only to keep stored
 * files from being collected; the caller settles the run with the result. An output that can't be
 * had anymore is reported as lost and the others are stored. All download at once, so one that
 * takes a week doesn't delay the others.
 */
export async function ingestOutputs(
  deps: EngineDeps,
  run: OwnedRun,
  sources: readonly Source[],
  ingesting: Ingesting,
): Promise<Ingested> {
  const { signal } = ingesting.context;
  const ingested: Ingested = { assets: [], lost: [], warnings: [] };
  const here: (StoredFile & { mime: string })[] = [];
  const touchBlobs = async (): Promise<void> => {
    // A failed write is repeated at the next wait, long before the files would be swept.
    for (const blob of here)
      await deps
        .commit(({ tx, at }) => touchBlob(tx, { ...blob, at }))
        .catch((error) =>
          deps.log.warn(
            { error: String(error) },
            "could not say that a kept output is still wanted",
          ),
        );
  };
  // A single transfer can take longer than the grace period without ever waiting.
  const warming = setInterval(() => void touchBlobs(), warmMs).unref();
  const origin = findOrigin(deps, run);
  const work = sources.map(async (source) => {
    const { index, expiresAt } = source.output;
    try {
      const kept = await downloadOutput(deps, run, source, {
        ...ingesting,
        promisedAt: run.startedAt ?? run.createdAt,
        expiresAt: expiryOf(ingesting.adapter, expiresAt ?? undefined, deps.clock.now()),
        onWait: touchBlobs,
        onExpiring: () => ingesting.onExpiring?.(source.output) ?? Promise.resolve(),
        onDelay: (message) => ingesting.onDelay?.(source.output, message) ?? Promise.resolve(),
      });
      here.push({ ...kept, mime: source.file.mime ?? "application/octet-stream" });
      const type = await whileStorageFails(deps, signal, async () =>
        sniffType(await readHead(deps, kept.sha256, kept.bytes), source.file.name),
      );
      const seen = await inspectFile(deps, run, kept.sha256, type, ingesting);
      ingested.assets.push({
        index,
        asset: {
          ...toAsset(deps, run, ingesting.modelName, source, { ...kept, ...type, ...seen.facts }),
          ...(await origin),
        },
      });
      if (seen.lacks)
        ingested.warnings.push({
          type: "note",
          feature: `outputs.${index}`,
          message: sentences.files.noPreview({ index: index + 1, reason: seen.lacks }),
        });
      if (kept.odd)
        ingested.warnings.push({
          type: "note",
          feature: `outputs.${index}`,
          message: sentences.files.savedAsIs({ index: index + 1, fault: kept.odd }),
        });
    } catch (error) {
      if (signal.aborted || error instanceof Fenced) throw error;
      ingested.lost.push({ index, error });
    }
  });
  await Promise.all(work).finally(() => clearInterval(warming));
  ingested.assets.sort((a, b) => a.index - b.index);
  ingested.lost.sort((a, b) => a.index - b.index);
  return ingested;
}

/**
 * Describes a stored file. If there is no room for its preview, this is retried for a minute; the
 * paid result doesn't wait longer.
 * @returns `lacks`: why there is no preview, unless the file itself is the cause
 */
async function inspectFile(
  deps: EngineDeps,
  run: OwnedRun,
  sha256: string,
  type: SniffedType,
  ingesting: Ingesting,
): Promise<Inspection> {
  const { context, once, impatience, letGo } = ingesting;
  const waiting = AbortSignal.any(
    [context.signal, impatience, letGo].filter((end) => end !== undefined),
  );
  for (let left = once ? 0 : previewTries - 1; ; left--) {
    try {
      return { facts: await deps.media.describe(sha256, type) };
    } catch (error) {
      deps.log.warn({ runId: run.id, error: String(error), left }, "could not look into an output");
      // The run's next owner describes the file again.
      if (letGo?.aborted) throw new Fenced(run.id);
      if (!isOurStorage(error)) return { facts: noFacts() };
      if (left <= 0 || impatience?.aborted)
        return { facts: noFacts(), lacks: problemOf(error).message };
      await sleep(deps.outputRetryMs?.[0] ?? previewRetryMs, undefined, { signal: waiting }).catch(
        () => context.signal.throwIfAborted(),
      );
    }
  }
}

/** Tasks whose result is a changed version of their input picture. */
const changing: readonly Task[] = ["edit", "upscale", "background-removal"];

/**
 * A crop or an enlargement has no prompt, so it inherits its source's title and prompt. The same
 * people see both, because a run with a private source is private.
 */
async function findOrigin(
  deps: EngineDeps,
  run: OwnedRun,
): Promise<Pick<NewAsset, "title" | "promptText"> | undefined> {
  if (!changing.includes(run.task) || promptOf(run.input as JsonObject) !== "") return undefined;
  try {
    const [input] = await listRunInputs(deps.store.read, run.id);
    const asset = input && (await getAsset(deps.store.read, input.assetId));
    if (!asset || (asset.visibility === "author" && run.visibility !== "author")) return undefined;
    return { title: asset.title, promptText: asset.promptText };
  } catch (error) {
    // The result matters more than its title.
    deps.log.warn({ runId: run.id, error: String(error) }, "could not read the origin of a result");
    return undefined;
  }
}

function toAsset(
  deps: EngineDeps,
  run: OwnedRun,
  modelName: string,
  { file, output }: Source,
  kept: SniffedType & MediaFacts & { sha256: string; bytes: number },
): NewAsset {
  const prompt = promptOf(run.input as JsonObject);
  return {
    id: deps.ids(),
    projectId: run.projectId,
    visibility: run.visibility,
    runId: run.id,
    outputIndex: output.index,
    uploadId: null,
    createdBy: run.userId,
    sha256: kept.sha256,
    kind: kept.kind,
    mime: kept.mime,
    bytes: kept.bytes,
    width: toCount(kept.width ?? file.width),
    height: toCount(kept.height ?? file.height),
    durationMs: toCount(kept.durationMs ?? file.durationMs),
    thumbhash: kept.thumbhash,
    phash: kept.phash,
    variants: kept.variants,
    provenance: kept.provenance,
    title: ownNameOf(run, file.name) ?? titleOf(prompt, tasks[run.task].makes.one),
    promptText: prompt,
    modelName,
    createdAt: deps.clock.now(),
  };
}

/**
 * The name that a provider's code tool gave a file, on one line and in one direction. Undefined for
 * names assigned here, which have no extension ("picture-1").
 */
function ownNameOf({ task }: Pick<OwnedRun, "task">, name: string): string | undefined {
  if (task !== "chat") return undefined;
  const own = cleanText(name.split(/[/\\]/).at(-1) ?? "")
    .replace(/[\p{Cc}\s]+/gu, " ")
    .replace(turnsDirection, "")
    .normalize("NFC")
    .trim()
    .slice(0, limits.nameCharacters)
    .toWellFormed();
  return /[^.]\.[\p{L}\p{N}]{1,10}$/u.test(own) ? own : undefined;
}

/**
 * Providers may report any number. The columns hold 32-bit whole numbers; anything else counts as
 * unknown.
 */
function toCount(value: number | null | undefined): number | null {
  const count = Math.round(value ?? Number.NaN);
  return count >= 0 && count < 2 ** 31 ? count : null;
}

/** The first words of the prompt, or a name for the kind of file. */
export function titleOf(prompt: string, fallback: string): string {
  const line = prompt.trim().split("\n")[0]?.trim() ?? "";
  const characters = [...line];
  if (characters.length === 0) return `${fallback[0]?.toUpperCase()}${fallback.slice(1)}`;
  return characters.length <= 80 ? line : `${characters.slice(0, 79).join("").trimEnd()}…`;
}
