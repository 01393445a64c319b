import type { Asset, Run } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { assetRoutes } from "#contract/routes/assets.ts";
import { scopesOfRoutes } from "#contract/routes/scopes.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type Actor, decide } from "#domain/people/policy.ts";
import { assetsInInput } from "#domain/schemas/input-schema.ts";
import { saveUpload } from "#engine/ingest/upload.ts";
import {
  getAsset,
  getAssetsIn,
  listMadeFrom,
  listRunInputs,
  updateAssets,
} from "#store/content/assets.ts";
import type { LibraryLayout } from "#store/content/library-views.ts";
import { listTagsOf } from "#store/content/tags.ts";
import type { Reader } from "#store/database/store.ts";
import { getModel, listModelNames } from "#store/models/models.ts";
import { findScope } from "#store/people/scopes.ts";
import { inputsOfOutputs } from "#store/runs/outputs.ts";
import { getRunsByIds } from "#store/runs/run-lists.ts";
import { getRun } from "#store/runs/runs.ts";
import type { ServerDeps } from "../deps.ts";
import { answerArchive } from "../files/asset-archive.ts";
import { answerFile, answerVariant } from "../files/file-response.ts";
import type { Call, Handlers } from "../gate.ts";
import { shownRun } from "../live/run-events.ts";
import { endWhenForbidden } from "../still-allowed.ts";
import { actOnMany, listMatching } from "./asset-acts.ts";
import { askOf, listLibrary } from "./library-lists.ts";

/**
 * The serialized layouts. The layout of 100,000 assets is 600 KB of JSON, so it is serialized once
 * for as long as the library keeps it.
 */
const jsonOfLayouts = new WeakMap<LibraryLayout, Buffer<ArrayBuffer>>();

type Selection = Call<"downloadSelection">["body"];
type Download = Pick<Call<"downloadSelection">, "actor" | "line" | "c">;

export function assetHandlers(deps: ServerDeps): Handlers<keyof typeof assetRoutes> {
  const { store, lists } = deps;
  const one = async (id: string) => {
    const asset = await getAsset(store.read, id);
    if (!asset) throw new Problem("not_found");
    return asset;
  };
  const madeFrom = (
    { id, projectId }: Asset,
    { userId }: Actor,
    of: { cursor?: string; limit: number },
  ) => listMadeFrom(store.read, { ...of, assetId: id, projectId, userId });
  /** Answers with one ZIP of these assets, or of all that match the filter. */
  async function download(
    { actor, line, c }: Download,
    projectId: string,
    { ids: named, filter, exceptIds }: Selection,
  ): Promise<Response> {
    const find = (some: readonly string[]) =>
      getAssetsIn(store.read, projectId, actor.userId, some);
    const ids = named
      ? [...new Set(named)]
      : await listMatching(
          deps,
          actor.userId,
          { ...filter!, projectId },
          sentences.files.tooManyToDownload,
          new Set(exceptIds),
        );
    if (ids.length === 0 || (named && (await find(ids)).length !== ids.length))
      throw new Problem("not_found", {
        message: sentences.files.someGone,
      });
    const right = {
      permission: "view",
      needed: scopesOfRoutes.downloadAssets,
      kind: "project",
      id: projectId,
    } as const;
    endWhenForbidden(deps, { actor, line, c }, right);
    return answerArchive(c, deps, ids, async (some) => {
      // Read just before sending, to leave out assets that were deleted or made private meanwhile.
      const assets = await find(some);
      const runIds = [...new Set(assets.flatMap((asset) => asset.runId ?? []))];
      const runs = await seenRuns(store.read, actor, await getRunsByIds(store.read, runIds));
      const inputs = await inputsOfOutputs(store.read, some);
      return { assets, runs: new Map(runs.map((run) => [run.id, run])), inputs };
    });
  }

  return {
    listAssets: ({ actor, query }) => listLibrary(deps, actor.userId, query),
    countAssets: ({ actor, query }) => lists.libraries.count(query.projectId, actor.userId),
    async locateAsset({ actor, query: { assetId, ...filter } }) {
      const { scope, view } = await askOf(store, actor.userId, filter);
      return { index: await lists.libraries.locate(scope, view, assetId) };
    },
    async countAssetModels({ actor, query }) {
      const models = await lists.libraries.countModels(query.projectId, actor.userId);
      const names = await listModelNames(store.read, models);
      return { models: models.map((model, i) => ({ ...model, name: names[i] ?? model.modelId })) };
    },
    async layoutAssets({ actor, query, c }) {
      const { scope, view } = await askOf(store, actor.userId, query);
      const layout = await lists.libraries.layOut(scope, view, limits.pageSize);
      const json = jsonOfLayouts.get(layout) ?? Buffer.from(JSON.stringify(layout));
      jsonOfLayouts.set(layout, json);
      return c.body(json, 200, { "content-type": "application/json" });
    },
    async getAsset({ actor, params }) {
      const asset = await one(params.assetId);
      const [found] = asset.runId ? [await getRun(store.read, asset.runId)] : [];
      const model = found && (await getModel(store.read, found.connectionId, found.modelId));
      const [run] = found ? await seenRuns(store.read, actor, [found]) : [];
      // A session's frame was made from its own settings and drawing, not from the session's
      // initial ones.
      const own = run && (await inputsOfOutputs(store.read, [asset.id])).get(asset.id);
      const made = await madeFrom(asset, actor, { limit: limits.pageSize });
      const inputs = own ? assetsInInput(own) : run ? await listRunInputs(store.read, run.id) : [];
      return {
        asset,
        tags: await listTagsOf(store.read, asset.id),
        run: run ? { ...shownRun(run), ...(own && { input: own }) } : null,
        modelName: model?.name ?? found?.imported?.modelName ?? found?.modelId ?? null,
        sources: await getAssetsIn(
          store.read,
          asset.projectId,
          actor.userId,
          inputs.map((input) => input.assetId),
        ),
        madeFrom: made.assets,
        madeFromNext: made.next,
        blobUrl: `/api/v1/assets/${asset.id}/file`,
      };
    },
    async listMadeFrom({ actor, params: { assetId }, query }) {
      return madeFrom(await one(assetId), actor, query);
    },
    async updateAsset({ params, body }) {
      const [asset] = await deps.commit((unit) => updateAssets(unit, [params.assetId], body));
      if (!asset) throw new Problem("not_found");
      return { asset };
    },
    updateAssets: ({ actor, body }) => actOnMany(deps, actor, body),
    async getFile({ actor, params, query, line, c }) {
      const right = {
        permission: "view",
        needed: scopesOfRoutes.getFile,
        kind: "asset",
        id: params.assetId,
      } as const;
      endWhenForbidden(deps, { actor, line, c }, right);
      return answerFile(c, deps.blobs, await one(params.assetId), query.download === "1");
    },
    async getVariant({ params, c }) {
      return answerVariant(c, deps.blobs, await one(params.assetId), params.variant);
    },
    downloadAssets: ({ query: { ids, ...filter }, ...call }) =>
      download(call, filter.projectId, ids ? { ids } : { filter }),
    downloadSelection: ({ query: { projectId }, body, ...call }) => download(call, projectId, body),
    async createUpload({ actor, query, c }) {
      const length = Number(c.req.header("content-length") ?? 0);
      if (length > limits.uploadBytes)
        throw new Problem("too_large", {
          message: sentences.files.fileTooLarge({ gigabytes: limits.uploadBytes / 1024 ** 3 }),
        });
      return {
        asset: await saveUpload(deps, {
          ...query,
          userId: actor.userId,
          source: c.req.raw.body ?? [],
        }),
      };
    },
  };
}

/**
 * Filters runs by what the actor may see: the run of a moved file, with its request and cost, stays
 * in the other project.
 */
async function seenRuns<R extends Run>(db: Reader, actor: Actor, runs: readonly R[]): Promise<R[]> {
  const projectIds = [...new Set(runs.map(({ projectId }) => projectId))];
  const scopes = new Map(
    await Promise.all(
      projectIds.map(async (id) => [id, await findScope(db, "project", id, actor.userId)] as const),
    ),
  );
  return runs.filter(({ projectId, visibility, userId }) => {
    const scope = { ...scopes.get(projectId), visibility, authorId: userId };
    return decide(actor, "view", scope) === "allowed";
  });
}
