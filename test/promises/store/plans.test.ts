import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  getAssetsIn,
  listAssets,
  listAssetsOfRuns,
  listMadeFrom,
  listTrashedBefore,
} from "#store/content/assets.ts";
import { markUnneededBlobs } from "#store/content/blobs.ts";
import { withFeedback } from "#store/content/chats/feedback.ts";
import { planFork } from "#store/content/chats/forks.ts";
import { findPlaceOfRun } from "#store/content/chats/run-places.ts";
import { shareRuns } from "#store/content/chats/shared-runs.ts";
import { insertComparison } from "#store/content/comparisons.ts";
import {
  listConversations,
  listTrashedConversations,
  searchMessages,
} from "#store/content/conversation-lists.ts";
import { listMessages, purgeConversations } from "#store/content/conversations.ts";
import { describeOpen } from "#store/content/deletions/project-deletions.ts";
import { findInLibrary, readLibrary, readLibraryRows } from "#store/content/libraries.ts";
import {
  findMessages,
  getMessagesByIds,
  listNewestMessages,
  pageMessages,
  readOutline,
  sumCosts,
} from "#store/content/message-pages.ts";
import { migrate } from "#store/database/migrate.ts";
import type { Store } from "#store/database/store.ts";
import { listModels } from "#store/models/list-models.ts";
import { listBatches } from "#store/runs/batches.ts";
import {
  feedEnds,
  feedPlace,
  listChangedAssets,
  listChanges,
  pruneChanges,
} from "#store/runs/changes.ts";
import { getRunsByIds, getRunsOfBatches, listRunEvents, listRuns } from "#store/runs/run-lists.ts";
import { searchComparisons } from "#store/runs/search-comparisons.ts";
import { searchRuns } from "#store/runs/search-runs.ts";
import { newUnit } from "#store/runs/unit.ts";
import { lanesWithDue } from "#store/webhooks/run-webhooks.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { fillStore, fullRows } from "../../support/databases/full-store.ts";
import { plansOf } from "../../support/databases/query-plans.ts";
import { at } from "../../support/databases/store-rows.ts";
import { openStore } from "../../support/databases/test-store.ts";

const projectId = "project-1";
const library = { projectId, userId: "user", trash: false, limit: 50 };
const talks = { projectId, userId: "user", limit: 50 };
const comparison = {
  id: "comparison-1",
  projectId,
  userId: "user",
  visibility: "project",
  task: "image",
  title: "",
  blind: true,
} as const;
const talk = { id: "conversation-7", visibility: "project", trashed_at: null } as const;

/** A table read from its first row to its last, with or without an index. */
const readsAll =
  /^SCAN (asset|batch|conversation|message|run|run_event|run_input|change|model|blob)\b(?!_fts)|Seq Scan on (asset|batch|conversation|message|run|run_event|run_input|change|model|blob)\b|Index Scan using \w+_pkey on \w+[^\n]*\n\s+Filter/m;

/** Not by the project, which may have a hundred thousand. */
const byKey = /sqlite_autoindex_asset_1 \(id=\?\)|asset_pkey/;

const lists: [title: string, work: (store: Store) => Promise<unknown>, by?: RegExp][] = [
  ["the library", (store) => listAssets(store, library)],
  ["the library by kind", (store) => listAssets(store, { ...library, kind: "video" })],
  ["what is kept", (store) => listAssets(store, { ...library, pick: "kept" })],
  ["what was uploaded", (store) => listAssets(store, { ...library, source: "uploaded" })],
  ["what was made", (store) => listAssets(store, { ...library, source: "made" })],
  [
    "what was made with a model",
    (store) => listAssets(store, { ...library, connectionId: "connection", modelId: "model-7" }),
    /asset_model/,
  ],
  ["the trash", (store) => listAssets(store, { ...library, trash: true })],
  [
    "a search of the library",
    (store) => listAssets(store, { ...library, q: "number77" }),
    /asset_fts VIRTUAL TABLE|asset_search/,
  ],
  [
    "the words of a library",
    (store) => findInLibrary(store, { projectId, q: "number77" }),
    /asset_fts VIRTUAL TABLE|asset_search/,
  ],
  ["the whole library", (store) => readLibrary(store, projectId)],
  [
    "what changed in a library",
    (store) => readLibraryRows(store.read, projectId, ["asset-1", "asset-2"]),
    byKey,
  ],
  [
    "assets by their ids",
    (store) => getAssetsIn(store.read, projectId, "user", ["asset-1", "asset-2"]),
    byKey,
  ],
  ["what came of runs", (store) => listAssetsOfRuns(store.read, ["run-1", "run-2"])],
  [
    "what was made from an asset",
    (store) =>
      listMadeFrom(store.read, { assetId: "asset-3", projectId, userId: "user", limit: 50 }),
  ],
  [
    "the trash of conversations",
    (store) => listTrashedConversations(store.read, { ...talks, after: 1 }),
  ],
  ["what leaves the trash", (store) => listTrashedBefore(store.read, 1_795_000_000_500, 50)],
  ["batches", (store) => listBatches(store.read, { projectId, userId: "user", limit: 50 })],
  [
    "batches of a task that has none",
    (store) => listBatches(store.read, { ...talks, task: "speech" }),
    /batch_task/,
  ],
  ["runs", (store) => listRuns(store.read, { ...talks, state: "all" })],
  [
    "runs of a task that has none",
    (store) => listRuns(store.read, { ...talks, state: "ended", task: "speech" }),
    /run_task/,
  ],
  [
    "runs that failed where none has",
    (store) => listRuns(store.read, { ...talks, state: "failed" }),
    /run_ended/,
  ],
  [
    "runs of a person who has none",
    (store) => listRuns(store.read, { ...talks, state: "all", createdBy: "nobody" }),
    /run_person/,
  ],
  [
    "the open runs of a project that is deleted",
    (store) => describeOpen(store.read, { projectId }),
    /run_open/,
  ],
  [
    "a search of runs",
    (store) => searchRuns(store, { ...talks, state: "failed", createdBy: "nobody", q: "said77" }),
    /run_person/,
  ],
  [
    "conversations",
    (store) => listConversations(store.read, { ...talks, archived: false }),
    /conversation_(pinned|own|shared)\b/,
  ],
  [
    "archived conversations",
    (store) => listConversations(store.read, { ...talks, archived: true }),
    /conversation_(pinned|own_archived|shared_archived)\b/,
  ],
  [
    "a search of conversations",
    (store) => searchMessages(store, { projectId, userId: "user", q: "said77", limit: 20 }),
  ],
  [
    "a search of comparisons",
    (store) => searchComparisons(store, { projectId, userId: "user", q: "number77", limit: 5 }),
  ],
  ["the messages of a conversation", (store) => listMessages(store.read, "conversation-7")],
  ["the outline of a conversation", (store) => readOutline(store, "conversation-7")],
  [
    "the newest messages of a conversation",
    (store) => listNewestMessages(store.read, "conversation-7", 50),
  ],
  [
    "a page of a conversation",
    (store) => pageMessages(store.read, { conversationId: "conversation-7", limit: 50 }),
  ],
  [
    "messages by their ids",
    (store) => getMessagesByIds(store.read, "conversation-7", ["message-1", "message-2"]),
  ],
  [
    "a search in a conversation",
    (store) =>
      findMessages(store, { projectId, conversationId: "conversation-7", q: "said77", limit: 20 }),
  ],
  [
    "what sharing a conversation shares",
    (store) => store.write((tx) => shareRuns(newUnit(tx, at), talk)),
    /run_message/,
  ],
  [
    "what the end of its sharing takes back",
    (store) => store.write((tx) => shareRuns(newUnit(tx, at), { ...talk, visibility: "author" })),
    /run_message/,
  ],
  [
    "the ratings of messages",
    (store) => withFeedback(store.read, [{ id: "message-1" }, { id: "message-2" }] as never),
  ],
  [
    "where a run is shown",
    (store) => findPlaceOfRun(store.read, { messageId: "message-1", userId: "user" }),
    /message_copy_of/,
  ],
  [
    "what a fork copies",
    (store) => store.write((tx) => planFork(tx, "conversation-7", "message-7")),
  ],
  ["what a conversation cost", (store) => sumCosts(store, "conversation-7")],
  [
    "conversations to be purged",
    (store) => store.write((tx) => purgeConversations(tx, at + 50, 50)),
  ],
  ["runs by their ids", (store) => getRunsByIds(store.read, ["run-1", "run-2"])],
  ["runs of batches", (store) => getRunsOfBatches(store.read, ["batch-1", "batch-2"])],
  ["the events of a run", (store) => listRunEvents(store.read, "run-7", 3, 50)],
  ["the changes of a project", (store) => listChanges(store.read, projectId, "user", 200, 50)],
  [
    "the assets that changed in a project",
    (store) => listChangedAssets(store.read, projectId, 200, 250),
  ],
  ["the end of a feed", (store) => feedPlace(store.read, projectId)],
  ["the ends of a feed", (store) => feedEnds(store.read, projectId)],
  ["changes to be pruned", (store) => store.write((tx) => pruneChanges(tx, 5, 50))],
  [
    "a page of models",
    (store) => listModels(store, { connectionIds: ["connection"], userId: "user", limit: 50 }),
  ],
  [
    "a search of models",
    (store) =>
      listModels(store, {
        connectionIds: ["connection"],
        userId: "user",
        search: "number77",
        limit: 50,
      }),
  ],
  [
    "models by what they can, from the newest",
    (store) =>
      listModels(store, {
        connectionIds: ["connection"],
        userId: "user",
        task: "chat",
        can: ["tools"],
        price: "known",
        starred: true,
        order: "newest",
        limit: 50,
      }),
  ],
  [
    "files that nothing needs",
    (store) => store.write((tx) => markUnneededBlobs(tx, { before: 5, at: 5, limit: 50 })),
    /blob_unchecked/,
  ],
];

forEachDatabase((_, create) => {
  let store: Store;
  beforeAll(async () => {
    store = openStore(await create());
    await migrate(store, 0);
    await fillStore(store);
    const results = [7, 27].map((i) => ({ runId: `run-${i}`, outputIndex: 0, messageId: null }));
    await store.write((tx) => insertComparison(newUnit(tx, at), comparison, results));
    // PostgreSQL analyzes by itself after a while; SQLite never does.
    if (store.engine === "postgres") await sql`analyze`.execute(store.db);
  });
  afterAll(() => store.close());

  it.each(lists)(
    `%s uses an index instead of reading all of ${fullRows} rows`,
    async (_title, work, by = /./) => {
      for (const { query, plan } of await plansOf(store, work)) {
        expect(`${query}\n${plan}`).not.toMatch(readsAll);
        expect(plan).toMatch(by);
      }
    },
  );

  it("due webhooks are found by an index, without reading runs or later deliveries", async () => {
    const waits = async (origin: string, next_at: number, of: string) =>
      store.db
        .updateTable("run_webhook")
        .set({ status: "waiting", origin, next_at })
        .where("run_id", "like", of)
        .execute();
    const due = { now: at, waitMostMs: 1_000 };
    await waits("https://runs-go-on.example", Number.MAX_SAFE_INTEGER, "run-1%");
    await waits("https://next-try.example", at + 1_000, "run-2%");
    await waits("https://due.example", Number.MAX_SAFE_INTEGER, "run-3%");
    await waits("https://due.example", at, "run-33");
    await waits("https://clock-set-back.example", at + 1_001, "run-4%");
    if (store.engine === "postgres") await sql`vacuum analyze run_webhook`.execute(store.db);
    const lanes = await lanesWithDue(store.read, due);
    expect(lanes.map(({ userId, origin }) => `${userId} ${origin}`).sort()).toEqual([
      "user https://clock-set-back.example",
      "user https://due.example",
    ]);
    const [found] = await plansOf(store, (watched) => lanesWithDue(watched.read, due));
    const reads = found!.plan
      .split("\n")
      .filter((line) => /(SCAN|SEARCH|Scan)\b.*\brun(_webhook)?\b/.test(line));
    // PostgreSQL plans the steps between lanes when it takes the first, and shows no plan for them
    // before.
    expect(reads.length).toBeGreaterThanOrEqual(store.engine === "sqlite" ? 4 : 2);
    for (const read of reads)
      expect(read).toMatch(
        /SEARCH run_webhook USING COVERING INDEX run_webhook_due \(|Index Only Scan using run_webhook_due/,
      );
  });
});
