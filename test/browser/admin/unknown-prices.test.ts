import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset, ModelRef, Run } from "#contract/entities.ts";
import { type FalSimulator, startFal } from "../../simulators/fal.ts";
import { startOllama } from "../../simulators/ollama.ts";
import { type Chat, composer, startChat } from "../../support/browser/chat-in-browser.ts";
import { button } from "../../support/browser/locators.ts";
import { savedEntry } from "../../support/browser/saved-entry.ts";
import { connectKind } from "../../support/browser/studio-in-browser.ts";
import { until } from "../../support/server/instance.ts";
import { soon } from "../../support/soon.ts";

/** Every screen with unknown costs: an unknown price is neither "$0.00" nor "free". */
let chat: Chat;
let ollama: Awaited<ReturnType<typeof startOllama>>;
let fal: FalSimulator;
let live: ModelRef;
let image: ModelRef;
let local: ModelRef;
let conversationId: string;
let run: Run;
let asset: Asset;

beforeAll(async () => {
  [chat, ollama, fal] = await Promise.all([
    startChat(),
    startOllama(),
    startFal({ isUnpriced: true, modelMs: 20 }),
  ]);
  const { api } = chat.studio;
  const { url, key } = chat.simulator;
  const models = JSON.stringify(["sim-image", "sim-image-2"].map((id) => ({ id, task: "image" })));
  const connectionId = await connectKind(api, "openai-compatible", { api: url, key, models });
  image = { connectionId, modelId: "sim-image" };
  const localId = await connectKind(api, "ollama", { address: ollama.url });
  local = { connectionId: localId, modelId: ollama.models()[0]! };
  const falId = await connectKind(api, "fal", fal.values);
  live = { connectionId: falId, modelId: "sim/klein/realtime" };
  const { user } = await api.get<{ user: { id: string } }>("/me");
  const setting = { limitMicros: 10_000_000, period: "month", timeZone: "UTC", onLimit: "warn" };
  for (const [scope, id] of [
    ["instance", null],
    ["project", api.projectId],
    ["user", user.id],
  ])
    await api.send("PUT", "/admin/budgets", { ...setting, scope, scopeIds: [id] });
  const { conversation } = await api.send<{ conversation: { id: string } }>(
    "POST",
    "/conversations",
    { projectId: api.projectId },
  );
  conversationId = conversation.id;
  chat.simulator.script({ text: "Nobody knows." });
  const said = await api.send<{ run: Run }>("POST", `/conversations/${conversationId}/messages`, {
    parentId: null,
    text: "What do you cost?",
    ask: { model: { connectionId: chat.connectionId, modelId: "sim-chat" } },
  });
  const { runs } = await api.send<{ runs: Run[] }>("POST", "/runs", {
    projectId: api.projectId,
    models: [image],
    task: "image",
    input: { prompt: "a quay" },
  });
  for (const { id } of [said.run, runs[0]!])
    await until("it has ended", async () => (await chat.stateOf(id)) === "succeeded");
  const ended = await api.get<{ run: Run; assets: Asset[] }>(`/runs/${runs[0]!.id}`);
  run = ended.run;
  asset = ended.assets[0]!;
});
afterAll(async () => {
  await chat?.stop();
  await Promise.all([ollama?.stop(), fal?.stop()]);
});

type Kept = { kind: "choice" | "draft"; name: string; value: unknown };

/**
 * Opens a page for a person with these saved choices in the project, in addition to the usual ones.
 */
async function open(path: string, more: readonly Kept[] = []): Promise<Page> {
  const page = await chat.openProfile();
  const { user } = await chat.studio.api.get<{ user: { id: string } }>("/me");
  const { projectId } = chat.studio.api;
  await page.addInitScript(
    (kept) => {
      for (const [key, value] of kept) localStorage.setItem(key, value);
    },
    [
      savedEntry("choice", user.id, "chat-model", `${chat.connectionId} sim-chat`),
      savedEntry(
        "choice",
        user.id,
        "create",
        { task: "image", models: { image: [image] }, variants: 2 },
        projectId,
      ),
      ...more.map(({ kind, name, value }) => savedEntry(kind, user.id, name, value, projectId)),
    ],
  );
  await page.goto(path);
  return page;
}

/** A screen's text, without a chart's scale, which correctly begins at zero. */
const wordsOn = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const copy = document.body.cloneNode(true) as HTMLElement;
    for (const scale of copy.querySelectorAll("figure")) scale.remove();
    const texts: string[] = [];
    const walk = document.createTreeWalker(copy, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) texts.push(walk.currentNode.textContent ?? "");
    return texts.join(" ").replaceAll(/\s+/g, " ");
  });
/** "at least $0.00" states that more was spent, and "$0.00 for no run" is known. */
const claimsNothing =
  /(?<!at least )\$0\.00(?!\d| for no run| no run)|(?<!at least )\b0%|\bfree\b|nothing charged/;

async function showsUnknown(page: Page, shown: RegExp): Promise<void> {
  await soon(() => wordsOn(page)).toMatch(shown);
  expect(await wordsOn(page)).not.toMatch(claimsNothing);
}

it.each([
  ["the run's page", () => `/activity/${run.id}`, /Cost price unknown/],
  ["Activity", () => "/activity", /price unknown/],
  ["the answer's figures", () => `/chat/${conversationId}`, /Nobody knows\..*price unknown/],
  ["the file's page", () => `/library/${asset.id}`, /price unknown/],
  ["Home", () => "/", /What do you cost/],
  ["Create's feed", () => "/create", /a quay.*price unknown/],
  ["Usage", () => "/usage", /2 runs without a price/],
  ["the model's page", () => `/models/${image.connectionId}/${image.modelId}`, /price/i],
  ["the project's budgets", () => `/projects/${chat.studio.api.projectId}`, /at least \$0\.00/],
  ["Admin's budgets", () => "/admin/budgets", /at least \$0\.00/],
])("%s never calls a model of unknown price free", async (_, path, shown) => {
  await showsUnknown(await open(path()), shown);
});

it("the composer says that the next answer's price is unknown", async () => {
  const page = await open("/chat");
  await composer(page).fill("And now?");
  await page.getByText("price unknown").first().waitFor();
  expect(await wordsOn(page)).not.toMatch(claimsNothing);
});

it("Create's button shows a ceiling, an unknown price, and free of charge", async () => {
  const { api } = chat.studio;
  const price = (ceilingMicros: number | null) =>
    api.send("PUT", `/connections/${image.connectionId}/model-price`, {
      modelId: image.modelId,
      ceilingMicros,
    });
  const page = await open("/create");
  await button(page, "Make 2 pictures, price unknown").waitFor();
  await price(90_000);
  await page.reload();
  await button(page, "Make 2 pictures, at most $0.18").waitFor();
  await price(null);
});

it("Create's button for several models says that the comparison's price is unknown", async () => {
  const models = { image: [image, { ...image, modelId: "sim-image-2" }] };
  const page = await open("/create", [
    { kind: "choice", name: "create", value: { task: "image", models, variants: 1 } },
  ]);
  await button(page, "Make 2 pictures, price unknown").waitFor();
  expect(await wordsOn(page)).not.toMatch(claimsNothing);
});

it("Draw says that a session's price is unknown, during the session and afterwards", async () => {
  const page = await open("/draw", [
    { kind: "draft", name: "draw", value: { model: live, values: {} } },
  ]);
  await showsUnknown(page, /price unknown/);
  await page.getByRole("textbox", { name: "Prompt" }).fill("a quay");
  await showsUnknown(page, /This session: price unknown/);
  await button(page, "Stop").click();
  await showsUnknown(page, /Earlier: price unknown/);
});

it("the list of runs, the notices and the dialog that closes a run never claim an unknown price", async () => {
  const { api } = chat.studio;
  const ask = async (prompt: string) => {
    const models = [{ ...live, modelId: "sim/flux/dev" }];
    const body = { projectId: api.projectId, models, task: "image", input: { prompt } };
    return (await api.send<{ runs: Run[] }>("POST", "/runs", body)).runs[0]!;
  };
  const held = await ask("a held quay [sim:hold]");
  const lost = await ask("a lost quay [sim:lost-reply]");
  await until("one is unconfirmed", async () => (await chat.stateOf(lost.id)) === "unconfirmed");
  const page = await open("/");
  await page.getByRole("button", { name: /1 running/ }).click();
  await page
    .getByRole("dialog")
    .getByText(/price unknown/)
    .waitFor();
  await showsUnknown(page, /1 run may have been charged/);
  await page.goto(`/activity/${lost.id}`);
  await button(page, "Resolve").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: "It ran and was charged" }).click();
  await showsUnknown(page, /price is unknown|price unknown/);
  await dialog.getByRole("button", { name: "Close run" }).click();
  await page.getByText("Run closed").first().waitFor();
  await showsUnknown(page, /Cost price unknown/);
  await api.send("POST", `/runs/${held.id}/cancel`);
});

it("a local model is free of charge in the catalog, in its filter, and in the composer", async () => {
  const { api } = chat.studio;
  const list = await api.get<{ models: ModelRef[] }>(
    `/models?projectId=${api.projectId}&price=free&connectionId=${local.connectionId}`,
  );
  expect(list.models).toContainEqual(expect.objectContaining(local));
  const page = await open(`/models/${local.connectionId}/${encodeURIComponent(local.modelId)}`);
  await soon(() => wordsOn(page)).toMatch(/\bfree\b/);
});

it("no row of the exported ledger says that a run without a price cost nothing", async () => {
  const { api, url } = chat.studio;
  const day = new Date().toISOString().slice(0, 10);
  const response = await fetch(
    `${url}/api/v1/usage.csv?projectId=${api.projectId}&from=${day}&to=${day}`,
    { headers: { cookie: api.cookie } },
  );
  const lines = (await response.text()).trim().split("\r\n").slice(1);
  expect(lines.filter((line) => line.includes("unpriced"))).not.toEqual([]);
  for (const line of lines) {
    const [, kind, micros, dollars] = line.split(",");
    if (kind === "unpriced") expect([micros, dollars]).toEqual(["", ""]);
    else expect(micros).not.toBe("0");
  }
  const read = await api.get<{ run: Run }>(`/runs/${run.id}`);
  expect(read.run).toMatchObject({ costMicros: null, costBasis: null });
});
