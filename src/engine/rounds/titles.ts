import type { Conversation, Message, ModelRef } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { decide } from "#domain/people/policy.ts";
import { withRequiredDefaults } from "#domain/schemas/input-schema.ts";
import { leaveTitle, listTitlesDue, takeTitle } from "#store/content/chats/titles.ts";
import { getConversation, listBranch } from "#store/content/conversations.ts";
import { getConnection } from "#store/models/connections.ts";
import { getUser } from "#store/people/people.ts";
import { findScope } from "#store/people/scopes.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { getRun } from "#store/runs/runs.ts";
import { admit } from "../admit/admit.ts";
import { runPlaceOf } from "../connections/run-place.ts";
import type { EngineDeps } from "../deps.ts";
import { requireValid } from "../plan/checks.ts";
import { nothingCounted } from "../plan/context/count.ts";
import { priceAnswer } from "../plan/price.ts";
import { routeAsk } from "../plan/route-ask.ts";
import { measureTexts } from "../plan/text-size.ts";
import { titleTurns } from "../plan/title.ts";
import { holdForRuns } from "../settle/hold-budget.ts";

const atOnce = 50;
/** How often titles left by other servers are looked up while no answer ends here. */
const pollMs = 60_000;

/** Requests the titles that are due. Safe to repeat and on several servers at once. */
export async function requestTitles(deps: EngineDeps): Promise<void> {
  for (const { id, model } of await listTitlesDue(deps.store.db, atOnce))
    try {
      if (!(await requestTitle(deps, id, model))) await deps.commit(({ tx }) => leaveTitle(tx, id));
    } catch (error) {
      // If a budget or a removed model prevents a title, the provisional one stays and nobody is
      // notified.
      if (error instanceof Problem) await deps.commit(({ tx }) => leaveTitle(tx, id));
      else deps.log.warn({ conversationId: id, error: String(error) }, "could not request a title");
    }
}

/**
 * @returns false if no model should title the conversation
 * @throws Problem as `admit` does
 */
async function requestTitle(
  deps: EngineDeps,
  conversationId: string,
  ref: ModelRef | null,
): Promise<boolean> {
  const conversation = await getConversation(deps.store.db, conversationId);
  const answer = conversation && (await answerOf(deps, conversation));
  if (!answer || !ref || !(await mayStill(deps, conversation))) return false;
  const { projectId, userId } = conversation;
  const asker = { userId };
  const isLocal = (await placeOf(deps, answer)) === "local";
  const about = { titles: conversationId, upTo: answer.id };
  await admit<void>(
    deps,
    { asker, projectId, models: [{ ref, task: "chat" }] },
    {
      async plan([model]) {
        const settings = withRequiredDefaults(model!.inputSchema, {
          maxOutputTokens: limits.titleTokens,
        });
        requireValid(model!, settings);
        const turns = await titleTurns(deps.store.read, about);
        const said = measureTexts(
          turns.flatMap(({ parts }) =>
            parts.map((part) => (part.type === "text" ? part.text : "")),
          ),
        );
        const where = { projectId, branch: nothingCounted, said, assetIds: [] };
        const routed = await routeAsk(deps, model!, settings, {
          priceOf: (one, given) => priceAnswer(deps, asker, one, { ...where, settings: given }),
        });
        // An answer from a local model is never sent to a hosted service.
        const connection = await getConnection(deps.store.read, routed.model.connectionId);
        const place = connection && runPlaceOf(deps.kinds.get(connection.kind), connection);
        if (isLocal && (place !== "local" || routed.alias !== null)) throw new Problem("forbidden");
        return {
          models: [routed.model],
          async insert({ tx, start }) {
            if (!(await takeTitle(tx, conversationId))) return;
            await start(
              [
                {
                  projectId,
                  visibility: "author",
                  model: routed.model,
                  task: "chat",
                  input: { ...about, settings: routed.given as JsonObject },
                  mostMicros: routed.mostMicros,
                  routed,
                  batchId: null,
                  messageId: null,
                },
              ],
              async (...held) => {
                // A title never waits for approval.
                if ((await holdForRuns(...held)) !== null) throw new Problem("budget_exceeded");
                return null;
              },
            );
          },
        };
      },
    },
  );
  return true;
}

/** The latest complete answer on the current branch. */
async function answerOf(
  { store }: EngineDeps,
  { id, headMessageId }: Conversation,
): Promise<Message | undefined> {
  if (headMessageId === null) return undefined;
  const branch = await listBranch(store.db, id, headMessageId);
  return branch.findLast(({ role, state }) => role === "assistant" && state === "complete");
}

/** Where the model of an answer runs. */
async function placeOf({ store, kinds }: EngineDeps, { runId }: Message) {
  const run = runId === null ? undefined : await getRun(store.db, runId);
  const connection = run && (await getConnection(store.db, run.connectionId));
  // A removed connection's location is unknown, so it counts as local.
  return connection ? runPlaceOf(kinds.get(connection.kind), connection) : "local";
}

/** The author may have been suspended, or removed from the project. */
async function mayStill({ store }: EngineDeps, { id, userId }: Conversation): Promise<boolean> {
  const user = await getUser(store.db, userId);
  const scope = await findScope(store.db, "conversation", id, userId);
  return (
    user !== undefined &&
    decide({ userId, role: user.role, status: user.status }, "author", scope) === "allowed"
  );
}

/**
 * Requests titles as answers end, one scan at a time, and at the start those that an earlier server
 * left.
 */
export function startTitleLoop(deps: EngineDeps): {
  ended(run: OwnedRun): void;
  stop(): Promise<void>;
} {
  let isDue = true;
  let isStopping = false;
  let looking: Promise<void> | undefined;
  async function poll(): Promise<void> {
    while (isDue && !isStopping) {
      isDue = false;
      await requestTitles(deps).catch((error) =>
        deps.log.warn({ error: String(error) }, "could not look for titles"),
      );
    }
  }
  const begin = (): void => {
    isDue = true;
    looking ??= poll().finally(() => {
      looking = undefined;
    });
  };
  begin();
  const timer = setInterval(begin, pollMs).unref();
  return {
    ended({ task, messageId, apiKeyId }) {
      if (task === "chat" && messageId !== null && apiKeyId === null) begin();
    },
    async stop() {
      clearInterval(timer);
      isStopping = true;
      await looking;
    },
  };
}
