import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { hasScope } from "#contract/key-scopes.ts";
import type { runRoutes } from "#contract/routes/runs.ts";
import { scopesOfRoutes } from "#contract/routes/scopes.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type Actor, approvalPermissions, decide, seesAllKeys } from "#domain/people/policy.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { admitAgain, admitBatch } from "#engine/admit/admit-media.ts";
import { admitPrompt } from "#engine/admit/admit-prompt.ts";
import { pauseOf } from "#engine/connections/circuit.ts";
import { resolveRun } from "#engine/follow/cancel.ts";
import { answerPersonsQuestion } from "#engine/follow/questions.ts";
import { askableOf } from "#engine/follow/recheck-job.ts";
import {
  getAssetsIn,
  listAssetsOfRuns,
  listFirstAssets,
  listRunInputs,
} from "#store/content/assets.ts";
import { findPlaceOfRun } from "#store/content/chats/run-places.ts";
import { getModel } from "#store/models/models.ts";
import { getKeyName } from "#store/people/api-keys.ts";
import { findScope } from "#store/people/scopes.ts";
import { listAttempts } from "#store/runs/attempts.ts";
import { listBatches } from "#store/runs/batches.ts";
import { listOutputs } from "#store/runs/outputs.ts";
import {
  getRunsOfBatches,
  listPassedOver,
  listRunEvents,
  listRuns,
} from "#store/runs/run-lists.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import { isRunSearch } from "#store/runs/search-runs.ts";
import { getRunCall } from "#store/webhooks/run-webhooks.ts";
import type { ServerDeps } from "../deps.ts";
import type { Handlers } from "../gate.ts";
import { streamEvents } from "../live/event-stream.ts";
import { followRunEvents, listedRun, shownEvent, shownRun } from "../live/run-events.ts";
import { isStillAllowed } from "../still-allowed.ts";

const logPage = 2_000;

export function runHandlers(deps: ServerDeps): Handlers<keyof typeof runRoutes> {
  const { engine, store } = deps;
  const owned = async (id: string) => {
    const run = await getRun(store.read, id);
    if (!run) throw new Problem("not_found");
    return run;
  };
  const shown = async (id: string) => shownRun(await owned(id));

  /**
   * Hides an alias's models from people who don't manage aliases, because they may have no access
   * to them.
   */
  async function passedOverOf(actor: Actor, { id, alias }: OwnedRun) {
    if (alias === null) return [];
    const seesNames = decide(actor, "instance") === "allowed";
    return (await listPassedOver(store.read, id)).map((one) =>
      seesNames
        ? { ...one, reason: one.said ?? one.reason }
        : { name: null, reason: one.reason, costMicros: one.costMicros },
    );
  }

  /** A key that may not read conversations doesn't learn of any. */
  async function placeOf(actor: Actor, { messageId }: OwnedRun) {
    if (messageId === null || (actor.key && !hasScope(actor.key.scopes, "chat"))) return null;
    return (await findPlaceOfRun(store.read, { messageId, userId: actor.userId })) ?? null;
  }

  async function webhookOf(runId: string): Promise<RouteOutput<"getRun">["webhook"]> {
    const call = await getRunCall(store.read, runId);
    if (!call) return null;
    const { lastError, ...shown } = call;
    const { unreachable, answered, ownerLostAccess } = sentences.webhooks;
    const isOurs = lastError === ownerLostAccess || shown.attempts === 0;
    if (lastError === null || isOurs) return { ...shown, error: lastError };
    // The reason why a URL can't be reached would describe the server's network.
    const status = shown.httpStatus;
    return { ...shown, error: status === null ? unreachable : answered({ status }) };
  }

  return {
    createRuns: ({ actor, body }) => {
      if (body.task === "chat")
        throw new Problem("invalid_input", {
          field: "task",
          message: sentences.chat.useConversation,
        });
      const models = body.models.map(({ input, ...ref }) => ({
        ...ref,
        ...(input && { input: input as JsonObject }),
      }));
      return admitBatch(deps, actor, { ...body, models, input: body.input as JsonObject });
    },
    async askPrompt({ actor, params: { projectId }, body }) {
      const { model, task, prompt, assetId, idempotencyKey } = body;
      const about = prompt === undefined ? { assetId: assetId ?? "" } : { prompt };
      return {
        run: await admitPrompt(deps, actor, { projectId, model, task, about, idempotencyKey }),
      };
    },
    async listRuns({ actor, query }) {
      const { userId } = actor;
      const of = { ...query, userId };
      const { runs, next } = await (isRunSearch(of)
        ? deps.lists.searchRuns(of)
        : listRuns(store.read, of));
      return {
        runs: runs.map(listedRun),
        assets: await listFirstAssets(
          store.read,
          userId,
          runs.map(({ id }) => id),
        ),
        next,
      };
    },
    async listBatches({ actor, query }) {
      const { batches, next } = await listBatches(store.read, { ...query, userId: actor.userId });
      const runs = await getRunsOfBatches(
        store.read,
        batches.map((batch) => batch.id),
      );
      const assets = await listAssetsOfRuns(
        store.read,
        runs.map((run) => run.id),
      );
      const batchOf = new Map(runs.map((run) => [run.id, run.batchId]));
      return {
        next,
        batches: batches.map((batch) => ({
          ...batch,
          runs: runs.filter((run) => run.batchId === batch.id),
          assets: assets.filter(
            (asset) => asset.runId !== null && batchOf.get(asset.runId) === batch.id,
          ),
        })),
      };
    },
    async getRun({ actor, params }) {
      const run = await owned(params.runId);
      const inputs = await listRunInputs(store.read, run.id);
      const visible = new Set(
        (
          await getAssetsIn(
            store.read,
            run.projectId,
            actor.userId,
            inputs.map((input) => input.assetId),
          )
        ).map((asset) => asset.id),
      );
      const ofConnection = await findScope(
        store.read,
        "connection",
        run.connectionId,
        actor.userId,
      );
      const mayManage = decide(actor, "connection:manage", ofConnection) === "allowed";
      const mayNameKey = run.userId === actor.userId || seesAllKeys(actor);
      return {
        run: shownRun(run),
        waitsFor: await pauseOf(deps, run, mayManage),
        model: (await getModel(store.read, run.connectionId, run.modelId)) ?? null,
        passedOver: await passedOverOf(actor, run),
        conversation: await placeOf(actor, run),
        apiKey:
          (mayNameKey && run.apiKeyId && (await getKeyName(store.read, run.apiKeyId))) || null,
        webhook: await webhookOf(run.id),
        attempts: (await listAttempts(store.read, run.id)).map(
          ({ runId: _, clientToken: __, providerUrls: ___, ...attempt }) => attempt,
        ),
        inputs: inputs.filter((input) => visible.has(input.assetId)),
        assets: await listAssetsOfRuns(store.read, [run.id]),
        outputs: (await listOutputs(store.read, run.id)).map(({ index, state, expiresAt }) => ({
          index,
          state,
          expiresAt,
        })),
        askable: await askableOf(deps, run),
      };
    },
    async getRunEvents({ actor, params, query, line, c }) {
      // A reconnecting browser repeats the original URL, and sends its current position in the
      // header.
      const given = Number(c.req.header("last-event-id") ?? query.after ?? 0);
      const after = Number.isSafeInteger(given) && given > 0 ? given : 0;
      const run = await owned(params.runId);
      // 204 tells an EventSource not to reconnect.
      if (isFinal(run.state) && after >= run.lastSeq) return c.body(null, 204);
      const right = {
        permission: "view",
        needed: scopesOfRoutes.getRunEvents,
        kind: "run",
        id: params.runId,
      } as const;
      const mayStill = () => isStillAllowed(deps, { actor, line, c }, right);
      return streamEvents(deps, c, (signal) =>
        followRunEvents(deps, params.runId, after, { actor, mayStill }, signal),
      );
    },
    async listRunEvents({ params, query }) {
      return {
        events: (await listRunEvents(store.read, params.runId, query.after, logPage)).map(
          shownEvent,
        ),
      };
    },
    async cancelRun({ params }) {
      await engine.cancelRun(params.runId);
      return { run: await shown(params.runId) };
    },
    async approveRun({ actor, params, body }) {
      const { waitingFor } = await owned(params.runId);
      if (waitingFor === null)
        throw new Problem("conflict", { message: sentences.runs.noApproval });
      const scope = await findScope(store.read, "run", params.runId, actor.userId);
      if (decide(actor, approvalPermissions[waitingFor], scope) !== "allowed")
        throw new Problem("forbidden");
      await engine.approveRun(params.runId, waitingFor, body);
      return { run: await shown(params.runId) };
    },
    async answerQuestion({ actor, params, body }) {
      const scope = await findScope(store.read, "run", params.runId, actor.userId);
      // A tool's question is for the person whose model called the tool.
      if (decide(actor, approvalPermissions.asker, scope) !== "allowed")
        throw new Problem("forbidden");
      const { questionId, ...answer } = body;
      await answerPersonsQuestion(deps, params.runId, questionId, answer);
      return { run: await shown(params.runId) };
    },
    async approveRuns({ actor, body }) {
      return { approved: await engine.approveRuns({ ...body, userId: actor.userId }) };
    },
    async tryAgain({ actor, params, body }) {
      return {
        run: await admitAgain(
          deps,
          actor,
          await owned(params.runId),
          body.seed,
          body.idempotencyKey,
        ),
      };
    },
    async resolveRun({ params, body }) {
      await resolveRun(deps, params.runId, body);
      return { run: await shown(params.runId) };
    },
    async lookAgain({ params }) {
      const found = await engine.lookAgain(params.runId);
      return { found, run: await shown(params.runId) };
    },
    async attachJob({ params, body }) {
      const found = await engine.attachJob(params.runId, body);
      return { found, run: await shown(params.runId) };
    },
    async fetchOutputs({ params }) {
      const fetched = await engine.fetchMissing(params.runId);
      return { ...fetched, run: await shown(params.runId) };
    },
  };
}
