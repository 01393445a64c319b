import type { ModelDetail, Visibility } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { checkInput } from "#domain/schemas/input-schema.ts";
import { getAssetsIn } from "#store/content/assets.ts";
import { getRunsByIds } from "#store/runs/run-lists.ts";
import type { Asker } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";

export function requireValid(model: ModelDetail, input: JsonObject): void {
  const issue = checkInput(model.inputSchema, input)[0];
  if (issue)
    throw new Problem("invalid_input", {
      field: issue.field ? `input.${issue.field}` : "input",
      message: `${model.name} does not accept this: ${issue.message}`,
    });
}

/**
 * Checks that the person can read these files in the project.
 * @returns "author" if one of the files is visible to its author alone; else "project"
 * @throws Problem not_found
 */
export async function requireAssets(
  deps: EngineDeps,
  asker: Asker,
  projectId: string,
  ids: readonly string[],
): Promise<Visibility> {
  const found = await getAssetsIn(deps.store.read, projectId, asker.userId, ids);
  const known = new Set(found.map((asset) => asset.id));
  if (ids.some((id) => !known.has(id)))
    throw new Problem("not_found", {
      message: sentences.files.oneGone,
    });
  return found.some(({ visibility }) => visibility === "author") ? "author" : "project";
}

/**
 * Returns the visibility of a run made from earlier runs: a run that refers to a private one is
 * private too.
 * @throws Problem not_found for a run that this person can't see in the project
 */
export async function requireRuns(
  deps: EngineDeps,
  asker: Asker,
  projectId: string,
  ids: readonly string[],
): Promise<Visibility> {
  const found = (await getRunsByIds(deps.store.read, ids)).filter(
    (run) =>
      run.projectId === projectId && (run.visibility === "project" || run.userId === asker.userId),
  );
  if (found.length < ids.length)
    throw new Problem("not_found", {
      message: sentences.runs.sourceMissing,
    });
  return found.some(({ visibility }) => visibility === "author") ? "author" : "project";
}
