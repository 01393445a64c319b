import { afterAll, beforeAll, expect, it } from "vitest";
import type { Run } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { forEachDatabase } from "../../../support/databases/databases.ts";
import { createStudio, type Studio } from "../../../support/studio/studio.ts";

forEachDatabase((_, create) => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await createStudio(await create(), { fal: { pace: { by: "time", stepMs: 5 } } });
  });
  afterAll(() => studio.close());

  const ask = (prompt: string, more: object = {}) =>
    studio.person.call<{ runs: Run[] }>("createRuns", {
      body: {
        projectId: studio.person.projectId,
        models: [studio.models.fal],
        task: "image",
        input: { prompt, image_size: { width: 64, height: 64 } },
        expand: true,
        ...more,
      },
    });

  it("each run has one prompt of the template, and records its choices", async () => {
    const { body } = await ask("a {red|green} boat", { variants: 1 });
    expect(body.runs.map(({ input }) => input.prompt)).toEqual(["a red boat", "a green boat"]);
    const template = "a {red|green} boat";
    expect(body.runs.map(({ expansion }) => expansion)).toEqual([
      { template, values: ["red"], index: 0, count: 2 },
      { template, values: ["green"], index: 1, count: 2 },
    ]);
    const params = { runId: body.runs[1]!.id };
    const kept = await studio.person.call<{ run: Run }>("getRun", { params });
    expect(kept.body.run.expansion?.values).toEqual(["green"]);
  });

  it("a random choice follows from the run's seed", async () => {
    const input = { prompt: "a {?red|green|blue|white} boat", seed: 7 };
    const [first, second] = await Promise.all([ask("", { input }), ask("", { input })]);
    expect(first.body.runs).toHaveLength(1);
    expect(first.body.runs[0]!.input.prompt).toBe(second.body.runs[0]!.input.prompt);
    const many = await ask("", { input, variants: 16 });
    expect(new Set(many.body.runs.map((run) => run.input.prompt)).size).toBeGreaterThan(1);
    expect(many.body.runs[0]!.input.prompt).toBe(first.body.runs[0]!.input.prompt);
  });

  const list = (name: string, items: string[], more: object = {}) =>
    studio.person.call("putWordList", {
      params: { projectId: studio.person.projectId, list: name },
      body: { items, ...more },
    });
  const listed = async () =>
    (
      await studio.person.call<RouteOutput<"listWordLists">>("listWordLists", {
        params: { projectId: studio.person.projectId },
        query: { limit: "1" },
      })
    ).body;

  it("a word list expands to each of its items, in any case, and an unknown one stays unchanged", async () => {
    expect(await list("Colors", [" red", "green", "", "red"])).toMatchObject({
      status: 200,
      body: { list: { name: "Colors", items: ["red", "green"], count: 2 } },
    });
    const { body } = await ask("a __colors__ boat by __nobody__");
    expect(body.runs.map(({ input }) => input.prompt)).toEqual([
      "a red boat by __nobody__",
      "a green boat by __nobody__",
    ]);
  });

  it("a list that another person has since changed isn't overwritten unseen", async () => {
    const before = await list("moods", ["calm"], { replaces: null });
    const { updatedAt } = (before.body as RouteOutput<"putWordList">).list;
    expect(await list("moods", ["wild"], { replaces: null })).toMatchObject({
      status: 409,
      body: { code: "conflict" },
    });
    expect(await list("moods", ["wild"], { replaces: updatedAt })).toMatchObject({ status: 200 });
    const first = await listed();
    expect([first.lists.map(({ name }) => name), first.next === null]).toEqual([["Colors"], false]);
  });

  it("of two people who save a list at once, the second is informed", async () => {
    const saved = await Promise.all(
      Array.from({ length: 8 }, (_, i) => list("shared", [`of ${i}`], { replaces: null })),
    );
    const statuses = saved.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 409)]);
    const { projectId } = studio.person;
    await studio.person.call("removeWordList", { params: { projectId, list: "shared" } });
  });

  it("a list's name fits in a prompt, and its items fit the limit", async () => {
    expect(await list("two words", ["a"])).toMatchObject({ status: 422, body: { field: "name" } });
    expect(await list("a", [" "])).toMatchObject({ status: 422, body: { field: "items" } });
    const many = Array.from({ length: 10_001 }, (_, i) => `item ${i}`);
    expect(await list("many", many)).toMatchObject({ status: 422 });
    expect(await list("many", many.slice(1))).toMatchObject({
      status: 200,
      body: { list: { count: 10_000 } },
    });
  });

  it("each model of a form may override the shared settings", async () => {
    const { fal, openaiImage } = studio.models;
    const { body } = await ask("a quay", {
      models: [
        { ...fal, input: { seed: 5 } },
        { ...openaiImage, input: { prompt: "a {low|high} quay" } },
      ],
      input: { prompt: "a quay" },
    });
    expect(body.runs.map(({ modelId, input }) => [modelId, input.prompt])).toEqual([
      [fal.modelId, "a quay"],
      [openaiImage.modelId, "a low quay"],
      [openaiImage.modelId, "a high quay"],
    ]);
    expect(body.runs.map(({ input }) => input.seed === 5)).toEqual([true, false, false]);
    const refused = await ask("a quay", {
      models: [fal, { ...openaiImage, input: { size: 7 } }],
    });
    expect(refused).toMatchObject({ status: 422, body: { field: "input.size" } });
  });

  it("a prompt without requested expansion is sent unchanged, with its braces", async () => {
    const { body } = await ask("a {red|green} brace", { expand: false });
    expect(body.runs.map(({ input, expansion }) => [input.prompt, expansion])).toEqual([
      ["a {red|green} brace", null],
    ]);
  });

  it("prompts that are too long together are refused before any is made", async () => {
    const items = Array.from({ length: 1_000 }, (_, i) => `${i}`);
    await list("numbers", items);
    const refused = (detail: string) => ({
      status: 422,
      body: {
        code: "invalid_input",
        field: "input.prompt",
        detail: expect.stringContaining(detail),
      },
    });
    expect(await ask(`__numbers__ ${"x".repeat(3_900_000)}`)).toMatchObject(
      refused("The prompt has 3,900,012 characters. The limit is 200,000."),
    );
    expect(await ask(`__numbers__ ${"x".repeat(8_000)}`)).toMatchObject(
      refused("The prompts of this batch have up to 8,012,000 characters in total."),
    );
    expect(await ask("{?a|b}".repeat(1_001))).toMatchObject(
      refused("The prompt has choices in 1,001 places. The limit is 1,000 places."),
    );
    await list("chapter", ["x".repeat(10_000)]);
    expect(await ask("__chapter__".repeat(21))).toMatchObject(
      refused("With its longest choices, the prompt has 210,000 characters."),
    );
  });

  it("a batch takes 1,000 results and not one more, of all models and variants together", async () => {
    const ten = "{0|1|2|3|4|5|6|7|8|9}";
    const refused = await ask(`${ten}${ten}${ten}`, { variants: 2 });
    expect(refused).toMatchObject({
      status: 422,
      body: {
        code: "invalid_input",
        field: "input.prompt",
        detail: expect.stringContaining("This makes 2,000 results. A batch has at most 1,000."),
      },
    });
    const taken = await ask(`${ten}${ten}${ten}`);
    expect(taken.body.runs).toHaveLength(1_000);
    await Promise.all(taken.body.runs.map(({ id }) => studio.instance.engine.cancelRun(id)));
  });
});
