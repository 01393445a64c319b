import { setImmediate } from "node:timers/promises";
import type { z } from "zod";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { assetSchemas } from "#contract/schemas/assets.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type Actor, decide } from "#domain/people/policy.ts";
import { type ActOutcome, joinOutcomes } from "#store/content/act-outcomes.ts";
import { actOnAssets } from "#store/content/asset-acts.ts";
import { moveAssets } from "#store/content/moved-rows.ts";
import { ensureTags } from "#store/content/tags.ts";
import { findScope } from "#store/people/scopes.ts";
import type { Unit } from "#store/runs/unit.ts";
import type { ServerDeps } from "../deps.ts";
import { askOf } from "./library-lists.ts";

type Body = z.output<typeof assetSchemas.updateAssets.body>;

/**
 * Assets per unit. With SQLite, updating the indexes of 100 takes a few milliseconds of the main
 * thread.
 */
const sliceAssets = 100;

/** Acts on many assets, in slices, so that other work on the database runs in between. */
export async function actOnMany(
  deps: Pick<ServerDeps, "commit" | "lists" | "store" | "ids" | "log">,
  actor: Actor,
  body: Body,
): Promise<RouteOutput<"updateAssets">> {
  const { projectId, action, rating, tags, collectionId, toProjectId } = body;
  const { userId } = actor;
  if (toProjectId !== undefined) await requireMovable(deps, actor, toProjectId);
  const ids = body.ids
    ? [...new Set(body.ids)]
    : await listMatching(
        deps,
        userId,
        { ...body.filter!, projectId: body.projectId },
        sentences.files.tooManyAtOnce,
        new Set(body.exceptIds),
      );
  // Otherwise the act would create its tags for no file.
  if (ids.length === 0) return { changed: 0, left: [], undo: [] };
  const made =
    tags && (await deps.commit((unit) => ensureTags(unit, deps.ids, { projectId, userId }, tags)));
  const tagIds = made ? made.map(({ id }) => id) : body.tagIds;
  const orderKeys = body.orderKeys && new Map(body.ids?.map((id, i) => [id, body.orderKeys![i]!]));
  const actOn = (unit: Unit, some: readonly string[]): Promise<ActOutcome> =>
    action === "move"
      ? moveAssets(unit, deps, { actor, from: projectId, to: toProjectId! }, some)
      : actOnAssets(
          unit,
          { projectId, userId },
          some,
          { action, rating, tagIds, collectionId },
          orderKeys,
        );
  const outcomes: ActOutcome[] = [];
  for (let from = 0; from < ids.length; from += sliceAssets) {
    const some = ids.slice(from, from + sliceAssets);
    try {
      outcomes.push(await deps.commit((unit) => actOn(unit, some)));
    } catch (error) {
      // The slices before it are committed, and their undo must reach the person.
      if (from === 0) throw error;
      deps.log.warn(
        { action, done: from, error: String(error) },
        "an act on files was interrupted",
      );
      const rest = new Map([["interrupted" as const, ids.length - from]]);
      outcomes.push({ changed: 0, left: rest, undo: [] });
      break;
    }
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

/** @throws Problem forbidden, not_found when files may not be moved to the project */
async function requireMovable(
  { store }: Pick<ServerDeps, "store">,
  actor: Actor,
  toProjectId: string,
): Promise<void> {
  // A key belongs to one project: it moves nothing out of it, and nothing into another.
  if (actor.key) throw new Problem("forbidden", { message: sentences.files.notMovedByKey });
  const scope = await findScope(store.read, "project", toProjectId, actor.userId);
  const verdict = decide(actor, "edit", scope);
  if (verdict === "allowed") return;
  throw new Problem(verdict === "hidden" ? "not_found" : "forbidden", {
    message:
      verdict === "hidden" ? sentences.files.noSuchProject : sentences.files.notMovedByViewer,
  });
}

/**
 * Lists the assets that a filter matches, without the exceptions.
 * @throws Problem invalid_input for more assets than one request may contain
 */
export async function listMatching(
  { store, lists }: Pick<ServerDeps, "store" | "lists">,
  userId: string,
  filter: Parameters<typeof askOf>[2],
  tooMany: (of: { count: number; most: number }) => string,
  except: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const { scope, view } = await askOf(store, userId, filter);
  const most = limits.actAssets;
  const { ids, next } = await lists.libraries.page(scope, view, { limit: most + except.size });
  const wanted = ids.filter((id) => !except.has(id));
  if (next === null && wanted.length <= most) return wanted;
  const matches = await lists.libraries.layOut(scope, view, limits.pageSize);
  const count = matches.count - (ids.length - wanted.length);
  throw new Problem("invalid_input", { field: "filter", message: tooMany({ count, most }) });
}
