import { setImmediate } from "node:timers/promises";
import type { Tag } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { tagRoutes } from "#contract/routes/tags.ts";
import { sentences } from "#contract/sentences/index.ts";
import { foldTag } from "#domain/text/fold-tag.ts";
import type { LabelCounts } from "#store/content/library-views.ts";
import { dissolveTag, findNamesake, getTags, listTags, renameTag } from "#store/content/tags.ts";
import { fromCursor, page } from "#store/database/cursor.ts";
import type { ServerDeps } from "../../deps.ts";
import type { Handlers } from "../../gate.ts";
import { askOf } from "../library-lists.ts";

export function tagHandlers(deps: ServerDeps): Handlers<keyof typeof tagRoutes> {
  const { store, lists, commit } = deps;
  /**
   * In slices, so that other work runs in between. Repeated after a crash, it continues where it
   * stopped.
   */
  const dissolve = async (id: string, into: string | null) => {
    while (!(await commit((unit) => dissolveTag(unit, id, into)))) await setImmediate();
  };
  return {
    async listTags({ actor, query }) {
      const { projectId, q = "", ids, cursor, limit } = query;
      const counts = await lists.libraries.countLabels(projectId, actor.userId);
      const begins = foldTag(q);
      const rows = (await listTags(store.read, projectId))
        // A tag that only other people's private assets have is visible only to its author.
        .filter((row) => counts.has(row.id) || row.created_by === actor.userId)
        .filter((row) => !ids || ids.includes(row.id))
        .filter(({ folded }) => folded.startsWith(begins) || folded.includes(` ${begins}`))
        .map((row) => ({ ...row, count: counts.get(row.id)?.count ?? 0 }))
        .sort((a, b) => b.count - a.count || (a.folded < b.folded ? -1 : 1));
      const [count, folded] = cursor
        ? (fromCursor(cursor, ["number", "string"]) as [number, string])
        : [Number.POSITIVE_INFINITY, ""];
      const after = rows.filter(
        (row) => row.count < count || (row.count === count && row.folded > folded),
      );
      const { rows: tags, next } = page(after.slice(0, limit + 1), limit, (row) => [
        row.count,
        row.folded,
      ]);
      return { tags: tags.map(({ id, name, count }) => ({ id, name, count })), next };
    },
    async countTags({ actor, body }) {
      const { projectId, ids, filter } = body;
      const { scope, view } = await askOf(
        store,
        actor.userId,
        filter ? { ...filter, projectId } : wholeOf(projectId),
      );
      const { assets, counts } = await lists.libraries.countLabelsOf(scope, ids ?? view);
      return { assets, tags: await nameAll(projectId, counts) };
    },
    async updateTag({ actor, scope, params, body }) {
      const { tagId: id } = params;
      const projectId = scope.projectId!;
      const namesake = await findNamesake(store.read, { projectId, id, name: body.name });
      // A tag that only other people's private assets have is hidden, and a refusal would reveal
      // its name, so the two are merged.
      if (namesake && namesake.createdBy !== actor.userId) {
        const counts = await lists.libraries.countLabels(projectId, actor.userId);
        if (!counts.has(namesake.id)) await dissolve(namesake.id, id);
      }
      return { tag: await commit((unit) => renameTag(unit, params.tagId, body.name)) };
    },
    async mergeTag({ scope, params, body }) {
      if (body.into === params.tagId)
        throw new Problem("invalid_input", { field: "into", message: sentences.tags.intoItself });
      const [tag] = await getTags(store.read, scope.projectId!, [body.into]);
      if (!tag) throw new Problem("not_found", { message: sentences.tags.gone });
      await dissolve(params.tagId, tag.id);
      return { tag };
    },
    async removeTag({ params }) {
      await dissolve(params.tagId, null);
      return {};
    },
  };

  /** Returns the tags, most used first. */
  async function nameAll(projectId: string, counts: LabelCounts): Promise<Tag[]> {
    const tags = await getTags(store.read, projectId, [...counts.keys()]);
    return tags
      .map((tag) => ({ ...tag, count: counts.get(tag.id)!.count }))
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  }
}

const wholeOf = (projectId: string) => ({
  projectId,
  tagMatch: "all" as const,
  sort: "createdAt" as const,
  order: "desc" as const,
  trash: "false" as const,
});
