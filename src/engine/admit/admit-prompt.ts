import type { ModelRef, Run } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type Task, tasks } from "#contract/tasks.ts";
import { isHeicType } from "#domain/files/heic.ts";
import {
  describeInstructions,
  describeQuestion,
  improveInstructions,
} from "#domain/text/prompt-help.ts";
import { getAssetsIn } from "#store/content/assets.ts";
import { getModel } from "#store/models/models.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import type { StoredPart } from "../plan/turns.ts";
import { admitTurns } from "./admit-turns.ts";

export type PromptAsk = {
  projectId: string;
  model: ModelRef;
  /** The task that the prompt is for. */
  task: Task;
  /** The prompt to improve, or the picture to describe. */
  about: { prompt: string } | { assetId: string };
  idempotencyKey?: string;
};

/**
 * Admits a run that writes a prompt with a language model. Only its author sees the run, which
 * stores the answer.
 * @throws Problem invalid_input for a model that can't read pictures or a file that isn't one, and
 *   what `admitTurns` throws
 */
export async function admitPrompt(deps: EngineDeps, asker: Asker, ask: PromptAsk): Promise<Run> {
  const { projectId, model, task, about, idempotencyKey } = ask;
  const { many } = tasks[task].makes;
  if ("assetId" in about) await requirePicture(deps, asker, ask, about.assetId);
  const [instructions, parts]: [string, StoredPart[]] =
    "prompt" in about
      ? [improveInstructions(many), [{ type: "text", text: about.prompt }]]
      : [
          describeInstructions(many),
          [
            { type: "file", assetId: about.assetId },
            { type: "text", text: describeQuestion },
          ],
        ];
  return admitTurns(deps, asker, {
    projectId,
    model,
    turns: [
      { role: "system", parts: [{ type: "text", text: instructions }] },
      { role: "user", parts },
    ],
    settings: {},
    ...(idempotencyKey && { idempotency: { key: idempotencyKey, request: ask } }),
  });
}

/**
 * Checks only the kinds of model and file. Planning the run checks whether the asker may use them.
 */
async function requirePicture(
  { store }: EngineDeps,
  asker: Asker,
  { projectId, model: { connectionId, modelId } }: PromptAsk,
  assetId: string,
): Promise<void> {
  const model = await getModel(store.read, connectionId, modelId);
  if (model && !model.inputModalities.includes("image"))
    throw new Problem("invalid_input", {
      field: "model",
      message: sentences.media.readsNoPictures({ model: model.name }),
    });
  const [asset] = await getAssetsIn(store.read, projectId, asker.userId, [assetId]);
  if (asset && asset.kind !== "image")
    throw new Problem("invalid_input", {
      field: "assetId",
      message: isHeicType(asset.mime)
        ? sentences.media.isHeic({ picture: asset.title })
        : sentences.media.notPicture({ file: asset.title, type: asset.mime }),
    });
}
