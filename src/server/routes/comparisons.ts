import { isDeepStrictEqual } from "node:util";
import type { Asset, Comparison, Message, Run } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { comparisonRoutes } from "#contract/routes/comparisons.ts";
import type { RouteOutput, RouteParsed } from "#contract/schemas/index.ts";
import { sentences } from "#contract/sentences/index.ts";
import { tasks } from "#contract/tasks.ts";
import { type Actor, decide, inReach } from "#domain/people/policy.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { getAssetsIn, listAssetsOfRuns } from "#store/content/assets.ts";
import {
  countVotes,
  type Entry,
  getComparison,
  getVote,
  hasVotes,
  insertComparison,
  listComparisons,
  listEntries,
  listVotedIds,
  lockComparison,
  type NewEntry,
  putVote,
  updateComparison,
} from "#store/content/comparisons.ts";
import { findMessage, getConversation } from "#store/content/conversations.ts";
import type { Reader, Tx } from "#store/database/store.ts";
import { listProjects } from "#store/people/projects.ts";
import { findScope } from "#store/people/scopes.ts";
import { getRunsByIds } from "#store/runs/run-lists.ts";
import { shownTitle } from "#store/runs/search-comparisons.ts";
import type { ServerDeps } from "../deps.ts";
import { toCsv } from "../files/usage-csv.ts";
import type { Handlers } from "../gate.ts";
import { listedRun } from "../live/run-events.ts";
import { readRatedModels } from "./rated-models.ts";

type Wish = RouteParsed<"createComparison", "body">["entries"][number];
/** A requested result, with the facts that the comparison stores of it. */
type Result = NewEntry & {
  run: Run;
  /** The kind of the result; null while the run is open. */
  kind: Asset["kind"] | null;
  title: string;
  isPrivate: boolean;
};

/** An entry as one person sees it, and its title. */
type SeenEntry = { entry: RouteOutput<"getComparison">["entries"][number]; title: string };

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

/** Returns a run's prompt or text. */
function promptOf({ input }: Run): string {
  const prompt = input.prompt ?? input.text;
  return typeof prompt === "string" ? prompt : "";
}

const textOf = (parts: Message["parts"]): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");

const writesText = ({ task }: Run): boolean =>
  tasks[task].outputs.every((modality) => modality === "text");

/** Returns the text of a run without files, such as a transcript or an answer. */
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

  /** Locks a comparison: nobody else changes it or its votes before the unit ends. */
  const locked = async (tx: Tx, id: string): Promise<Comparison> => {
    const comparison = await lockComparison(tx, id);
    if (!comparison) throw new Problem("not_found");
    return comparison;
  };

  const runsIn = async (
    actor: Actor,
    projectId: string,
    ids: readonly string[],
    db: Reader = store.read,
  ): Promise<Run[]> =>
    (await getRunsByIds(db, [...new Set(ids)])).filter(
      (run) => run.projectId === projectId && sees(actor.userId)(run, run.userId),
    );

  async function readAnswer(
    actor: Actor,
    projectId: string,
    id: string,
    db = store.read as Reader,
  ) {
    const scope = await findScope(db, "message", id, actor.userId);
    if (scope.projectId !== projectId || decide(actor, "view", scope) !== "allowed") return null;
    const message = await findMessage(db, id);
    const conversation = message && (await getConversation(db, message.conversationId));
    // Nothing refers to a temporary chat.
    return message && conversation?.expiresAt === null ? { message, conversation } : null;
  }

  /** @throws Problem not_found; invalid_input when it isn't a result */
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
      if (!run)
        throw refuse(
          asset.runId ? sentences.comparisons.madeElsewhere : sentences.comparisons.notAResult,
        );
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
    return {
      runId: run.id,
      // A run in progress will show its text or its first file, once it exists.
      outputIndex: asset?.outputIndex ?? (isOver || writesText(run) ? null : 0),
      messageId: null,
      run,
      kind: asset?.kind ?? (isOver ? "text" : null),
      title: promptOf(run),
      isPrivate: run.visibility === "author",
    };
  }

  /** An answer is identified by its run too, so that no result is in a comparison twice. */
  const nameOf = ({ runId, outputIndex }: NewEntry): string => `${runId} ${outputIndex}`;

  /**
   * @param there the comparison's existing entries
   * @throws Problem invalid_input
   */
  function requireComparable(
    results: readonly Result[],
    there: readonly NewEntry[] = [],
    kindsThere: readonly Asset["kind"][] = [],
  ): void {
    const names = [...there, ...results].map(nameOf);
    if (
      results.some((_, index) => names.indexOf(names[there.length + index]!) < there.length + index)
    )
      throw refuse(sentences.comparisons.twice);
    const kinds = [...new Set([...kindsThere, ...results.flatMap(({ kind }) => kind ?? [])])];
    const [one, other] = kinds;
    if (one && other)
      throw refuse(
        sentences.comparisons.otherKinds({ one: kindWords[one], other: kindWords[other] }),
      );
  }

  const resolveAll = (actor: Actor, projectId: string, wishes: readonly Wish[]) =>
    Promise.all(wishes.map((wish) => resolveEntry(actor, projectId, wish)));

  const taskOf = (results: readonly Result[]): Comparison["task"] => {
    const [task, ...others] = new Set(results.map(({ run }) => run.task));
    return task && others.length === 0 ? task : "other";
  };

  /**
   * Returns each entry as the actor sees it now, with its title. A result in the trash, deleted, or
   * private to somebody else shows nothing.
   */
  async function readEntries(
    actor: Actor,
    projectId: string,
    entries: readonly Entry[],
    db: Reader = store.read,
  ): Promise<SeenEntry[]> {
    const runIds = entries.flatMap(({ runId }) => runId ?? []);
    const runs = new Map((await runsIn(actor, projectId, runIds, db)).map((run) => [run.id, run]));
    const assets = (await listAssetsOfRuns(db, [...runs.keys()])).filter(
      (asset) => asset.trashedAt === null && sees(actor.userId)(asset, asset.createdBy),
    );
    return Promise.all(
      entries.map(async ({ position, runId, outputIndex, messageId }) => {
        const nothing = { runId: null, outputIndex: null, messageId: null };
        const gone = {
          entry: { position, ...nothing, run: null, asset: null, text: null },
          title: "",
        };
        const run = runId === null ? undefined : runs.get(runId);
        if (!run) return gone;
        const place = { position, runId, outputIndex, messageId };
        const shown = { ...place, run: listedRun(run), asset: null };
        if (messageId !== null) {
          const answer = await readAnswer(actor, projectId, messageId, db);
          if (!answer) return gone;
          const text = textOf(answer.message.parts);
          return { entry: { ...shown, text }, title: answer.conversation.title };
        }
        const asset = assets.find((one) => one.runId === runId && one.outputIndex === outputIndex);
        if (asset) return { entry: { ...shown, asset, text: null }, title: asset.promptText };
        const text = resultText(run);
        const isComing = !isFinal(run.state) || run.state === "failed" || run.state === "cancelled";
        return (outputIndex === null && text !== null) || isComing
          ? { entry: { ...shown, text }, title: promptOf(run) }
          : gone;
      }),
    );
  }

  const titled = (comparison: Comparison, seen: readonly { title: string }[]): Comparison => {
    const ofResults = seen.map(({ title }) => title);
    return { ...comparison, title: shownTitle(comparison.title, ofResults) };
  };

  async function boardOf(actor: Actor, query: RouteParsed<"getLeaderboard", "query">) {
    const mine = inReach(actor, await listProjects(store.read, actor.userId)).map(({ id }) => id);
    const { projectId, task } = query;
    if (projectId !== undefined && !mine.includes(projectId)) throw new Problem("not_found");
    const projectIds = projectId === undefined ? mine : [projectId];
    // PostgreSQL rejects an empty list.
    if (projectIds.length === 0) return { votes: 0, models: [] };
    const { votes, models } = await readRatedModels(lists, {
      projectIds,
      userId: actor.userId,
      ...(task && { task }),
    });
    models.sort((a, b) => b.score - a.score || a.name.localeCompare(b.name));
    return { votes, models };
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
      const shown = (await readEntries(actor, projectId, entries)).map((seen, index) => ({
        ...seen,
        comparisonId: entries[index]?.comparisonId,
      }));
      const shownIn = Map.groupBy(shown, ({ comparisonId }) => comparisonId);
      return {
        comparisons: comparisons.map((comparison) => ({
          ...titled(comparison, shownIn.get(comparison.id) ?? []),
          entries: shownIn.get(comparison.id)?.length ?? 0,
          isVoted: voted.has(comparison.id),
          assets: (shownIn.get(comparison.id) ?? []).flatMap(({ entry }) => entry.asset ?? []),
        })),
        next,
      };
    },
    async createComparison({ actor, body }) {
      const results = await resolveAll(actor, body.projectId, body.entries);
      requireComparable(results);
      const comparison = {
        id: deps.ids(),
        projectId: body.projectId,
        userId: actor.userId,
        visibility: results.some(({ isPrivate }) => isPrivate) ? "author" : "project",
        task: taskOf(results),
        // Only a title that a person entered is stored: titles of results may become private.
        title: body.title ?? "",
        blind: body.blind,
      } as const;
      const made = await deps.commit((unit) => insertComparison(unit, comparison, results));
      return { comparison: titled(made, results) };
    },
    async getComparison({ actor, params }) {
      const comparison = await required(params.comparisonId);
      const entries = await listEntries(store.read, [comparison.id]);
      const seen = await readEntries(actor, comparison.projectId, entries);
      return {
        comparison: titled(comparison, seen),
        entries: seen.map(({ entry }) => entry),
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
      const { projectId } = await required(params.comparisonId);
      const results = add ? await resolveAll(actor, projectId, add) : [];
      return deps.commit(async (unit) => {
        const before = await locked(unit.tx, params.comparisonId);
        const there = await listEntries(unit.tx, [before.id]);
        const seen = await readEntries(actor, projectId, there, unit.tx);
        if (add) {
          if (there.length + add.length > limits.comparisonEntries)
            throw refuse(sentences.comparisons.tooMany({ most: limits.comparisonEntries }));
          // A person who has seen the results in an order, or knows the models, can't vote on
          // changed entries.
          if (await hasVotes(unit.tx, before.id))
            throw new Problem("conflict", { message: sentences.comparisons.voted });
          requireComparable(
            results,
            there,
            seen.flatMap(({ entry }) => entry.asset?.kind ?? (entry.text === null ? [] : "text")),
          );
        }
        const comparison = await updateComparison(unit, before, {
          ...(title !== undefined && { title }),
          ...(trashed !== undefined && { trashedAt: trashed ? unit.at : null }),
          ...(add && {
            task: taskOf(results) === before.task ? before.task : "other",
            ...(results.some(({ isPrivate }) => isPrivate) && { visibility: "author" }),
            add: { from: there.length, entries: results },
          }),
        });
        return { comparison: titled(comparison, [...seen, ...results]) };
      });
    },
    async putVote({ actor, params, body }) {
      const best = [...new Set(body.best)].sort((a, b) => a - b);
      const vote = await deps.commit(async (unit) => {
        const comparison = await locked(unit.tx, params.comparisonId);
        const before = await voteIn(unit.tx, comparison.id, actor.userId);
        if (best.some((position) => position >= before.shownOrder.length))
          throw new Problem("invalid_input", {
            field: "best",
            message: sentences.comparisons.noSuchResult,
          });
        const isRevealed = before.revealedAt !== null;
        if (isRevealed && before.best !== null && !before.revealedBefore)
          throw new Problem("conflict", { message: sentences.comparisons.final });
        const revealedBefore = isRevealed || !comparison.blind;
        // A held key, or a second press before the response, is the same vote.
        if (isDeepStrictEqual([before.best, before.revealedBefore], [best, revealedBefore]))
          return before;
        return putVote(unit, comparison, {
          id: deps.ids(),
          userId: actor.userId,
          before,
          set: { best, revealedBefore },
        });
      });
      return { vote };
    },
    async revealComparison({ actor, params }) {
      const vote = await deps.commit(async (unit) => {
        const comparison = await locked(unit.tx, params.comparisonId);
        const before = await voteIn(unit.tx, comparison.id, actor.userId);
        if (before.revealedAt !== null) return before;
        return putVote(unit, comparison, {
          id: deps.ids(),
          userId: actor.userId,
          before,
          set: { revealedAt: unit.at },
        });
      });
      return { vote };
    },
    getLeaderboard: ({ actor, query }) => boardOf(actor, query),
    async downloadLeaderboard({ actor, query, c }) {
      const { models } = await boardOf(actor, query);
      const rows = models.map((model, index) => [
        String(index + 1),
        ...[model.name, model.modelId, model.connectionId],
        ...[model.score, model.low, model.high, model.strength].map((value) => value.toFixed(6)),
        ...[model.games, model.wins, model.costMicros ?? ""].map(String),
        ...[model.ratings, model.goodRatings].map(String),
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
  "ratings",
  "good_ratings",
];

/** Reads a person's vote within a unit. */
async function voteIn(tx: Parameters<typeof getVote>[0], comparisonId: string, userId: string) {
  const entries = await listEntries(tx, [comparisonId]);
  return getVote(tx, { comparisonId, userId, entries: entries.length });
}
