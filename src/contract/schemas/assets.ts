import { z } from "zod";
import { asset, assetKinds, id, name, picks, run, visibility } from "../entities.ts";
import { limits } from "../limits.ts";

const assetParam = z.object({ assetId: id });
/** The library's filter: in the address, so that it can be shared and reloaded. */
const assetFilter = z.object({
  projectId: id,
  q: z.string().max(200).optional(),
  kind: z.enum(assetKinds).optional(),
  pick: z.enum(picks).optional(),
  source: z.enum(["made", "uploaded"]).optional(),
  /** Made with this model: both, or neither. */
  connectionId: id.optional(),
  modelId: z.string().min(1).max(400).optional(),
  trash: z.enum(["true", "false"]).default("false"),
});
const ids = z.array(id).min(1).max(limits.selectionAssets);
export const assetSchemas = {
  listAssets: {
    query: assetFilter.extend({
      cursor: z.string().max(200).optional(),
      limit: z.coerce.number().int().min(1).max(limits.pageSizeMost).default(limits.pageSize),
    }),
    response: z.object({ assets: z.array(asset), next: z.string().nullable() }),
  },
  countAssets: {
    query: z.object({ projectId: id }),
    response: z.object({ all: z.int(), kept: z.int(), uploads: z.int(), trash: z.int() }),
  },
  layoutAssets: {
    query: assetFilter,
    response: z.object({
      count: z.int(),
      /** Of each asset, newest first, its width by its height in thousandths (1,000 where unknown): two bytes, the lower first, in Base64. */
      ratios: z.string(),
      /** How many in a row were made in the same quarter of an hour, which begins at `at` (Unix time in ms). */
      times: z.array(z.object({ at: z.int(), count: z.int() })),
      /** Of the first asset of each page of `listAssets`. */
      cursors: z.array(z.string()),
    }),
  },
  getAsset: {
    params: assetParam,
    response: z.object({
      asset,
      run: run.nullable(),
      modelName: z.string().nullable(),
      sources: z.array(asset),
      madeFrom: z.array(asset),
      blobUrl: z.string(),
    }),
  },
  updateAsset: {
    params: assetParam,
    body: z.strictObject({
      title: name.optional(),
      pick: z.enum(picks).optional(),
      rating: z.int().min(0).max(5).optional(),
    }),
    response: z.object({ asset }),
  },
  updateAssets: {
    body: z.strictObject({
      projectId: id,
      ids,
      action: z.enum(["keep", "unkeep", "reject", "trash", "restore", "delete"]),
    }),
    response: z.object({ assets: z.array(asset) }),
  },
  getFile: { params: assetParam, query: z.object({ download: z.enum(["1"]).optional() }) },
  getVariant: { params: assetParam.extend({ variant: z.string().regex(/^[a-z0-9.-]{1,40}$/) }) },
  downloadAssets: {
    query: z.object({
      projectId: id,
      ids: z
        .string()
        .max(limits.selectionAssets * 37)
        .transform((value) => value.split(","))
        .pipe(ids),
    }),
  },
  createUpload: {
    query: z.object({
      projectId: id,
      name: z.string().min(1).max(400),
      /** "author": no one else sees it, nor the results of the author's runs with it. */
      visibility: visibility.default("project"),
    }),
    response: z.object({ asset }),
  },
};
