import { z } from "zod";
import { collection, collectionKinds, id, name } from "../entities.ts";
import { limits } from "../limits.ts";
import { assetFilter } from "./assets.ts";

const collectionParam = z.object({ collectionId: id });
/**
 * A saved filter of the library, as `listAssets` takes it, without the project, the trash, and the
 * asset to compare with, which may be private.
 */
const savedFilter = z
  .record(z.string(), z.string())
  .refine((query) => JSON.stringify(query).length <= limits.savedFilterCharacters)
  .refine(
    (query) =>
      assetFilter
        .omit({ projectId: true, trash: true, collectionId: true, similarTo: true })
        .strict()
        .safeParse(query).success && query.sort !== "position",
    "This is not a filter of the library.",
  );
export const collectionSchemas = {
  listCollections: {
    query: z.object({
      projectId: id,
      trash: z.enum(["true", "false"]).default("false"),
      kind: z.enum(collectionKinds).optional(),
      cursor: z.string().max(4_000).optional(),
      limit: z.coerce.number().int().min(1).max(limits.pageSizeMost).default(limits.pageSize),
    }),
    response: z.object({ collections: z.array(collection), next: z.string().nullable() }),
  },
  getCollection: { params: collectionParam, response: z.object({ collection }) },
  createCollection: {
    body: z.strictObject({
      projectId: id,
      kind: z.enum(collectionKinds).default("manual"),
      name,
      /** For a smart collection. */
      query: savedFilter.optional(),
    }),
    response: z.object({ collection }),
  },
  updateCollection: {
    params: collectionParam,
    body: z.strictObject({
      name: name.optional(),
      /** Null for the newest asset. */
      coverAssetId: id.nullable().optional(),
      query: savedFilter.optional(),
      trashed: z.boolean().optional(),
    }),
    response: z.object({ collection }),
  },
  orderCollection: {
    params: collectionParam,
    body: z.strictObject({
      ids: z.array(id).min(1).max(limits.assetsPerCollection),
      /** The asset that they follow, in the given order; null for the beginning. */
      after: id.nullable(),
    }),
    response: z.object({ moved: z.int() }),
  },
  removeCollection: { params: collectionParam, response: z.object({}) },
};
