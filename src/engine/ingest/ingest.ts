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
  bringHome,
  isOurStorage,
  type Kept,
  type Source,
  whileStorageFails,
} from "./bring-home.ts";
import { graceMs } from "./keep-bytes.ts";
import type { MediaFacts } from "./media/media.ts";
import { readHead } from "./media/read-head.ts";
import { sniffType } from "./media/sniff.ts";

/** What is the same for all outputs of a run. */
export type Ingesting = {
  modelName: string;
  adapter: Pick<Adapter, "openFile" | "outputLifetimeMs" | "free" | "runsOn" | "addresses">;
  context: CallContext;
  once?: boolean;
  impatience?: AbortSignal;
  letGo?: AbortSignal;
  /** The provider keeps this one not much longer, and it is still not here. */
  onExpiring?(output: Output): Promise<void>;
  /** Why one is not here yet. */
  onDelay?(output: Output, message: string): Promise<void>;
};

/** Files that are here stay wanted while the others are on their way: well within the collector's grace. */
const warmMs = graceMs / 6;

/** Between tries of a preview that found no room, and how many they are. */
const previewRetryMs = 5_000;
const previewTries = 12;

type SniffedType = Awaited<ReturnType<typeof sniffType>>;
type Seen = { facts: MediaFacts; lacks?: string };
const nothingSeen: MediaFacts = {
  width: null,
  height: null,
  durationMs: null,
  thumbhash: null,
  phash: null,
  variants: [],
  provenance: null,
};

/** When a provider lets go of an output: as it said, else as its kind does. */
export const expiryOf = (
  adapter: Pick<Adapter, "outputLifetimeMs">,
  expiresAt: number | undefined,
  now: number,
): number => expiresAt ?? now + (adapter.outputLifetimeMs ?? limits.outputLifetimeMs);

/**
 * Brings every promised output home: fetched, hashed, kept, described. Nothing is written to the database but that kept
 * files are still wanted; the caller settles with what came. An output that can't be had any more is reported as lost, the
 * others are kept. All at once: one that takes a week to come does not hold up the others.
 */
export async function ingestOutputs(
  deps: EngineDeps,
  run: OwnedRun,
  sources: readonly Source[],
  ingesting: Ingesting,
): Promise<Ingested> {
  const { signal } = ingesting.context;
  const ingested: Ingested = { assets: [], lost: [], warnings: [] };
  const here: (Kept & { mime: string })[] = [];
  const keepWarm = async (): Promise<void> => {
    // A database that does not take it now does so at the next wait, long before anything is swept.
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
  // One transfer may take longer than the grace without ever waiting.
  const warming = setInterval(() => void keepWarm(), warmMs).unref();
  const origin = findOrigin(deps, run);
  const work = sources.map(async (source) => {
    const { index, expiresAt } = source.output;
    try {
      const kept = await bringHome(deps, run, source, {
        ...ingesting,
        promisedAt: run.startedAt ?? run.createdAt,
        expiresAt: expiryOf(ingesting.adapter, expiresAt ?? undefined, deps.clock.now()),
        onWait: keepWarm,
        onExpiring: () => ingesting.onExpiring?.(source.output) ?? Promise.resolve(),
        onDelay: (message) => ingesting.onDelay?.(source.output, message) ?? Promise.resolve(),
      });
      here.push({ ...kept, mime: source.file.mime ?? "application/octet-stream" });
      const type = await whileStorageFails(deps, signal, async () =>
        sniffType(await readHead(deps, kept.sha256, kept.bytes), source.file.name),
      );
      const seen = await lookInto(deps, run, kept.sha256, type, ingesting);
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
 * What is seen in a kept file. Where there is no room to make its preview that is tried again for a minute: what was paid for
 * waits no longer for it.
 * @returns `lacks`: why there is no preview, when it is not the file's own fault
 */
async function lookInto(
  deps: EngineDeps,
  run: OwnedRun,
  sha256: string,
  type: SniffedType,
  ingesting: Ingesting,
): Promise<Seen> {
  const { context, once, impatience, letGo } = ingesting;
  const waiting = AbortSignal.any(
    [context.signal, impatience, letGo].filter((end) => end !== undefined),
  );
  for (let left = once ? 0 : previewTries - 1; ; left--) {
    try {
      return { facts: await deps.media.describe(sha256, type) };
    } catch (error) {
      deps.log.warn({ runId: run.id, error: String(error), left }, "could not look into an output");
      // The run's next owner checks again.
      if (letGo?.aborted) throw new Fenced(run.id);
      if (!isOurStorage(error)) return { facts: nothingSeen };
      if (left <= 0 || impatience?.aborted)
        return { facts: nothingSeen, lacks: problemOf(error).message };
      await sleep(deps.outputRetryMs?.[0] ?? previewRetryMs, undefined, { signal: waiting }).catch(
        () => context.signal.throwIfAborted(),
      );
    }
  }
}

/** Tasks whose results are the picture that they were given, changed. */
const changing: readonly Task[] = ["edit", "upscale", "background-removal"];

/**
 * A crop or an enlargement has no words of its own, and keeps those of its origin. Both are seen by the same people: a run
 * that was given a private file is private.
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
    // Its words are worth less than the result.
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
 * The name that a program of an answer gave its file, as names are: on one line, in one direction. Undefined for those given here, which
 * have no extension ("picture-1").
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

/** A provider may say anything: the columns take whole numbers of 32 bits, and what is none of these is not known. */
function toCount(value: number | null | undefined): number | null {
  const count = Math.round(value ?? Number.NaN);
  return count >= 0 && count < 2 ** 31 ? count : null;
}

/** The first words of the prompt, or what it is. */
export function titleOf(prompt: string, fallback: string): string {
  const line = prompt.trim().split("\n")[0]?.trim() ?? "";
  const characters = [...line];
  if (characters.length === 0) return `${fallback[0]?.toUpperCase()}${fallback.slice(1)}`;
  return characters.length <= 80 ? line : `${characters.slice(0, 79).join("").trimEnd()}…`;
}
