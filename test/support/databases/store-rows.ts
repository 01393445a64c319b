import { v7 as uuid } from "uuid";
import type { NewAsset } from "#store/content/assets.ts";
import type { insertConversation } from "#store/content/conversations.ts";
import type { insertConnection } from "#store/models/connections.ts";
import type { NewModel } from "#store/models/models.ts";
import type { NewRun } from "#store/runs/runs.ts";

/** A simulator has a local address but represents a hosted service. */
export const placesOfSimulators = { textPlaces: 64, mediaPlaces: 8 };

/** The creation time of everything here, unless a test sets another. */
export const at = 1_795_000_000_000;

type NewConnection = Parameters<typeof insertConnection>[1];
export const buildConnection = ({
  id = uuid(),
  ...facts
}: Partial<NewConnection> = {}): NewConnection => ({
  id,
  slug: id,
  kind: "k",
  name: "c",
  scope: "instance",
  scopeId: null,
  baseUrls: {},
  options: {},
  sealedSecret: null,
  places: { text: 1, media: 1 },
  createdBy: null,
  at,
  ...facts,
});

export const buildModel = (
  facts: Pick<NewModel, "connectionId"> & Partial<NewModel>,
): NewModel => ({
  modelId: "m",
  name: "m",
  description: "",
  tasks: ["image"],
  inputModalities: [],
  outputModalities: [],
  inputSchema: null,
  schemaHash: null,
  capabilities: {},
  limits: {},
  prices: [],
  status: "active",
  fetchedAt: at,
  ...facts,
});

type NewConversation = Parameters<typeof insertConversation>[1];
export const buildConversation = (
  facts: Pick<NewConversation, "projectId" | "userId"> & Partial<NewConversation>,
): NewConversation => ({
  id: uuid(),
  title: "",
  systemPrompt: "",
  settings: {},
  at,
  ...facts,
});

export const buildRun = (
  facts: Pick<NewRun, "projectId" | "userId" | "connectionId"> & Partial<NewRun>,
): NewRun => ({
  id: uuid(),
  visibility: "project",
  modelId: "m",
  schemaHash: null,
  task: "image",
  input: { prompt: "a tree" },
  inputHash: "h",
  requestHash: "h",
  idempotencyScope: null,
  idempotencyKey: null,
  batchId: null,
  messageId: null,
  retryOf: null,
  remixOf: null,
  apiKeyId: null,
  priceSnapshot: null,
  heldMicros: 0,
  waitingFor: null,
  at,
  ...facts,
});

/** A one-pixel picture whose bytes aren't stored. */
export const buildAsset = (
  facts: Pick<NewAsset, "projectId" | "createdBy"> & Partial<NewAsset>,
): NewAsset => ({
  id: uuid(),
  visibility: "project",
  runId: null,
  outputIndex: null,
  uploadId: null,
  sha256: "f".repeat(64),
  kind: "image",
  mime: "image/png",
  bytes: 1,
  width: 1,
  height: 1,
  durationMs: null,
  thumbhash: null,
  variants: [],
  provenance: null,
  title: "",
  promptText: "",
  modelName: "",
  createdAt: at,
  ...facts,
});
