import { z } from "zod";
import { id, tag } from "../entities.ts";
import { searchedText } from "../filters/searched-text.ts";
import { limits } from "../limits.ts";
import { assetFilter, idList } from "./assets.ts";
import { tagName } from "./tag-name.ts";

const tagParam = z.object({ tagId: id });
export const tagSchemas = {
  listTags: {
    query: z.object({
      projectId: id,
      /** A prefix of the name or of a word in it. */
      q: searchedText.optional(),
      /** Only these tags, separated by commas, for example to name those of a filter. */
      ids: idList(limits.tagsPerFilter).optional(),
      cursor: z.string().max(4_000).optional(),
      limit: z.coerce.number().int().min(1).max(limits.pageSizeMost).default(limits.pageSize),
    }),
    response: z.object({ tags: z.array(tag), next: z.string().nullable() }),
  },
  countTags: {
    body: z
      .strictObject({
        projectId: id,
        /** Either these assets or all that match the filter. */
        ids: z.array(id).min(1).max(limits.actAssets).optional(),
        filter: assetFilter.omit({ projectId: true }).optional(),
      })
      .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), {
        path: ["ids"],
        message: "give ids or a filter",
      }),
    response: z.object({ assets: z.int(), tags: z.array(tag) }),
  },
  updateTag: {
    params: tagParam,
    body: z.strictObject({ name: tagName }),
    response: z.object({ tag: tag.omit({ count: true }) }),
  },
  mergeTag: {
    params: tagParam,
    body: z.strictObject({ into: id }),
    response: z.object({ tag: tag.omit({ count: true }) }),
  },
  removeTag: { params: tagParam, response: z.object({}) },
};
