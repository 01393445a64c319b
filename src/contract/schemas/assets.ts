import { z } from "zod";
import { asset, assetKinds, id, name, picks, run, runStates, visibility } from "../entities.ts";
import {
  assetActions,
  assetAspects,
  assetGroups,
  assetSorts,
  leftReasons,
  rangePattern,
  tagMatches,
} from "../filters/asset-filters.ts";
import { page } from "../filters/page.ts";
import { searchedText } from "../filters/searched-text.ts";
import { limits } from "../limits.ts";
import { taskNames } from "../tasks.ts";
import { tagName } from "./tag-name.ts";

const assetParam = z.object({ assetId: id });
/**
 * Two whole numbers separated by two dots, or one of them: `3..5`, `3..`, `..5`. Both ends are
 * included.
 */
const range = z.string().regex(rangePattern).optional();
/** Ids separated by commas. */
export const idList = (most: number) =>
  z
    .string()
    .max(most * 37)
    .transform((value) => value.split(","))
    .pipe(z.array(id).min(1).max(most));
/** The library's filter, which is part of the address so that it can be shared and reloaded. */
export const assetFilter = z.object({
  projectId: id,
  q: searchedText.optional(),
  kind: z.enum(assetKinds).optional(),
  pick: z.enum(picks).optional(),
  source: z.enum(["made", "uploaded"]).optional(),
  /**
   * Made through this connection, and with this model of it. A model is ignored without its
   * connection.
   */
  connectionId: id.optional(),
  modelId: z.string().min(1).max(400).optional(),
  task: z.enum(taskNames).optional(),
  /** The state of the run that made it. A failed run can have saved assets as well. */
  state: z.enum(runStates).optional(),
  /** The person who made or uploaded it. */
  createdBy: id.optional(),
  aspect: z.enum(assetAspects).optional(),
  /** Whether a run that the caller can see took it as an input. */
  used: z.enum(["true", "false"]).optional(),
  /**
   * Similar pictures and videos, most similar first unless sorted. An asset without a picture
   * matches none.
   */
  similarTo: id.optional(),
  /** Tag ids separated by commas. A deleted tag matches no assets. */
  tags: idList(limits.tagsPerFilter).optional(),
  /** Whether an asset needs all of the tags, or any of them. */
  tagMatch: z.enum(tagMatches).default("all"),
  /** The assets of this collection; none if it is deleted or in the trash. */
  collectionId: id.optional(),
  /** Unix time in ms. */
  createdAt: range,
  /** Stars, 0 to 5. */
  rating: range,
  /** The cost of its run. An unknown cost is in no range. */
  costMicros: range,
  bytes: range,
  /** Width times height. */
  pixels: range,
  durationMs: range,
  /** `position`: in the order of the collection, which is then required. */
  sort: z.enum([...assetSorts, "position"]).default("createdAt"),
  /** Assets without the sorted value come last in both directions. */
  order: z.enum(["desc", "asc"]).default("desc"),
  /** Groups come in the order of their first asset, and are sorted within. */
  group: z.enum(assetGroups).optional(),
  trash: z.enum(["true", "false"]).default("false"),
});
const orderKey = z
  .string()
  .regex(/^[0-9A-Za-z]*[1-9A-Za-z]$/)
  .max(limits.orderKeyCharacters);
const stars = z.int().min(0).max(5);
/** The assets of an act. */
const selection = {
  /** Either these assets or all that match the filter. */
  ids: z.array(id).min(1).max(limits.actAssets).optional(),
  filter: assetFilter.omit({ projectId: true }).optional(),
  /** With a filter: matches to leave out. */
  exceptIds: z.array(id).min(1).max(limits.selectionAssets).optional(),
};
type Selection = { ids?: unknown; filter?: unknown; exceptIds?: unknown };
type Rule = [(given: Selection) => boolean, { path: string[]; message: string }];
const idsOrFilter: Rule = [
  ({ ids, filter }: Selection) => (ids === undefined) !== (filter === undefined),
  { path: ["ids"], message: "give ids or a filter" },
];
const exceptOfFilter: Rule = [
  ({ filter, exceptIds }: Selection) => filter !== undefined || exceptIds === undefined,
  { path: ["exceptIds"], message: "only a filter takes exceptIds" },
];

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
    /** Null if the filter excludes the asset. */
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
      /**
       * The aspect ratio of each asset in the requested order, in thousandths (1,000 if unknown):
       * two bytes, little-endian, as Base64.
       */
      ratios: z.string(),
      /**
       * How many consecutive assets were made in the same quarter of an hour, which begins at `at`
       * (Unix time in ms). Empty unless sorted by `createdAt` without groups.
       */
      times: z.array(z.object({ at: z.int(), count: z.int() })),
      /**
       * How many consecutive assets form one group of `group`; `model` is null for assets that no
       * model made. Empty without `group`.
       */
      groups: z.array(
        z.object({
          count: z.int(),
          model: z.object({ connectionId: id, modelId: z.string() }).nullable(),
        }),
      ),
      /** The cursor of the first asset of each page of `listAssets`. */
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
        ...selection,
        action: z.enum(assetActions),
        /** For `rate`. */
        rating: stars.optional(),
        /** For `tag`: names. Tags that the project doesn't have are created. */
        tags: z.array(tagName).min(1).max(limits.tagsPerAct).optional(),
        /** For `tag` and `untag`: existing tags. */
        tagIds: z.array(id).min(1).max(limits.tagsPerAct).optional(),
        /** For `collect` and `uncollect`: a manual collection. */
        collectionId: id.optional(),
        /**
         * For `collect`, for each of `ids`: its previous position from `undo`. Without it the
         * assets are appended.
         */
        orderKeys: z.array(orderKey).max(limits.actAssets).optional(),
        /** For `move`: another project in which the caller may edit. */
        toProjectId: id.optional(),
      })
      .refine(...idsOrFilter)
      .refine(...exceptOfFilter)
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
      /**
       * How many assets were left unchanged, and why: they already were in that state, aren't
       * visible to the caller, were to be deleted but aren't in the trash, have the maximum number
       * of tags, or the collection is full. A move leaves assets in the trash or of a temporary
       * chat, assets that exceed the other project's limits (storage, tags), and the rest once the
       * caller may no longer edit both projects. `interrupted` counts the rest after an error, such
       * as a collection that was moved to the trash meanwhile: what was done before it stays.
       */
      left: z.array(z.object({ reason: z.enum(leftReasons), count: z.int() })),
      /**
       * The actions that undo this one, to send to this route in sequence. A deletion can't be
       * undone.
       */
      undo: z.array(
        z.object({
          /** The project of the action, unless it is the same. */
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
    /** These assets, or without `ids` all that match the filter, up to 10,000. */
    query: assetFilter.extend({ ids: idList(limits.selectionAssets).optional() }),
  },
  downloadSelection: {
    query: z.object({ projectId: id }),
    body: z
      .strictObject(selection)
      .refine(...idsOrFilter)
      .refine(...exceptOfFilter),
  },
  createUpload: {
    query: z.object({
      projectId: id,
      name: z.string().min(1).max(400),
      /** "author": nobody else sees the file, nor results that the author's runs make from it. */
      visibility: visibility.default("project"),
    }),
    response: z.object({ asset }),
  },
};
