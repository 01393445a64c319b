import { z } from "zod";
import { asset, assetKinds, id, name, picks, run, runStates, visibility } from "../entities.ts";
import {
  assetActions,
  assetAspects,
  assetGroups,
  assetRanges,
  leftReasons,
  rangePattern,
  tagMatches,
} from "../filters/asset-filters.ts";
import { page } from "../filters/page.ts";
import { limits } from "../limits.ts";
import { taskNames } from "../tasks.ts";
import { tagName } from "./tag-name.ts";

const assetParam = z.object({ assetId: id });
/** Two whole numbers with two dots between them, or one of them: `3..5`, `3..`, `..5`. Both ends are included. */
const range = z.string().regex(rangePattern).optional();
/** Several ids with commas between them. */
export const idList = (most: number) =>
  z
    .string()
    .max(most * 37)
    .transform((value) => value.split(","))
    .pipe(z.array(id).min(1).max(most));
/** The library's filter: in the address, so that it can be shared and reloaded. */
export const assetFilter = z.object({
  projectId: id,
  q: z.string().max(200).optional(),
  kind: z.enum(assetKinds).optional(),
  pick: z.enum(picks).optional(),
  source: z.enum(["made", "uploaded"]).optional(),
  /** Made through this connection, and with this model of it. A model is ignored without its connection. */
  connectionId: id.optional(),
  modelId: z.string().min(1).max(400).optional(),
  task: z.enum(taskNames).optional(),
  /** The state of the run that made it: what a run saved before it failed is here, too. */
  state: z.enum(runStates).optional(),
  /** The person who made or uploaded it. */
  createdBy: id.optional(),
  aspect: z.enum(assetAspects).optional(),
  /** Whether a run that the caller can see took it as an input. */
  used: z.enum(["true", "false"]).optional(),
  /** Pictures and films that look like this one, the most similar first unless sorted. One without a picture is like nothing. */
  similarTo: id.optional(),
  /** Ids of tags with commas between them. One that was deleted is on no asset. */
  tags: idList(limits.tagsPerFilter).optional(),
  /** Whether an asset has to have each of the tags, or one of them. */
  tagMatch: z.enum(tagMatches).default("all"),
  /** What is in this collection. One in the trash, or deleted, has nothing. */
  collectionId: id.optional(),
  /** Unix time in ms. */
  createdAt: range,
  /** Stars, 0 to 5. */
  rating: range,
  /** What its run cost. Without a known cost it is in no range. */
  costMicros: range,
  bytes: range,
  /** Width times height. */
  pixels: range,
  durationMs: range,
  /** `position`: in the order of the collection, which it needs. */
  sort: z.enum([...assetRanges, "position"]).default("createdAt"),
  /** Assets without the sorted value come last in both directions. */
  order: z.enum(["desc", "asc"]).default("desc"),
  /** In groups, which come in the order of their first asset. The sort holds inside of each. */
  group: z.enum(assetGroups).optional(),
  trash: z.enum(["true", "false"]).default("false"),
});
const orderKey = z
  .string()
  .regex(/^[0-9A-Za-z]*[1-9A-Za-z]$/)
  .max(limits.orderKeyCharacters);
const stars = z.int().min(0).max(5);
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
  locateAsset: {
    query: assetFilter.extend({ assetId: id }),
    /** Null where the filter leaves it out. */
    response: z.object({ index: z.int().nullable() }),
  },
  countAssetModels: {
    query: z.object({ projectId: id }),
    response: z.object({
      models: z.array(
        z.object({ connectionId: id, modelId: z.string(), name: z.string(), count: z.int() }),
      ),
    }),
  },
  layoutAssets: {
    query: assetFilter,
    response: z.object({
      count: z.int(),
      /** Of each asset in the order asked for, its width by its height in thousandths (1,000 where unknown): two bytes, the lower first, in Base64. */
      ratios: z.string(),
      /** How many in a row were made in the same quarter of an hour, which begins at `at` (Unix time in ms). Empty unless sorted by `createdAt` without groups. */
      times: z.array(z.object({ at: z.int(), count: z.int() })),
      /** How many in a row are one group of `group`; null for what no model made. Empty without it. */
      groups: z.array(
        z.object({
          count: z.int(),
          model: z.object({ connectionId: id, modelId: z.string() }).nullable(),
        }),
      ),
      /** Of the first asset of each page of `listAssets`. */
      cursors: z.array(z.string()),
    }),
  },
  getAsset: {
    params: assetParam,
    response: z.object({
      asset,
      /** By name. */
      tags: z.array(z.object({ id, name: z.string() })),
      run: run.nullable(),
      modelName: z.string().nullable(),
      sources: z.array(asset),
      /** The first page of `listMadeFrom`. */
      madeFrom: z.array(asset),
      madeFromNext: z.string().nullable(),
      blobUrl: z.string(),
    }),
  },
  listMadeFrom: {
    params: assetParam,
    query: page,
    response: z.object({
      /** Oldest first. */
      assets: z.array(asset),
      next: z.string().nullable(),
    }),
  },
  updateAsset: {
    params: assetParam,
    body: z.strictObject({
      title: name.optional(),
      pick: z.enum(picks).optional(),
      rating: stars.optional(),
    }),
    response: z.object({ asset }),
  },
  updateAssets: {
    body: z
      .strictObject({
        projectId: id,
        /** These assets, or all that the filter matches: one of the two. */
        ids: z.array(id).min(1).max(limits.actAssets).optional(),
        filter: assetFilter.omit({ projectId: true }).optional(),
        action: z.enum(assetActions),
        /** Of `rate`. */
        rating: stars.optional(),
        /** Of `tag`: names. Those that the project does not have are made. */
        tags: z.array(tagName).min(1).max(limits.tagsPerAct).optional(),
        /** Of `tag` and `untag`: tags that there are. */
        tagIds: z.array(id).min(1).max(limits.tagsPerAct).optional(),
        /** Of `collect` and `uncollect`: a manual collection. */
        collectionId: id.optional(),
        /** Of `collect`, for each of `ids`: where it was, as `undo` says. Without it they come last. */
        orderKeys: z.array(orderKey).max(limits.actAssets).optional(),
        /** Of `move`: another project in which the caller may edit. */
        toProjectId: id.optional(),
      })
      .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), {
        path: ["ids"],
        message: "give ids or a filter",
      })
      .refine(({ action, rating }) => (action === "rate") === (rating !== undefined), {
        path: ["rating"],
        message: "rate, and nothing else, takes a rating",
      })
      .refine(
        ({ action, tags, tagIds }) =>
          action === "tag"
            ? (tags === undefined) !== (tagIds === undefined)
            : tags === undefined && (action === "untag") === (tagIds !== undefined),
        { path: ["tagIds"], message: "tag takes tags or tagIds, untag takes tagIds" },
      )
      .refine(
        ({ action, collectionId }) =>
          (action === "collect" || action === "uncollect") === (collectionId !== undefined),
        { path: ["collectionId"], message: "collect and uncollect take a collectionId" },
      )
      .refine(
        ({ action, ids, orderKeys }) =>
          orderKeys === undefined || (action === "collect" && orderKeys.length === ids?.length),
        { path: ["orderKeys"], message: "collect takes an orderKey for each of ids" },
      )
      .refine(({ action, toProjectId }) => (action === "move") === (toProjectId !== undefined), {
        path: ["toProjectId"],
        message: "move, and nothing else, takes a toProjectId",
      })
      .refine(({ projectId, toProjectId }) => projectId !== toProjectId, {
        path: ["toProjectId"],
        message: "choose another project than the one that they are in",
      }),
    response: z.object({
      changed: z.int(),
      /** How many were left as they are, and why: they were so before, are not there for the caller, or were to be deleted and not in the trash, have as many tags as an asset can have, or found the collection full. A move leaves what is in the trash or of a temporary chat, what the other project has no room for (storage, tags), and the rest once the caller may no longer edit both projects. */
      left: z.array(z.object({ reason: z.enum(leftReasons), count: z.int() })),
      /** The acts that take this one back, for this route, one after the other. None brings back what was deleted. */
      undo: z.array(
        z.object({
          /** Where it is to be done, if not in the project of this act. */
          projectId: id.optional(),
          action: z.enum(assetActions),
          rating: stars.optional(),
          tagIds: z.array(id).optional(),
          collectionId: id.optional(),
          toProjectId: id.optional(),
          ids: z.array(id),
          orderKeys: z.array(z.string()).optional(),
        }),
      ),
    }),
  },
  getFile: { params: assetParam, query: z.object({ download: z.enum(["1"]).optional() }) },
  getVariant: { params: assetParam.extend({ variant: z.string().regex(/^[a-z0-9.-]{1,40}$/) }) },
  downloadAssets: {
    /** These assets, or without `ids` all that the filter matches, up to 10,000. */
    query: assetFilter.extend({ ids: idList(limits.selectionAssets).optional() }),
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
