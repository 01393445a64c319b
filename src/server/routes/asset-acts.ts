import { setImmediate } from "node:timers/promises";
import type { z } from "zod";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { assetSchemas } from "#contract/schemas/assets.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type ActOutcome, joinOutcomes } from "#store/content/act-outcomes.ts";
import { actOnAssets } from "#store/content/asset-acts.ts";
import { ensureTags } from "#store/content/tags.ts";
import type { ServerDeps } from "../deps.ts";
import { askOf } from "./library-lists.ts";

type Body = z.output<typeof assetSchemas.updateAssets.body>;

/** Assets of one unit. The indexes of 100 take some milliseconds of the main thread with SQLite. */
const sliceAssets = 100;

/** An act on many assets, a slice at a time: what else waits for the database has its turn between two. */
export async function actOnMany(
  deps: Pick<ServerDeps, "commit" | "lists" | "store" | "ids">,
  userId: string,
  body: Body,
): Promise<RouteOutput<"updateAssets">> {
  const { projectId, action, rating, tags, collectionId } = body;
  const ids = body.ids
    ? [...new Set(body.ids)]
    : await listMatching(
        deps,
        userId,
        { ...body.filter!, projectId: body.projectId },
        sentences.files.tooManyAtOnce,
      );
  const made =
    tags && (await deps.commit((unit) => ensureTags(unit, deps.ids, { projectId, userId }, tags)));
  const tagIds = made ? made.map(({ id }) => id) : body.tagIds;
  const orderKeys = body.orderKeys && new Map(body.ids?.map((id, i) => [id, body.orderKeys![i]!]));
  const outcomes: ActOutcome[] = [];
  for (let from = 0; from < ids.length; from += sliceAssets) {
    const some = ids.slice(from, from + sliceAssets);
    outcomes.push(
      await deps.commit((unit) =>
        actOnAssets(
          unit,
          { projectId, userId },
          some,
          { action, rating, tagIds, collectionId },
          orderKeys,
        ),
      ),
    );
    await setImmediate();
  }
  const { changed, left, undo } = joinOutcomes(outcomes);
  return {
    changed,
    left: [...left].map(([reason, count]) => ({ reason, count })),
    undo: undo.map(({ act: { tagIds: of, ...act }, ...rest }) => ({
      ...act,
      ...(of && { tagIds: [...of] }),
      ...rest,
    })),
  };
}

/** @throws Problem invalid_input where the filter matches more than are taken at once */
export async function listMatching(
  { store, lists }: Pick<ServerDeps, "store" | "lists">,
  userId: string,
  filter: Parameters<typeof askOf>[2],
  tooMany: (of: { count: number; most: number }) => string,
): Promise<string[]> {
  const { scope, view } = await askOf(store, userId, filter);
  const { ids, next } = await lists.libraries.page(scope, view, { limit: limits.actAssets });
  if (next === null) return ids;
  const { count } = await lists.libraries.layOut(scope, view, limits.pageSize);
  const message = tooMany({ count, most: limits.actAssets });
  throw new Problem("invalid_input", { field: "filter", message });
}
