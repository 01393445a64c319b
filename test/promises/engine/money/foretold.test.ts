import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { aliasConnectionId } from "#contract/aliases.ts";
import type { Asset, ModelDetail, ModelRef, Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { Task } from "#contract/tasks.ts";
import { secondsOfRecordings } from "#domain/money/prices.ts";
import type { FormAsk } from "#domain/runs/variants.ts";
import { assetsInInput } from "#domain/schemas/input-schema.ts";
import { putCircuit } from "#store/models/circuits.ts";
import { updateConnection } from "#store/models/connections.ts";
import { estimatePrice } from "../../../../src/web/components/model/estimate-price.ts";
import { type Price, sumPrices } from "../../../../src/web/messages/format.ts";
import { createTestDatabase } from "../../../support/databases/databases.ts";
import { type Door, openDoor } from "../../../support/studio/openai-door.ts";

// The counting happens outside of queries, so one database is enough.
let door: Door;
let recording: Asset;
let picture: Asset;

beforeAll(async () => {
  door = await openDoor(await createTestDatabase("sqlite"));
  const { studio, client, names } = door;
  const speech = await client.audio.speech.create({
    model: names.speech,
    input: "Good morning.",
    voice: "alloy",
  });
  await speech.arrayBuffer();
  [recording] = (await studio.assetsOf(speech.headers.get("x-request-id")!)) as [Asset];
  const made = await studio.make("a quay");
  await studio.ended(made.id);
  [picture] = (await studio.assetsOf(made.id)) as [Asset];
  const body = {
    scope: "project",
    scopeIds: [studio.person.projectId],
    period: "total",
    timeZone: "UTC",
    onLimit: "block",
    limitMicros: 1_000_000_000,
  };
  expect((await studio.person.call("setBudgets", { body })).status).toBe(200);
});
afterAll(() => door.studio.close());

type Facts = {
  unit?: string;
  micros?: string;
  ceilingMicros?: number | null;
  task: Task;
  fields?: readonly string[];
  countField?: { name: string; most: number };
};

/** Gives a model other prices and another form. */
async function state(ref: ModelRef, facts: Facts): Promise<ModelRef> {
  const { unit, micros = "40000", ceilingMicros = null, task, fields = [], countField } = facts;
  const { store } = door.studio.instance;
  const properties = Object.fromEntries(["prompt", "seed", ...fields].map((name) => [name, {}]));
  await store.db
    .updateTable("model")
    .set({
      price: unit ? JSON.stringify([{ unit, micros, source: "test", at: 0 }]) : null,
      tasks: JSON.stringify([task]),
      input_schema: JSON.stringify({ type: "object", properties }),
      capabilities: JSON.stringify(countField ? { countField } : {}),
    })
    .where("connection_id", "=", ref.connectionId)
    .where("model_id", "=", ref.modelId)
    .execute();
  const body = { modelId: ref.modelId, ceilingMicros };
  const params = { connectionId: ref.connectionId };
  expect((await door.studio.person.call("setModelPrice", { params, body })).status).toBe(200);
  return ref;
}

const setPlaces = async (media: number): Promise<void> => {
  const { instance, models } = door.studio;
  for (const { connectionId } of [models.fal, models.openai, models.ollama])
    await instance.commit(({ tx }) =>
      updateConnection(tx, connectionId, { places: { text: 8, media } }),
    );
};
afterEach(async () => {
  const { instance } = door.studio;
  const queued = await instance.store.db
    .selectFrom("run")
    .select("id")
    .where("state", "=", "queued")
    .execute();
  for (const { id } of queued) await instance.engine.cancelRun(id);
  await setPlaces(8);
});

async function modelShown({ connectionId, modelId }: ModelRef): Promise<ModelDetail> {
  const { person } = door.studio;
  const query = { model: modelId, projectId: person.projectId };
  const { body } = await person.call<{ model: ModelDetail }>("getModel", {
    params: { connectionId },
    query,
  });
  return body.model;
}

async function secondsHeard(input: JsonObject): Promise<number | undefined> {
  const read = assetsInInput(input).map(async ({ assetId }) => {
    const params = { assetId };
    return (await door.studio.person.call<{ asset: Asset }>("getAsset", { params })).body.asset;
  });
  return secondsOfRecordings(await Promise.all(read));
}

/** The price on Create's button, as the browser computes it. */
async function shownFor(models: readonly ModelRef[], task: Task, ask: FormAsk): Promise<Price> {
  const seconds = task === "transcription" ? await secondsHeard(ask.input) : undefined;
  const prices = await Promise.all(
    models.map(async (ref) => estimatePrice(await modelShown(ref), ask, seconds)),
  );
  return sumPrices(prices);
}

/** Null if there is no upper bound. */
function mostOf(price: Price): number | null {
  if (price.kind === "free") return 0;
  if (price.kind === "at-most") return price.micros;
  return price.kind === "about" ? (price.mostMicros ?? null) : null;
}

const named = (name: string): ModelRef => ({ connectionId: aliasConnectionId, modelId: name });
async function alias(name: string, models: ModelRef[]): Promise<ModelRef> {
  const body = { name, task: "image", models };
  expect((await door.studio.person.call("createAlias", { body })).status).toBe(200);
  return named(name);
}

type Row = {
  task?: Task;
  facts?: Omit<Facts, "task">;
  /** The models of the one above, if it isn't a single model. */
  models?: () => Promise<ModelRef[]>;
  ask: () => Omit<FormAsk, "variants"> & { variants?: number };
  most: number | null;
};
const fileOf = (asset: Asset): string => `asset:${asset.id}`;
const rows: [string, Row][] = [
  [
    "pictures by the picture, several at a time",
    {
      facts: { unit: "image", fields: ["n"], countField: { name: "n", most: 4 } },
      ask: () => ({ input: { prompt: "a quay" }, variants: 6 }),
      most: 240_000,
    },
  ],
  [
    "every prompt of a template, each several times",
    {
      facts: { unit: "image", fields: ["n"], countField: { name: "n", most: 4 } },
      ask: () => ({
        input: { prompt: "a {red|green|blue} {boat|quay} at {?dusk|dawn}" },
        variants: 6,
        expand: true,
      }),
      most: 1_440_000,
    },
  ],
  [
    "pictures by the megapixel",
    {
      facts: { unit: "megapixel", fields: ["image_size"] },
      ask: () => ({ input: { prompt: "a", image_size: { width: 1_100, height: 1_000 } } }),
      most: 80_000,
    },
  ],
  [
    "a film by the second",
    {
      task: "video",
      facts: { unit: "second", fields: ["duration"] },
      ask: () => ({ input: { prompt: "a", duration: "8s" }, variants: 2 }),
      most: 640_000,
    },
  ],
  [
    "a film by the minute",
    {
      task: "video",
      facts: { unit: "minute", fields: ["duration"] },
      ask: () => ({ input: { prompt: "a", duration: 90 } }),
      most: 80_000,
    },
  ],
  [
    "speech by the thousand characters",
    {
      task: "speech",
      facts: { unit: "1000 characters", fields: ["text"] },
      ask: () => ({ input: { text: "x".repeat(1_001) } }),
      most: 80_000,
    },
  ],
  [
    "music by the request",
    {
      task: "music",
      facts: { unit: "request" },
      ask: () => ({ input: { prompt: "a" } }),
      most: 40_000,
    },
  ],
  [
    "a transcription by the minute of its recording",
    {
      task: "transcription",
      facts: { unit: "minute", fields: ["audio"] },
      ask: () => ({ input: { audio: fileOf(recording) } }),
      most: 40_000,
    },
  ],
  [
    "an upscale whose size only the run shows",
    {
      task: "upscale",
      facts: { unit: "megapixel", fields: ["image_url"] },
      ask: () => ({ input: { image_url: fileOf(picture) } }),
      most: null,
    },
  ],
  [
    "the same under a ceiling",
    {
      task: "upscale",
      facts: { unit: "megapixel", fields: ["image_url"], ceilingMicros: 90_000 },
      ask: () => ({ input: { image_url: fileOf(picture) }, variants: 2 }),
      most: 180_000,
    },
  ],
  [
    "compute seconds under a ceiling",
    {
      facts: { unit: "compute second", ceilingMicros: 70_000 },
      ask: () => ({ input: { prompt: "a" }, variants: 3 }),
      most: 210_000,
    },
  ],
  ["a model without a price", { facts: {}, ask: () => ({ input: { prompt: "a" } }), most: null }],
  [
    "several models, one of them by its ceiling",
    {
      models: async () => [
        await state(door.studio.models.fal, { unit: "image", task: "image" }),
        await state(door.studio.models.openaiImage, { task: "image", ceilingMicros: 50_000 }),
      ],
      ask: () => ({ input: { prompt: "a" }, variants: 2 }),
      most: 180_000,
    },
  ],
  [
    "a model on a server of one's own",
    {
      models: async () => [await state(door.studio.models.ollama, { task: "image" })],
      ask: () => ({ input: { prompt: "a" }, variants: 2 }),
      most: 0,
    },
  ],
  [
    "an alias of a model with a ceiling",
    {
      models: async () => [
        await alias("by-ceiling", [
          await state(door.studio.models.fal, { task: "image", ceilingMicros: 60_000 }),
        ]),
      ],
      ask: () => ({ input: { prompt: "a" } }),
      most: 60_000,
    },
  ],
  [
    "an alias of a model on a server of one's own",
    {
      models: async () => [
        await alias("local", [await state(door.studio.models.ollama, { task: "image" })]),
      ],
      ask: () => ({ input: { prompt: "a" } }),
      most: 0,
    },
  ],
  [
    "an alias whose first model is paused",
    {
      models: async () => {
        const { fal, openaiImage } = door.studio.models;
        await state(fal, { unit: "image", micros: "10000", task: "image" });
        await state(openaiImage, { unit: "image", micros: "30000", task: "image" });
        const at = door.studio.instance.deps.clock.now();
        await door.studio.instance.commit(({ tx }) =>
          putCircuit(tx, fal.connectionId, {
            modelId: fal.modelId,
            kind: "overload",
            failures: 5,
            inputs: ["one", "two"],
            openedAt: at,
            pausedUntil: at + 60_000,
            detail: null,
          }),
        );
        return [await alias("paused", [fal, openaiImage])];
      },
      ask: () => ({ input: { prompt: "a" } }),
      most: 30_000,
    },
  ],
];

it.each(rows)("the button shows the reserved amount: %s", async (_, row) => {
  const { person, models, instance } = door.studio;
  await setPlaces(0);
  const { task = "image", ask, most } = row;
  const refs = row.models ? await row.models() : [await state(models.fal, { ...row.facts, task })];
  const form = { variants: 1, ...ask() };
  const shown = mostOf(await shownFor(refs, task, form));
  const { status, body } = await person.call<{ runs: Run[]; code: string }>("createRuns", {
    body: { projectId: person.projectId, models: refs, task, ...form },
  });
  await instance.store.db.deleteFrom("circuit").execute();
  expect(shown).toBe(most);
  if (shown === null) return expect([status, body.code]).toEqual([402, "ceiling_needed"]);
  expect(body).toMatchObject({ runs: expect.anything() });
  expect(body.runs.reduce((sum, { heldMicros }) => sum + heldMicros, 0)).toBe(shown);
});

it("a program's call reserves its model's price, through every API", async () => {
  const { client, names, studio } = door;
  const { connectionId } = studio.models.openai;
  await studio.instance.store.db
    .updateTable("model")
    .set({ price: null })
    .where("connection_id", "=", connectionId)
    .execute();
  const price = (modelId: string, unit: string, ceilingMicros: number | null = null) => {
    const body = { modelId, prices: [{ unit, micros: "30000" }], ceilingMicros };
    return studio.person.call("setModelPrice", { params: { connectionId }, body });
  };
  const isRight = async (id: string) => {
    const run = await studio.runOf(id);
    const ref = { connectionId: run.connectionId, modelId: run.modelId };
    const ask = { input: run.input as JsonObject, variants: 1 };
    const shown = mostOf(await shownFor([ref], run.task, ask));
    const held = (await studio.ledgerOf(id)).find(({ kind }) => kind === "hold");
    expect([run.task, Number(held?.micros)]).toEqual([run.task, shown]);
    expect(shown).toBeGreaterThan(0);
  };
  for (const [modelId, unit, ceiling] of [
    ["sim-image", "image"],
    ["sim-speech", "1000 character"],
    ["sim-transcription", "minute"],
    ["sim-embedding", "input token", 20_000],
  ] as const)
    expect((await price(modelId, unit, ceiling ?? null)).status).toBe(200);

  const drawn = await client.images.generate({ model: names.image, prompt: "a quay", n: 2 });
  for (const { run_id } of (drawn as unknown as { bottega: { run_id: string }[] }).bottega)
    await isRight(run_id);
  const speech = await client.audio.speech.create({
    model: names.speech,
    input: "Good morning.",
    voice: "alloy",
  });
  await isRight(speech.headers.get("x-request-id")!);
  await client.audio.transcriptions.create({
    model: names.transcription,
    file: new File([await speech.arrayBuffer()], "morning.wav", { type: "audio/wav" }),
  });
  await client.embeddings.create({ model: names.embedding, input: "quay" });
  for (const task of ["transcription", "embedding"]) {
    const run = (await door.listRuns()).find((one) => one.task === task)!;
    await isRight(run.id);
  }
});

it("a program's answer reserves the estimate for the same text and tools", async () => {
  const { studio, post } = door;
  const { person, models } = studio;
  const { connectionId, modelId } = models.openai;
  const prices = ["input token", "output token"].map((unit) => ({
    unit,
    micros: "3",
    source: "test",
    at: 0,
  }));
  await studio.instance.store.db
    .updateTable("model")
    .set({ price: JSON.stringify(prices) })
    .where("connection_id", "=", connectionId)
    .where("model_id", "=", modelId)
    .execute();
  const description = "Looks up the weather of a place. ".repeat(40);
  const parameters = { type: "object", properties: { place: { type: "string" } } };
  const tool = { name: "weather", description, parameters };
  const words = "What is the weather in Trieste?";
  const said = [words, JSON.stringify({ name: tool.name, description, inputSchema: parameters })];
  const characters = said.join("").length;
  const { body: foretold } = await person.call<{ mostMicros: number }>("estimateAnswer", {
    params: { projectId: person.projectId },
    body: {
      model: models.openai,
      settings: { maxOutputTokens: 50 },
      characters,
      bytes: characters,
    },
  });
  const heldBy = async (path: string, body: object) => {
    const answer = await post(path, body);
    const { id } = (await answer.json()) as { id: string };
    const run = await door.runOf(id);
    const held = (await studio.ledgerOf(run.id)).find(({ kind }) => kind === "hold");
    return Number(held?.micros);
  };
  const chat = await heldBy("/chat/completions", {
    model: door.names.chat,
    messages: [{ role: "user", content: words }],
    max_completion_tokens: 50,
    tools: [{ type: "function", function: tool }],
  });
  const response = await heldBy("/responses", {
    model: door.names.chat,
    input: words,
    max_output_tokens: 50,
    tools: [{ type: "function", ...tool }],
  });
  // A message's markup is 16 tokens, and a tool's field names differ by a few bytes.
  expect(Math.abs(chat - foretold.mostMicros)).toBeLessThan(3 * 60);
  expect(Math.abs(response - foretold.mostMicros)).toBeLessThan(3 * 60);
});

it("a summary reserves its estimate", async () => {
  const { person, models, ended, ask } = door.studio;
  const { conversationId, answer, run } = await ask("Tell me of tides. ".repeat(50));
  await ended(run.id);
  const asked = { model: models.openai, settings: {} };
  const { body: foretold } = await person.call<{ mostMicros: number }>("estimateAnswer", {
    params: { projectId: person.projectId },
    body: {
      ...asked,
      conversationId,
      parentId: answer.id,
      summarises: true,
      characters: 0,
      bytes: 0,
    },
  });
  const { body } = await person.call<{ run: Run }>("chooseContext", {
    params: { conversationId },
    body: { upTo: answer.id, choice: { sends: "summary", ask: asked } },
  });
  expect(body).toMatchObject({ run: expect.anything() });
  expect(foretold.mostMicros).toBe(body.run.heldMicros);
  expect(foretold.mostMicros).toBeGreaterThan(3 * limits.summaryTokens);
  await ended(body.run.id);
});
