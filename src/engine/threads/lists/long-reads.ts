import type { Win } from "#domain/votes/bradley-terry.ts";
import { readStorageUse } from "#store/checks/storage-use.ts";
import { listAssets, searchAssets } from "#store/content/assets.ts";
import { searchMessages, searchTitles } from "#store/content/conversation-lists.ts";
import { findInLibrary, rankTitles, readLibrary } from "#store/content/libraries.ts";
import { findMessages, readOutline, sumCosts } from "#store/content/message-pages.ts";
import { listUsedModels } from "#store/content/used-models.ts";
import { countModelTasks, listModels } from "#store/models/list-models.ts";
import { findNearModels, listChatModels, writeOpenAiModels } from "#store/models/named-models.ts";
import { readKeepers } from "#store/money/keepers.ts";
import { listLedgerEntries, listWithoutPrice } from "#store/money/ledger-pages.ts";
import { readUsage } from "#store/money/usage.ts";
import { listAllApiKeys } from "#store/people/api-keys.ts";
import { listAuditEvents } from "#store/people/audit.ts";
import { readBoard } from "#store/runs/ballots.ts";
import { searchComparisons } from "#store/runs/search-comparisons.ts";
import { searchRuns } from "#store/runs/search-runs.ts";

/** Reads whose work grows with the amount of data: a library of 100,000 assets takes 0.15 s. */
export const longReads = {
  listAssets,
  searchAssets,
  findInLibrary,
  readLibrary,
  rankTitles,
  searchMessages,
  searchTitles,
  searchRuns,
  searchComparisons,
  readBoard,
  readOutline,
  findMessages,
  sumCosts,
  readUsage,
  readStorageUse,
  listAllApiKeys,
  listAuditEvents,
  readKeepers,
  listLedgerEntries,
  listWithoutPrice,
  listModels,
  listUsedModels,
  countModelTasks,
  findNearModels,
  listChatModels,
  writeOpenAiModels,
};
export type LongReads = typeof longReads;
export type LongRead = keyof LongReads;
export type ReadTask = { file: string; name: LongRead; args: unknown[] };
/** The arguments of `rate`, whose work grows with the cube of the number of models. */
export type RateTask = { size: number; wins: readonly Win[] };
