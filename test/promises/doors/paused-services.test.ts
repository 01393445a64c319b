import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { ModelRef } from "#contract/entities.ts";
import { updateConnection } from "#store/models/connections.ts";
import { onSqlite } from "../../support/databases/databases.ts";
import { until } from "../../support/server/instance.ts";
import {
  type FalDoor,
  falModel,
  openFalDoor,
  smallPicture,
} from "../../support/studio/fal-door.ts";
import { type Door, openDoor } from "../../support/studio/openai-door.ts";

/** Longer than every test, so that no call waits for a place as long as it may. */
const placeWaitMs = 600_000;
const pauseSeconds = 60;
const noHeaders: Record<string, string> = {};

const expectRefused = (refused: Response): void => {
  expect(refused.status).toBe(503);
  const again = Number(refused.headers.get("retry-after"));
  expect(again).toBeGreaterThan(0);
  expect(again).toBeLessThanOrEqual(pauseSeconds);
};

onSqlite((create) => {
  let door: Door;
  let falDoor: FalDoor;
  beforeAll(async () => {
    door = await openDoor(await create(), { instance: { placeWaitMs } });
    falDoor = await openFalDoor(await create(), { instance: { placeWaitMs } });
    const { ollama, openai } = door.studio.models;
    const body = { name: "house-chat", task: "chat", models: [ollama, openai] };
    expect(await door.studio.person.call("createAlias", { body })).toMatchObject({ status: 200 });
  });
  afterAll(() => Promise.all([door.studio.close(), falDoor.studio.close()]));
  afterEach(() => Promise.all([door.studio.forgetFailures(), falDoor.studio.forgetFailures()]));

  const chat = (model: string, words: string, { stream = false, key = "" } = {}) =>
    door.post(
      "/chat/completions",
      { model, stream, messages: [{ role: "user", content: words }] },
      key ? { "idempotency-key": key } : {},
    );
  const pause = ({ connectionId, modelId }: ModelRef) =>
    door.studio.leaveAlone(connectionId, { model_id: modelId, kind: "overload" });

  for (const stream of [false, true])
    it(`a chat with a paused model gets 503 with Retry-After at once, even with an idempotency key, and another model of its connection answers (stream: ${stream})`, async () => {
      const { studio, names } = door;
      await pause(studio.models.openai);
      const posts = studio.openai.posts.length;
      const key = `paused ${stream}`;
      for (const asked of [{ stream }, { stream, key }]) {
        const refused = await chat(names.chat, "anybody", asked);
        expectRefused(refused);
        expect(refused.headers.get("x-should-retry")).toBe("true");
      }
      expect(studio.openai.posts).toHaveLength(posts);
      const other = await chat(names.vision, "you then", { stream });
      expect(other.status).toBe(200);
      expect(await other.text()).toContain(stream ? "[DONE]" : '"finish_reason":"stop"');
      await studio.forgetFailures();
      const again = await chat(names.chat, "anybody", { stream, key });
      expect(again.status).toBe(200);
      await again.text();
    });

  it("a call with the key of a saved answer gets it while its model is paused", async () => {
    const { studio, names } = door;
    const ask = () => chat(names.chat, "once", { key: "saved" });
    const first = (await (await ask()).json()) as { id: string };
    await pause(studio.models.openai);
    const again = await ask();
    expect(again.status).toBe(200);
    expect(await again.json()).toMatchObject({ id: first.id });
  });

  it("a picture of a paused model gets 503 with Retry-After at once, even with an idempotency key", async () => {
    const { studio, names } = door;
    await pause(studio.models.openaiImage);
    for (const headers of [noHeaders, { "idempotency-key": "a picture" }])
      expectRefused(
        await door.post("/images/generations", { model: names.image, prompt: "a quay" }, headers),
      );
    expect((await chat(names.chat, "words go on")).status).toBe(200);
  });

  it("an alias gets 503 only when all of its models are paused, with the earliest retry time", async () => {
    const { studio } = door;
    const { ollama, openai } = studio.models;
    await pause(ollama);
    const answered = await chat("house-chat", "one is left");
    expect(answered.status).toBe(200);
    const { id } = (await answered.json()) as { id: string };
    expect(await door.runOf(id)).toMatchObject(openai);
    const until = studio.instance.deps.clock.now() + 20_000;
    await studio.leaveAlone(openai.connectionId, {
      model_id: openai.modelId,
      kind: "overload",
      paused_until: until,
    });
    for (const key of ["", "nobody is left"]) {
      const refused = await chat("house-chat", "nobody", { key });
      expectRefused(refused);
      expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(20);
    }
  });

  for (const stream of [false, true])
    it(`a call that waits for a place gets 503 as soon as its model is paused, and its run is withdrawn (stream: ${stream})`, async () => {
      const { studio, names } = door;
      const { connectionId } = studio.models.openai;
      const setPlaces = (text: number | null) =>
        studio.instance.commit(({ tx }) =>
          updateConnection(tx, connectionId, { places: { text, media: null } }),
        );
      await setPlaces(0);
      const words = `in the queue ${stream}`;
      const answer = chat(names.chat, words, { stream });
      const waiting = await until("its run waits", async () =>
        (await door.listRuns()).find(
          ({ state, input }) => state === "queued" && JSON.stringify(input).includes(words),
        ),
      );
      await pause(studio.models.openai);
      expectRefused(await answer);
      expect(await studio.runOf(waiting.id)).toMatchObject({
        state: "cancelled",
        costMicros: 0,
        attempts: 0,
      });
      await setPlaces(null);
    });

  for (const way of ["", "/stream"])
    it(`fal's ${way ? "stream" : "run"} of a paused model gets 503 with Retry-After at once, even with an idempotency key, and another model answers`, async () => {
      const { studio, call } = falDoor;
      const { connectionId, modelId } = studio.models.fal;
      await studio.leaveAlone(connectionId, { model_id: modelId, kind: "overload" });
      const ask = (model: string, prompt: string, headers: Record<string, string> = {}) =>
        call(`https://fal.run/${model}${way}`, {
          method: "POST",
          headers,
          body: JSON.stringify({ prompt }),
        });
      for (const headers of [noHeaders, { "idempotency-key": `paused ${way}` }])
        expectRefused(await ask(falModel, `paused${way}`, headers));
      expect(falDoor.postsOf(`paused${way}`)).toBe(0);
      const other = await ask("sim/minimax-music/v2", `open${way}`);
      expect(other.status).toBe(200);
      await other.text();
      expect(falDoor.postsOf(`open${way}`)).toBe(1);
    });

  for (const way of ["", "/stream"])
    it(`fal's ${way ? "stream" : "run"} that waits for a place gets 503 as soon as its model is paused`, async () => {
      const { studio, call } = falDoor;
      const { connectionId, modelId } = studio.models.fal;
      const setPlaces = (media: number | null) =>
        studio.instance.commit(({ tx }) =>
          updateConnection(tx, connectionId, { places: { text: null, media } }),
        );
      await setPlaces(0);
      const prompt = `in the queue${way}`;
      const answer = call(`https://fal.run/${falModel}${way}`, {
        method: "POST",
        body: JSON.stringify({ prompt, ...smallPicture }),
      });
      await until("its run waits", async () =>
        (await falDoor.runs()).some(
          ({ state, input }) => state === "queued" && input.prompt === prompt,
        ),
      );
      await studio.leaveAlone(connectionId, { model_id: modelId, kind: "overload" });
      expectRefused(await answer);
      await setPlaces(null);
    });
});
