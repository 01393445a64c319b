import type { Asset, ModelDetail, RunWarning } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { tasks } from "#contract/tasks.ts";
import { promptOf } from "#domain/schemas/input-schema.ts";
import {
  insertKeptAsset,
  insertRunInputs,
  insertUpload,
  type NewAsset,
} from "#store/content/assets.ts";
import { noteAfterEnd } from "#store/runs/ended-runs.ts";
import { insertOutput } from "#store/runs/outputs.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { appendRunEvents, lockRun } from "#store/runs/runs.ts";
import type { Unit } from "#store/runs/unit.ts";
import type { EngineDeps } from "../deps.ts";
import { titleOf } from "../ingest/ingest.ts";
import { sniffType } from "../ingest/media/sniff.ts";
import { storeBytes } from "../ingest/store-bytes.ts";
import { refuseWhenFull } from "../room.ts";
import { warnOfStorage, withStorageWarning } from "../settle/storage-warning.ts";
import type { CanvasInput, ShownFrame } from "./relay.ts";
import { whyNotInProject } from "./session-rights.ts";

/**
 * The session's drawings that are already assets, by hash: frames pinned from the same drawing
 * share one source.
 */
export type PinnedDrawings = Map<string, string>;
type LiveRun = { run: OwnedRun; model: ModelDetail; drawings: PinnedDrawings };

/**
 * Pins a frame: saves its bytes unchanged as an asset of its run, with its recipe. The drawing
 * becomes an asset of its own, and the frame's source.
 * @throws Problem storage_full, unavailable
 * @throws Problem not_found if the run was removed, forbidden if the person may no longer make
 *   anything in the project
 */
export async function pinFrame(
  deps: EngineDeps,
  drawn: LiveRun,
  frame: ShownFrame,
): Promise<Asset> {
  await refuseWhenFull(deps);
  const { run, model } = drawn;
  const made = await fileFacts(deps, frame.bytes, limits.frameBytes);
  const drawing =
    frame.of.drawing && (await fileFacts(deps, frame.of.drawing.bytes, limits.drawingBytes));
  const { asset, drawingId } = await deps.commit(async (unit) => {
    const isNewDrawing = drawing && !drawn.drawings.has(drawing.sha256);
    const bytes = made.bytes + (isNewDrawing ? drawing.bytes : 0);
    const above = await warnOfStorage(deps, unit.tx, run, bytes);
    const known = await lockRun(unit.tx, run.id);
    if (!known) throw new Problem("not_found");
    const barred = await whyNotInProject(unit.tx, known);
    if (barred) throw barred;
    const drawingId = drawing && (await pinDrawing(unit, deps, drawn, drawing));
    const input = inputOf(model, frame.of, frame.seed, drawingId);
    const prompt = promptOf(input);
    const assetId = deps.ids();
    const title = titleOf(prompt, tasks.live.makes.one);
    const index = await insertOutput(unit.tx, run.id, {
      name: title,
      bytes: made.bytes,
      sha256: made.sha256,
      assetId,
      input,
    });
    const event = { type: "output-stored", payload: { index, assetId } } as const;
    const warnings = (before: RunWarning[]) => withStorageWarning(before, above);
    if (known.finishedAt === null) {
      const set = { warnings: JSON.stringify(warnings(known.warnings)) };
      await appendRunEvents(unit, known, [event], set);
    } else await noteAfterEnd(unit, { runId: run.id, events: [event], warnings });
    const asset = await insertKeptAsset(unit, {
      ...made,
      id: assetId,
      projectId: run.projectId,
      visibility: "project",
      runId: run.id,
      outputIndex: index,
      uploadId: null,
      createdBy: run.userId,
      title,
      promptText: prompt,
      modelName: model.name,
      createdAt: unit.at,
    });
    return { asset, drawingId };
  });
  if (drawing && drawingId !== null) drawn.drawings.set(drawing.sha256, drawingId);
  return asset;
}

type Facts = Pick<
  NewAsset,
  | "sha256"
  | "bytes"
  | "kind"
  | "mime"
  | "width"
  | "height"
  | "durationMs"
  | "thumbhash"
  | "phash"
  | "variants"
  | "provenance"
>;

async function fileFacts(deps: EngineDeps, bytes: Uint8Array, mostBytes: number): Promise<Facts> {
  const kept = await storeBytes(deps, async () => once(bytes), { mostBytes });
  const type = await sniffType(bytes);
  const facts = await deps.media.describe(kept.sha256, type);
  return { ...kept, kind: type.kind, mime: type.mime, ...facts };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function pinDrawing(
  unit: Unit,
  deps: EngineDeps,
  drawn: LiveRun,
  drawing: Facts,
): Promise<string> {
  const { run, model, drawings } = drawn;
  const role = drawingFieldOf(model) ?? "drawing";
  let id = drawings.get(drawing.sha256);
  if (!id) {
    id = deps.ids();
    const uploadId = deps.ids();
    const { projectId, userId } = run;
    const title = "Drawing";
    await insertUpload(unit.tx, {
      id: uploadId,
      projectId,
      userId,
      name: title,
      bytes: drawing.bytes,
      sha256: drawing.sha256,
      at: unit.at,
    });
    await insertKeptAsset(unit, {
      ...drawing,
      id,
      projectId,
      visibility: "project",
      runId: null,
      outputIndex: null,
      uploadId,
      createdBy: userId,
      title,
      promptText: "",
      modelName: "",
      createdAt: unit.at,
    });
  }
  await insertRunInputs(unit.tx, run.id, [{ assetId: id, role }]);
  return id;
}

const drawingFieldOf = (model: Pick<ModelDetail, "capabilities">): string | null =>
  (model.capabilities as { live?: { drawing: string | null } }).live?.drawing ?? null;

/** The frame's recipe: the settings at the time, the seed that the model used, and the drawing. */
function inputOf(
  model: ModelDetail,
  of: CanvasInput,
  seed: number | undefined,
  drawingId: string | null,
): JsonObject {
  const field = drawingFieldOf(model);
  return {
    ...of.settings,
    ...(seed !== undefined && { seed }),
    ...(drawingId !== null && field !== null && { [field]: `asset:${drawingId}` }),
  };
}
