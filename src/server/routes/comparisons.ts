import type { Asset, Comparison, Message, Run } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { comparisonRoutes } from "#contract/routes/comparisons.ts";
import type { RouteOutput, RouteParsed } from "#contract/schemas/index.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type Actor, decide, inReach } from "#domain/people/policy.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { rate } from "#domain/votes/bradley-terry.ts";
import { getAssetsIn, listAssetsOfRuns } from "#store/content/assets.ts";
import {
  countVotes,
  type Entry,
  getComparison,
  getVote,
  insertComparison,
  listComparisons,
  listEntries,
  listVotedIds,
  type NewEntry,
  putVote,
  updateComparison,
} from "#store/content/comparisons.ts";
import { getConversation, getMessage } from "#store/content/conversations.ts";
import { listProjects } from "#store/people/projects.ts";
import { findScope } from "#store/people/scopes.ts";
import { getRunsByIds } from "#store/runs/run-lists.ts";
import type { ServerDeps } from "../deps.ts";
import { toCsv } from "../files/usage-csv.ts";
import type { Handlers } from "../gate.ts";
import { listedRun } from "../live/run-events.ts";

type Wish = RouteParsed<"createComparison", "body">["entries"][number];
/** A result as it was asked for, with what the comparison takes from it. */
type Result = NewEntry & {
  run: Run;
  /** What is shown; null of a run that has not ended. */
  kind: Asset["kind"] | null;
  title: string;
  isPrivate: boolean;
};

const titleCharacters = 120;
const kindWords: Record<Asset["kind"], string> = {
  image: "picture",
  video: "video",
  audio: "sound",
  "3d": "3D model",
  text: "text",
  file: "file",
};

const refuse = (message: string): Problem =>
  new Problem("invalid_input", { field: "entries", message });

const textOf = (parts: Message["parts"]): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");

/** The text of a run without files: a transcript, an answer. */
function resultText({ result }: Run): string | null {
  for (const name of ["text", "output", "answer"])
    if (typeof result?.[name] === "string") return result[name];
  return result && Object.keys(result).length > 0 ? JSON.stringify(result, null, 2) : null;
}

export function comparisonHandlers(deps: ServerDeps): Handlers<keyof typeof comparisonRoutes> {
  const { store, lists } = deps;
  const sees = (userId: string) => (thing: { visibility: string }, author: string) =>
    thing.visibility === "project" || author === userId;

  const required = async (id: string): Promise<Comparison> => {
    const comparison = await getComparison(store.read, id);
    if (!comparison) throw new Problem("not_found");
    return comparison;
  };

  const runsIn = async (actor: Actor, projectId: string, ids: readonly string[]): Promise<Run[]> =>
    (await getRunsByIds(store.read, [...new Set(ids)])).filter(
      (run) => run.projectId === projectId && sees(actor.userId)(run, run.userId),
    );

  async function readAnswer(actor: Actor, projectId: string, id: string) {
    const scope = await findScope(store.read, "message", id, actor.userId);
    if (scope.projectId !== projectId || decide(actor, "view", scope) !== "allowed") return null;
    const message = await getMessage(store.read, id);
    const conversation = message && (await getConversation(store.read, message.conversationId));
    return message && conversation ? { message, conversation } : null;
  }

  /** @throws Problem not_found, invalid_input where it is no result */
  async function resolveEntry(actor: Actor, projectId: string, wish: Wish): Promise<Result> {
    if ("messageId" in wish) {
      const found = await readAnswer(actor, projectId, wish.messageId);
      if (!found) throw new Problem("not_found");
      const { message, conversation } = found;
      const [run] = message.runId ? await runsIn(actor, projectId, [message.runId]) : [];
      if (message.role !== "assistant" || message.state === "streaming" || !run)
        throw refuse(sentences.comparisons.notAnAnswer);
      const place = { runId: run.id, outputIndex: null, messageId: message.id };
      const isPrivate = conversation.visibility === "author";
      return { ...place, run, kind: "text", title: conversation.title, isPrivate };
    }
    if ("assetId" in wish) {
      const [asset] = await getAssetsIn(store.read, projectId, actor.userId, [wish.assetId]);
      if (!asset) throw new Problem("not_found");
      if (asset.trashedAt !== null) throw refuse(sentences.comparisons.inTrash);
      const [run] = asset.runId ? await runsIn(actor, projectId, [asset.runId]) : [];
      if (!run) throw refuse(sentences.comparisons.notAResult);
      return {
        ...{ runId: run.id, outputIndex: asset.outputIndex, messageId: null },
        ...{ run, kind: asset.kind, title: asset.promptText },
        isPrivate: asset.visibility === "author" || run.visibility === "author",
      };
    }
    const [run] = await runsIn(actor, projectId, [wish.runId]);
    if (!run) throw new Problem("not_found");
    const [asset] = await listAssetsOfRuns(store.read, [run.id]);
    const isOver = isFinal(run.state) || run.state === "unconfirmed";
    if (isOver && !asset && resultText(run) === null) throw refuse(sentences.comparisons.failedRun);
    const prompt = run.input.prompt ?? run.input.text;
    return {
      runId: run.id,
      // A run that goes on is shown by its first file, once it is there.
      outputIndex: asset?.outputIndex ?? (isOver ? null : 0),
      messageId: null,
      run,
      kind: asset?.kind ?? (isOver ? "text" : null),
      title: typeof prompt === "string" ? prompt : "",
      isPrivate: run.visibility === "author",
    };
  }

  const nameOf = ({ runId, outputIndex, messageId }: NewEntry): string =>
    messageId ?? `${runId} ${outputIndex}`;

  /** @param there what is in the comparison already */
  async function resolveEntries(
    actor: Actor,
    projectId: string,
    wishes: readonly Wish[],
    there: readonly Wish[] = [],
  ): Promise<Result[]> {
    const results = await Promise.all(
      [...there, ...wishes].map((wish) => resolveEntry(actor, projectId, wish)),
    );
    if (new Set(results.map(nameOf)).size < results.length)
      throw refuse(sentences.comparisons.twice);
    const kinds = [...new Set(results.flatMap(({ kind }) => kind ?? []))];
    const [one, other] = kinds;
    if (one && other)
      throw refuse(
        sentences.comparisons.otherKinds({ one: kindWords[one], other: kindWords[other] }),
      );
    return results;
  }

  const taskOf = (results: readonly Result[]): Comparison["task"] => {
    const [task, ...others] = new Set(results.map(({ run }) => run.task));
    return task && others.length === 0 ? task : "other";
  };

  /** What is seen of each entry now: a result in the trash, deleted or of others is gone. */
  async function readEntries(
    actor: Actor,
    projectId: string,
    entries: readonly Entry[],
  ): Promise<RouteOutput<"getComparison">["entries"]> {
    const runIds = entries.flatMap(({ runId }) => runId ?? []);
    const runs = new Map((await runsIn(actor, projectId, runIds)).map((run) => [run.id, run]));
    const assets = (await listAssetsOfRuns(store.read, [...runs.keys()])).filter(
      (asset) => asset.trashedAt === null && sees(actor.userId)(asset, asset.createdBy),
    );
    return Promise.all(
      entries.map(async ({ position, runId, outputIndex, messageId }) => {
        const place = { position, runId, outputIndex, messageId };
        const gone = { ...place, run: null, asset: null, text: null };
        const run = runId === null ? undefined : runs.get(runId);
        if (!run) return gone;
        const shown = { ...place, run: listedRun(run), asset: null };
        if (messageId !== null) {
          const answer = await readAnswer(actor, projectId, messageId);
          return answer ? { ...shown, text: textOf(answer.message.parts) } : gone;
        }
        const asset = assets.find((one) => one.runId === runId && one.outputIndex === outputIndex);
        if (asset) return { ...shown, asset, text: null };
        const text = resultText(run);
        const isComing = !isFinal(run.state) || run.state === "failed" || run.state === "cancelled";
        return (outputIndex === null && text !== null) || isComing ? { ...shown, text } : gone;
      }),
    );
  }

  const wishOf = ({ runId, messageId }: Entry): Wish =>
    messageId === null ? { runId: runId ?? "" } : { messageId };

  async function boardOf(actor: Actor, query: RouteParsed<"getLeaderboard", "query">) {
    const mine = inReach(actor, await listProjects(store.read, actor.userId)).map(({ id }) => id);
    const { projectId, task } = query;
    if (projectId !== undefined && !mine.includes(projectId)) throw new Problem("not_found");
    const projectIds = projectId === undefined ? mine : [projectId];
    // A list of none is no SQL on PostgreSQL.
    if (projectIds.length === 0) return { votes: 0, models: [] };
    const board = await lists.readBoard({
      projectIds,
      userId: actor.userId,
      ...(task && { task }),
    });
    const ratings = rate(board.models.length, board.wins);
    const models = board.models
      .map((model, place) => ({ ...model, ...ratings[place]! }))
      .filter(({ games }) => games > 0)
      .sort((a, b) => b.score - a.score || a.name.localeCompare(b.name));
    return { votes: board.votes, models };
  }

  return {
    async listComparisons({ actor, query }) {
      const { userId } = actor;
      const { projectId } = query;
      const trash = query.trash === "true";
      const { comparisons, next } = await listComparisons(store.read, { ...query, userId, trash });
      const ids = comparisons.map(({ id }) => id);
      const entries = await listEntries(store.read, ids);
      const voted = new Set(await listVotedIds(store.read, ids, userId));
      const shown = (await readEntries(actor, projectId, entries)).map(({ asset }, place) => ({
        asset,
        comparisonId: entries[place]?.comparisonId,
      }));
      const shownIn = Map.groupBy(shown, ({ comparisonId }) => comparisonId);
      return {
        comparisons: comparisons.map((comparison) => ({
          ...comparison,
          entries: shownIn.get(comparison.id)?.length ?? 0,
          isVoted: voted.has(comparison.id),
          assets: (shownIn.get(comparison.id) ?? []).flatMap(({ asset }) => asset ?? []),
        })),
        next,
      };
    },
    async createComparison({ actor, body }) {
      const results = await resolveEntries(actor, body.projectId, body.entries);
      const title = body.title || results.find((one) => one.title !== "")?.title || "";
      const comparison = {
        id: deps.ids(),
        projectId: body.projectId,
        userId: actor.userId,
        visibility: results.some(({ isPrivate }) => isPrivate) ? "author" : "project",
        task: taskOf(results),
        title: title.slice(0, titleCharacters),
        blind: body.blind,
      } as const;
      return {
        comparison: await deps.commit((unit) => insertComparison(unit, comparison, results)),
      };
    },
    async getComparison({ actor, params }) {
      const comparison = await required(params.comparisonId);
      const entries = await listEntries(store.read, [comparison.id]);
      return {
        comparison,
        entries: await readEntries(actor, comparison.projectId, entries),
        vote: await getVote(store.read, {
          comparisonId: comparison.id,
          userId: actor.userId,
          entries: entries.length,
        }),
        votes: await countVotes(store.read, comparison.id),
      };
    },
    async updateComparison({ actor, params, body }) {
      const { title, add, trashed } = body;
      const before = await required(params.comparisonId);
      const there = add ? await listEntries(store.read, [before.id]) : [];
      if (add && there.length + add.length > limits.comparisonEntries)
        throw refuse(sentences.comparisons.tooMany({ most: limits.comparisonEntries }));
      const results = add
        ? await resolveEntries(actor, before.projectId, add, there.map(wishOf))
        : [];
      const added = results.slice(there.length);
      const comparison = await deps.commit(async (unit) => {
        if (add && (await countVotes(unit.tx, before.id)) > 0)
          throw new Problem("conflict", { message: sentences.comparisons.voted });
        return updateComparison(unit, before, {
          ...(title !== undefined && { title }),
          ...(trashed !== undefined && { trashedAt: trashed ? unit.at : null }),
          ...(add && {
            task: taskOf(results),
            visibility: results.some(({ isPrivate }) => isPrivate) ? "author" : before.visibility,
            add: { from: there.length, entries: added },
          }),
        });
      });
      return { comparison };
    },
    async putVote({ actor, params, body }) {
      const best = [...new Set(body.best)].sort((a, b) => a - b);
      const comparison = await required(params.comparisonId);
      const vote = await deps.commit(async (unit) => {
        const before = await voteIn(unit.tx, comparison.id, actor.userId);
        if (best.some((position) => position >= before.shownOrder.length))
          throw new Problem("invalid_input", {
            field: "best",
            message: sentences.comparisons.noSuchResult,
          });
        const isRevealed = before.revealedAt !== null;
        if (isRevealed && before.best !== null && !before.revealedBefore)
          throw new Problem("conflict", { message: sentences.comparisons.final });
        return putVote(unit, comparison, {
          id: deps.ids(),
          userId: actor.userId,
          vote: { ...before, best, revealedBefore: isRevealed || !comparison.blind },
        });
      });
      return { vote };
    },
    async revealComparison({ actor, params }) {
      const comparison = await required(params.comparisonId);
      const vote = await deps.commit(async (unit) => {
        const before = await voteIn(unit.tx, comparison.id, actor.userId);
        if (before.revealedAt !== null) return before;
        return putVote(unit, comparison, {
          id: deps.ids(),
          userId: actor.userId,
          vote: { ...before, revealedAt: unit.at },
        });
      });
      return { vote };
    },
    getLeaderboard: ({ actor, query }) => boardOf(actor, query),
    async downloadLeaderboard({ actor, query, c }) {
      const { models } = await boardOf(actor, query);
      const rows = models.map((model, place) => [
        String(place + 1),
        ...[model.name, model.modelId, model.connectionId],
        ...[model.score, model.low, model.high, model.strength].map((value) => value.toFixed(6)),
        ...[model.games, model.wins, model.costMicros ?? ""].map(String),
      ]);
      return c.body(Buffer.from(toCsv([boardColumns, ...rows])), 200, {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": 'attachment; filename="bottega-leaderboard.csv"',
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
      });
    },
  };
}

const boardColumns = [
  "rank",
  "model",
  "model_id",
  "connection_id",
  "score",
  "low_95",
  "high_95",
  "strength",
  "games",
  "wins",
  "cost_micros",
];

/** A person's vote as it is within a unit. */
async function voteIn(tx: Parameters<typeof getVote>[0], comparisonId: string, userId: string) {
  const entries = await listEntries(tx, [comparisonId]);
  return getVote(tx, { comparisonId, userId, entries: entries.length });
}
