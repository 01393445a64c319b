import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { wordListRoutes } from "#contract/routes/word-lists.ts";
import { sentences } from "#contract/sentences/index.ts";
import { foldListName, listNamePattern } from "#domain/text/prompt-template.ts";
import {
  countWordLists,
  deleteWordList,
  getWordList,
  listWordLists,
  putWordList,
} from "#store/content/word-lists.ts";
import type { Tx } from "#store/database/store.ts";
import type { ServerDeps } from "../deps.ts";
import type { Handlers } from "../gate.ts";

export function wordListHandlers({
  store,
  commit,
}: Pick<ServerDeps, "store" | "commit">): Handlers<keyof typeof wordListRoutes> {
  /** Locks a project's word lists, so that names and counts can't change before the unit ends. */
  const lockLists = (tx: Tx, projectId: string) => store.lockName(tx, `words:${projectId}`);
  return {
    listWordLists: ({ params, query }) => listWordLists(store.read, params.projectId, query),
    async getWordList({ params }) {
      const list = await getWordList(store.read, params.projectId, foldListName(params.list));
      if (!list) throw new Problem("not_found");
      return { list };
    },
    async putWordList({ actor, params, body }) {
      const { projectId } = params;
      const name = params.list.normalize("NFC").trim();
      const folded = foldListName(name);
      if (!listNamePattern.test(name)) throw refused("name", sentences.projects.wordListName);
      const items = cleanItems(body.items);
      if (items.length === 0) throw refused("items", sentences.projects.wordListEmpty);
      if (items.reduce((sum, { length }) => sum + length, 0) > limits.wordListCharacters)
        throw refused(
          "items",
          sentences.projects.wordListTooLong({ most: limits.wordListCharacters }),
        );
      await commit(async (unit) => {
        await lockLists(unit.tx, projectId);
        const before = await getWordList(unit.tx, projectId, folded);
        if (body.replaces !== undefined && body.replaces !== (before?.updatedAt ?? null))
          throw new Problem("conflict", {
            message: before
              ? sentences.projects.wordListChanged({ name })
              : sentences.projects.wordListDeleted({ name }),
          });
        if (!before && (await countWordLists(unit.tx, projectId)) >= limits.wordListsPerProject)
          throw refused(
            "name",
            sentences.projects.wordListsTooMany({ most: limits.wordListsPerProject }),
          );
        await putWordList(unit, { projectId, folded, name, items, userId: actor.userId });
      });
      const list = await getWordList(store.db, projectId, folded);
      if (!list) throw new Problem("not_found");
      return { list };
    },
    async removeWordList({ params }) {
      const { projectId, list } = params;
      const isRemoved = await commit(async (unit) => {
        await lockLists(unit.tx, projectId);
        return deleteWordList(unit, projectId, foldListName(list));
      });
      if (!isRemoved) throw new Problem("not_found");
      return {};
    },
  };
}

const cleanItems = (items: readonly string[]): string[] => [
  ...new Set(items.map((item) => item.normalize("NFC").trim()).filter(Boolean)),
];

const refused = (field: string, message: string) =>
  new Problem("invalid_input", { field, message });
