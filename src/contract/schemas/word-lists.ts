import { z } from "zod";
import { grouped } from "../counts.ts";
import { id, text, time } from "../entities.ts";
import { limits } from "../limits.ts";

const listName = text(100);
const params = z.object({ projectId: id, list: listName });
const summary = z.object({ name: z.string(), count: z.int(), updatedAt: time });
const list = summary.extend({ items: z.array(z.string()) });

export const wordListSchemas = {
  listWordLists: {
    params: z.object({ projectId: id }),
    query: z.object({
      cursor: z.string().max(400).optional(),
      limit: z.coerce.number().int().min(1).max(limits.pageSizeMost).default(limits.pageSize),
    }),
    response: z.object({ lists: z.array(summary), next: z.string().nullable() }),
  },
  getWordList: { params, response: z.object({ list }) },
  putWordList: {
    params,
    body: z.strictObject({
      /** Trimmed; empty and repeated items are left out. */
      items: z
        .array(text(limits.wordListCharacters))
        .min(1, "Enter at least one item.")
        .max(limits.wordListItems, `Use at most ${grouped(limits.wordListItems)} items.`),
      /**
       * When the list to replace was last changed; null if there is none yet. Omitted, it replaces
       * any.
       */
      replaces: time.nullable().optional(),
    }),
    response: z.object({ list }),
  },
  removeWordList: { params, response: z.object({}) },
};
