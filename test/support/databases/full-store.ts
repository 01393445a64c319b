import type { Insertable } from "kysely";
import { v7 as uuid } from "uuid";
import { searchText } from "#domain/text/search-words.ts";
import type { Database } from "#store/database/schema.ts";
import type { Store } from "#store/database/store.ts";
import { insertConnection } from "#store/models/connections.ts";
import { insertProject } from "#store/people/projects.ts";
import { insertWebhookEndpoint } from "#store/webhooks/webhooks.ts";
import { at, buildConnection } from "./store-rows.ts";

const projects = Array.from({ length: 20 }, (_item, i) => `project-${i}`);
export const fullRows = 6_000;
const words = ["boat", "house", "river", "cloud", "stone", "lamp", "glass", "field"];
const atOnce = 250;

async function insertAll<T extends keyof Database>(
  store: Store,
  table: T,
  rows: Insertable<Database[T]>[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += atOnce) {
    const some = rows.slice(from, from + atOnce);
    await store.write((tx) => tx.insertInto(table).values(some).execute());
  }
}

const many = <T>(make: (i: number, id: string) => T, count = fullRows): T[] =>
  Array.from({ length: count }, (_item, i) => make(i, uuid()));
const endedRun = {
  user_id: "user",
  visibility: "project",
  connection_id: "connection",
  model_id: "model-7",
  task: "image",
  input: "{}",
  input_hash: "",
  request_hash: "",
  state: "succeeded",
  priority: 0,
  placeless: 0,
  fence: 1,
  seq: 4,
  attempts: 1,
  probes: 0,
  held_micros: 0,
  warnings: "[]",
} as const;
const projectOf = (i: number): string => projects[i % projects.length]!;
const hashOf = (i: number): string => String(i).padStart(64, "0");
const now = (i: number): number => at + i;
const dayMs = 24 * 60 * 60_000;
const time = new Date(at).toISOString();

/**
 * Fills a store with 6,000 rows of everything that grows, in 20 projects: runs that ended long ago,
 * and their results.
 */
export async function fillStore(
  store: Store,
  without: readonly "run_webhook"[] = [],
): Promise<void> {
  await store.write(async (tx) => {
    for (const id of projects)
      await insertProject(tx, { id, name: id, description: "", ownerId: "user", at });
    await insertConnection(tx, buildConnection({ id: "connection" }));
    await insertWebhookEndpoint(tx, {
      id: "endpoint",
      projectId: null,
      url: "https://hooks.example.org",
      events: [],
      sealedSecret: "",
      privateAllowed: false,
      createdBy: "user",
      at,
    });
  });
  const user = { name: "", emailVerified: false, createdAt: time, updatedAt: time };
  await insertAll(store, "user", [
    {
      ...user,
      id: "user",
      email: "user@example.org",
      role: "member" as const,
      status: "active" as const,
      locale: "en",
      timeZone: "UTC",
      theme: "system" as const,
    },
  ]);
  await insertAll(
    store,
    "session",
    many((i, id) => ({
      id,
      userId: "user",
      token: id,
      expiresAt: new Date(at + 30 * dayMs + i).toISOString(),
      createdAt: time,
      updatedAt: time,
    })),
  );
  await insertAll(
    store,
    "invite",
    many((i, id) => ({
      id,
      kind: "join" as const,
      token_hash: id,
      email: "user@example.org",
      role: "member" as const,
      created_by: "user",
      expires_at: now(i),
      used_at: now(i),
    })),
  );
  await insertAll(
    store,
    "blob",
    many((i) => ({
      sha256: hashOf(i),
      bytes: 1,
      mime: "image/png",
      state: "stored" as const,
      created_at: now(i),
    })),
  );
  await insertAll(
    store,
    "asset",
    many((i, id) => ({
      id,
      project_id: projectOf(i),
      visibility: "project" as const,
      run_id: i % 3 === 0 ? null : `run-${i}`,
      ...(i % 3 > 0 && { connection_id: "connection", model_id: `model-${i % 10}` }),
      output_index: 0,
      upload_id: i % 3 === 0 ? `upload-${i}` : null,
      created_by: "user",
      blob_sha256: hashOf(i),
      kind: i % 50 === 0 ? "video" : "image",
      mime: "image/png",
      bytes: 1,
      width: 3,
      height: 2,
      duration_ms: null,
      thumbhash: null,
      variants: "[]",
      phash: null,
      provenance: null,
      title: `${words[i % 8]} ${i}`,
      prompt_text: "",
      search: searchText(`${words[i % 8]} number${i}`),
      pick: (i % 40 === 0 ? "kept" : "none") as "kept" | "none",
      rating: 0,
      trashed_at: i % 100 === 1 ? now(i) : null,
      deleted_at: null,
      created_at: now(i),
    })),
  );
  await insertAll(
    store,
    "batch",
    many((i, id) => ({
      id,
      project_id: projectOf(i),
      kind: "one" as const,
      task: i % 50 === 0 ? "video" : "image",
      input: "{}",
      axes: null,
      created_by: "user",
      created_at: now(i),
    })),
  );
  await insertAll(
    store,
    "conversation",
    many((i) => ({
      id: `conversation-${i}`,
      project_id: projectOf(i),
      user_id: i % 2 ? "user" : "other",
      visibility: (i % 10 === 0 ? "project" : "author") as "project" | "author",
      title: "",
      system_prompt: "",
      settings: "{}",
      pinned: i % 1_000 === 0 ? 1 : 0,
      temporary: 0,
      titling: "done" as const,
      archived_at: i % 20 === 5 ? now(i) : null,
      trashed_at: i % 100 === 3 ? now(i) : null,
      head_message_id: null,
      created_at: now(i),
      updated_at: now(i),
    })),
  );
  await insertAll(
    store,
    "message",
    many((i, id) => ({
      id,
      conversation_id: `conversation-${i}`,
      parent_id: null,
      role: "user" as const,
      state: "complete" as const,
      parts: "[]",
      search: searchText(`${words[i % 8]} said${i}`),
      run_id: null,
      continues_id: null,
      created_at: now(i),
    })),
  );
  await insertAll(
    store,
    "run",
    many((i) => ({
      ...endedRun,
      id: `run-${i}`,
      project_id: projectOf(i),
      batch_id: `batch-${i}`,
      created_at: now(i),
      finished_at: now(i),
      pruned_at: now(i),
    })),
  );
  await insertAll(
    store,
    "attempt",
    many((i) => ({
      run_id: `run-${i}`,
      number: 1,
      request_hash: "",
      client_token: "",
      provider_request_id: `request-${i}`,
      state: "accepted" as const,
    })),
  );
  await insertAll(
    store,
    "output",
    many((i) => ({
      run_id: `run-${i}`,
      index: 0,
      state: "stored" as const,
      name: "",
      facts: "{}",
    })),
  );
  await insertAll(
    store,
    "webhook_in",
    many((i) => ({
      connection_id: "connection",
      event_id: `event-${i}`,
      received_at: now(i),
      outcome: "",
    })),
  );
  if (!without.includes("run_webhook"))
    await insertAll(
      store,
      "run_webhook",
      many((i) => ({
        run_id: `run-${i}`,
        user_id: "user",
        url: "https://app.example.org/hook",
        origin: "https://app.example.org",
        base_url: "https://bottega.example.org",
        status: "delivered" as const,
        attempts: 1,
        next_at: now(i),
        created_at: now(i),
      })),
    );
  await insertAll(
    store,
    "webhook_out",
    many((i, id) => ({
      id,
      endpoint_id: "endpoint",
      event: "run.succeeded",
      payload: "{}",
      status: "delivered" as const,
      attempts: 1,
      next_at: now(i),
      created_at: now(i),
    })),
  );
  await insertAll(
    store,
    "run_event",
    many((i) => ({
      run_id: `run-${i % 60}`,
      seq: Math.floor(i / 60) + 1,
      type: "progress",
      payload: "{}",
      at: now(i),
    })),
  );
  await insertAll(
    store,
    "run_input",
    many((i) => ({ run_id: `run-${i}`, asset_id: `asset-${i % 500}`, role: "image" })),
  );
  await insertAll(
    store,
    "change",
    many((i) => ({
      project_id: projectOf(i),
      seq: Math.floor(i / 20) + 1,
      user_id: null,
      kind: "asset",
      id: `${i}`,
      at: now(i),
    })),
  );
  await insertAll(
    store,
    "model",
    many((i) => ({
      connection_id: "connection",
      model_id: `model-${i}`,
      name: `Model ${String(i).padStart(5, "0")}`,
      description: "",
      tasks: '["image"]',
      input_modalities: "[]",
      output_modalities: "[]",
      input_schema: null,
      schema_hash: null,
      capabilities: "{}",
      limits: "{}",
      price: null,
      status: "active" as const,
      search: `model number${i}`,
      fetched_at: at,
      facts: i % 3 === 0 ? " task:chat can:tools " : " task:image ",
      context_tokens: i % 3 === 0 ? i : null,
      price_kind: "known" as const,
      first_seen_at: now(i),
      came_at: now(i),
    })),
  );
}
