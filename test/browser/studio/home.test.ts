import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset, Conversation, Run } from "#contract/entities.ts";
import { type FalSimulator, startFal } from "../../simulators/fal.ts";
import { startMcp } from "../../simulators/mcp.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { holdBack } from "../../support/browser/late-answers.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import { connectKind, type Studio, startStudio } from "../../support/browser/studio-in-browser.ts";
import { until } from "../../support/server/instance.ts";
import { soon } from "../../support/soon.ts";
import { startHookReceiver } from "../../support/studio/hook-receiver.ts";
import { pack } from "../../support/studio/project-archives.ts";

/** Home, action by action. The tests build on each other, starting with a fresh instance. */
let browser: Browser;
let studio: Studio;
let fal: FalSimulator;
let page: Page;

beforeAll(async () => {
  [browser, studio, fal] = await Promise.all([launchBrowser(), startStudio(), startFal()]);
  ({ page } = await studio.openAs(browser, { timezoneId: "Asia/Tokyo" }));
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([studio?.stop(), fal?.stop()]);
});

const composer = () => page.getByRole("main").getByRole("textbox").first();
const button = (name: string) => page.getByRole("button", { name, exact: true });
const inProject = () => `projectId=${studio.api.projectId}`;
const listAssets = async () =>
  (await studio.api.get<{ assets: Asset[] }>(`/assets?${inProject()}`)).assets;
const listTalks = async () =>
  (await studio.api.get<{ conversations: Conversation[] }>(`/conversations?${inProject()}`))
    .conversations;

it("the greeting follows the time of day in the person's own zone, like every time on the page", async () => {
  const { page: clocked, context: other } = await studio.openAs(browser, {
    timezoneId: "UTC",
    isNew: true,
  });
  await clocked.clock.install();
  let now = new Date();
  // Times on the page follow the server's clock.
  await clocked.route(/\/api\/v1\/(?!live)/, async (route) => {
    // The server may close an idle connection just when it is used again.
    const response = await route.fetch({ maxRetries: 3 });
    const headers = { ...response.headers(), date: now.toUTCString() };
    await route.fulfill({ response, headers });
  });
  for (const [hour, greeting] of [
    ["08", "Good morning."],
    ["14", "Good afternoon."],
    ["21", "Good evening."],
  ]) {
    now = new Date(`2026-11-21T${hour}:00:00Z`);
    await clocked.clock.setFixedTime(now);
    await clocked.goto("/");
    await clocked.getByRole("heading", { level: 1, name: greeting }).waitFor();
  }
  await clocked.unrouteAll({ behavior: "ignoreErrors" });
  await other.close();
});

it("the first steps appear together, and none moves another", async () => {
  let answer = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(/\/models\?.*task=image&limit=100/, async (route) => {
    await asked;
    await route.continue();
  });
  await page.goto("/");
  // Once the composer has its model, the other steps have theirs.
  await page.getByRole("main").getByRole("button", { name: /Guide/ }).waitFor();
  expect(await page.getByRole("link", { name: "Choose a service" }).count()).toBe(0);
  answer();
  await button("Make a harbor at dusk").waitFor();
  await page.unroute(/\/models\?.*task=image&limit=100/);
});

it("on a fresh instance each first step works", async () => {
  await page.goto("/");
  await page.getByRole("heading", { name: "First steps" }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await button("Ask what Bottega is").click();
  await page.waitForURL(/\/chat\/[0-9a-f-]{36}/);
  await page.getByText("What is Bottega?").first().waitFor();
  await studio.api.send("DELETE", `/conversations/${(await listTalks())[0]!.id}`);

  await page.goto("/");
  await button("Make a harbor at dusk").click();
  await page.getByRole("region", { name: "Just made" }).waitFor();
  await soon(async () => (await listAssets()).map(({ promptText }) => promptText)).toEqual([
    "a quiet harbor at dusk",
  ]);
  const [made] = await listAssets();
  await studio.api.send("POST", "/assets/update", {
    projectId: studio.api.projectId,
    ids: [made!.id],
    action: "trash",
  });

  await page.goto("/");
  await page.getByRole("link", { name: "Choose a service" }).click();
  await page.waitForURL("**/admin/connections*");
  await page.getByRole("dialog").getByPlaceholder("Find a service").waitFor();
});

it("a question starts a conversation and is answered there", async () => {
  await page.goto("/");
  await composer().fill("What is an unconfirmed run?");
  // A message can be sent once the model is known. The first "Ask" is the task, the last one sends.
  await soon(() =>
    page.getByRole("main").getByRole("button", { name: "Ask", exact: true }).last().isEnabled(),
  ).toBe(true);
  await composer().press("Enter");
  await page.waitForURL(/\/chat\/[0-9a-f-]{36}/);
  await page.getByText("What is an unconfirmed run?").first().waitFor();
  await soon(async () => (await listTalks()).map(({ title }) => title)).toContain(
    "What is an unconfirmed run?",
  );
  await page.goto("/");
  await page.getByRole("link", { name: /What is an unconfirmed run\?/ }).click();
  await page.waitForURL(/\/chat\/[0-9a-f-]{36}/);
});

it("a step links to connecting a service until one is connected", async () => {
  await page.goto("/");
  await page.getByRole("heading", { name: "Recent conversations" }).waitFor();
  expect(await page.getByRole("heading", { name: "First steps" }).count()).toBe(0);
  const step = page.getByRole("link", { name: "Choose a service" });
  await step.waitFor();

  // A tool server's tools count as models, and a disabled connection keeps its number.
  const server = await startMcp();
  const tools = await connectKind(
    studio.api,
    "mcp",
    { reach: "address", server: server.url },
    "Notebook",
  );
  const { connections } = await studio.api.get<{ connections: { id: string; models: number }[] }>(
    "/connections",
  );
  expect(connections.find(({ id }) => id === tools)?.models).toBeGreaterThan(0);
  const service = await connectKind(studio.api, "fal", fal.values, "Night key");
  const setDisabled = (disabled: boolean) =>
    studio.api.send("PATCH", `/connections/${service}`, { disabled });
  await setDisabled(true);
  const isShown = async () => {
    await page.reload();
    await page.getByRole("heading", { name: "Recent conversations" }).waitFor();
    await page
      .getByRole("main")
      .getByRole("button", { name: /^Model: / })
      .waitFor();
    return step.isVisible();
  };
  expect(await isShown()).toBe(true);
  await setDisabled(false);
  expect(await isShown()).toBe(false);
  await studio.api.send("DELETE", `/connections/${service}`);
  await studio.api.send("DELETE", `/connections/${tools}`);
  await server.stop();
});

it("a prompt becomes a picture, or a sound, by the last used model, right where it was typed", async () => {
  await page.goto("/");
  await button("Picture").click();
  await composer().fill("leaves in a vase");
  await page.getByRole("button", { name: /^Model: Pattern/ }).waitFor();
  await button("Make it").click();
  const made = page.getByRole("region", { name: "Just made" });
  await made.getByRole("link", { name: "leaves in a vase" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/");
  expect(await findBarriers(page)).toEqual([]);
  expect(await composer().inputValue()).toBe("");
  await button("Speech").click();
  await composer().fill("Good evening.");
  const { held, release } = await holdBack(
    page,
    (request) => request.method() === "POST" && request.url().endsWith("/api/v1/runs"),
  );
  await button("Make it").click();
  await soon(() => held.length).toBe(1);
  await composer().fill("Good evening. Typed since.");
  await release();
  await soon(async () => (await listAssets()).map(({ kind }) => kind).sort()).toEqual([
    "audio",
    "image",
  ]);
  await made.getByText("Good evening.").first().waitFor();
  expect(await composer().inputValue()).toBe("Good evening. Typed since.");
  await composer().fill("");
  // Recent work leaves out the results shown above.
  await soon(() => page.getByRole("link", { name: "leaves in a vase" }).count()).toBe(1);
  await page.goto("/");
  await page.getByRole("heading", { name: /Recent work/ }).waitFor();
  await page.getByRole("link", { name: "leaves in a vase" }).click();
  await page.waitForURL(/\/\?viewing=[0-9a-f-]{36}/);
});

it("model, number and aspect ratio are chosen in place, and the price counts all results", async () => {
  const paid = await startOpenAiCompatible();
  const values = { api: paid.url, key: paid.key, models: '[{"id": "sim-image", "task": "image"}]' };
  const connectionId = await connectKind(studio.api, "openai-compatible", values, "Paid pictures");
  await studio.api.send("PUT", `/connections/${connectionId}/model-price`, {
    modelId: "sim-image",
    prices: [{ unit: "image", micros: "40000" }],
  });
  await page.goto("/");
  await button("Picture").click();
  await composer().fill("two boats");
  const model = page.getByRole("main").getByRole("button", { name: /^Model: / });
  const shape = page.getByRole("button", { name: /^Number and aspect ratio/ });
  await model.press("Enter");
  await page.getByRole("listbox").waitFor();
  await page.keyboard.type("sim-image");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Model: sim-image" }).waitFor();
  await page.getByText("$0.04").waitFor();
  await shape.press("Enter");
  const numbers = page.getByRole("dialog", { name: "Number and aspect ratio" });
  await numbers.getByRole("slider", { name: "Pictures" }).press("ArrowRight");
  await page.getByText("$0.08").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await model.press("Enter");
  await page.getByRole("listbox").waitFor();
  await page.keyboard.type("pattern");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Model: Pattern (procedural)" }).waitFor();
  await shape.click();
  await numbers.getByRole("combobox", { name: "Aspect ratio" }).click();
  await page.getByRole("option", { name: "3:4" }).click();
  await page.keyboard.press("Escape");
  await shape.and(page.getByRole("button", { name: /2 · 3:4$/ })).waitFor();
  await button("Make it").click();
  const made = async () =>
    (await listAssets()).filter(({ promptText }) => promptText === "two boats");
  await soon(async () => (await made()).length).toBe(2);
  for (const { width, height } of await made()) expect(width! / height!).toBeCloseTo(3 / 4, 1);
  await studio.api.send("DELETE", `/connections/${connectionId}`);
  await paid.stop();
});

const tinyPng = (): Promise<Buffer> =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: "#3e5c6b" } })
    .png()
    .toBuffer();

it("a draft survives a reload, and a file is sent with it", async () => {
  await page.goto("/");
  await composer().fill("half a thought");
  await page
    .locator("input[type=file]")
    .first()
    .setInputFiles({
      name: "notes.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("Twelve arches.\n"),
    });
  await button("Remove notes.txt").waitFor();
  // Until it is sent completely it is uploading, and a reload ends that.
  await page
    .getByRole("progressbar", { name: "Uploading notes.txt" })
    .waitFor({ state: "detached" });
  await page.reload();
  await soon(() => composer().inputValue()).toBe("half a thought");
  await button("Remove notes.txt").click();

  // A Word file is only read by file search, whose switch is in Chat.
  const word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  await page
    .locator("input[type=file]")
    .first()
    .setInputFiles({
      name: "boats.docx",
      mimeType: word,
      buffer: await pack({
        entries: new Map([
          [
            "[Content_Types].xml",
            Buffer.from(`<Types><Override ContentType="${word}.main+xml"/></Types>`),
          ],
          ["word/document.xml", Buffer.from("<w:document/>")],
        ]),
      }),
    });
  await page.getByText("boats.docx can only be searched.").waitFor();
  await composer().press("Enter");
  expect(new URL(page.url()).pathname).toBe("/");
  expect(await composer().inputValue()).toBe("half a thought");
  await button("Remove boats.docx").click();

  await page
    .locator("input[type=file]")
    .first()
    .setInputFiles({ name: "tide.png", mimeType: "image/png", buffer: await tinyPng() });
  await page.getByText("Guide can’t read tide.png. Remove the file").waitFor();
  await composer().press("Enter");
  expect(new URL(page.url()).pathname).toBe("/");
  await button("Remove tide.png").click();
  await composer().fill("");
});

it("an unconfirmed run, a failing connection and a paused webhook are listed above the recent work", async () => {
  const connectionId = await connectKind(studio.api, "fal", fal.values, "Harbour key");
  const ask = (prompt: string) =>
    studio.api.send<{ runs: Run[] }>("POST", "/runs", {
      projectId: studio.api.projectId,
      models: [{ connectionId, modelId: "sim/flux/dev" }],
      task: "image",
      input: { prompt },
    });
  const { runs } = await ask("a lost letter [sim:lost-reply]");
  await ask("a slow tide [sim:hold]");
  const stateOf = async (run: Run) =>
    (await studio.api.get<{ run: Run }>(`/runs/${run.id}`)).run.state;
  await until("the answer is lost", async () => (await stateOf(runs[0]!)) === "unconfirmed");
  await page.goto("/");
  const needs = page.getByRole("region", { name: "Needs you" });
  await needs.getByText("1 needs you.").waitFor();
  await needs.getByText(/1 run may have been charged/).waitFor();
  await page.getByRole("heading", { name: /^Now/ }).waitFor();
  await needs.getByRole("button", { name: "Review" }).click();
  await needs.getByRole("button", { name: "Resolve" }).click();
  await page.getByRole("radio", { name: /It did not run/ }).check();
  await button("Close run").click();
  // Behind the open dialog nothing has a role, so only the line's element shows that it disappears
  // when the run has ended.
  await until("the run has ended", async () => (await stateOf(runs[0]!)) === "failed");
  await needs.waitFor({ state: "detached" });
  fal.release("a slow tide");

  await studio.api.send("PATCH", `/connections/${connectionId}`, { values: { key: "wrong:key" } });
  await studio.api.send("POST", `/connections/${connectionId}/check`).catch(() => undefined);
  const receiver = await startHookReceiver();
  receiver.always(410);
  const webhooks = `/projects/${studio.api.projectId}/webhooks`;
  const { id } = await studio.api.send<{ id: string }>("POST", webhooks, { url: receiver.url });
  await studio.api.send("POST", `/webhooks/${id}/test`);
  const listPaused = () => studio.api.get<{ webhooks: object[] }>("/me/paused-webhooks");
  await until("it is paused", async () => (await listPaused()).webhooks.length === 1);
  await page.goto("/");
  await needs.getByText(/1 connection is failing, 1 webhook is paused/).waitFor();
  await button("Review").click();
  const paused = page.getByRole("article").filter({ hasText: "is paused" });
  expect(await paused.getByRole("link", { name: "Open webhooks" }).getAttribute("href")).toBe(
    `/projects/${studio.api.projectId}`,
  );
  const failing = page.getByRole("article").filter({ hasText: "Harbour key is failing" });
  await failing.getByRole("link", { name: "Open connection" }).click();
  await page.waitForURL(`**/admin/connections?connection=${connectionId}`);
});

it("several unconfirmed runs share one row, which moves nothing when it appears, and are decided together", async () => {
  const { context, page: watched } = await studio.openAs(browser);
  const connectionId = await connectKind(studio.api, "fal", fal.values, "Quay key");
  const ask = (prompt: string) =>
    studio.api.send<{ runs: Run[] }>("POST", "/runs", {
      projectId: studio.api.projectId,
      models: [{ connectionId, modelId: "sim/flux/dev" }],
      task: "image",
      input: { prompt },
    });
  await watched.goto("/");
  const work = watched.getByRole("heading", { name: /^Recent work/ });
  await watched.getByRole("link", { name: "leaves in a vase" }).waitFor();
  // The previous test's run ends.
  await watched.getByRole("heading", { name: /^Now/ }).waitFor({ state: "detached" });
  const top = async () => (await work.boundingBox())?.y;
  const before = await top();
  const asked = await Promise.all(
    ["first [sim:lost-reply]", "second [sim:lost-reply]", "third [sim:lost-reply]"].map(ask),
  );
  const ids = asked.map(({ runs }) => runs[0]!.id);
  const states = async () =>
    Promise.all(
      ids.map(async (id) => (await studio.api.get<{ run: Run }>(`/runs/${id}`)).run.state),
    );
  await until("their answers are lost", async () =>
    (await states()).every((state) => state === "unconfirmed"),
  );
  const line = watched.getByRole("region", { name: "Needs you" });
  await line.getByText(/3 runs may have been charged/).waitFor();
  await watched.getByRole("heading", { name: /^Now/ }).waitFor({ state: "detached" });
  expect(await top()).toBe(before);
  expect(await findBarriers(watched)).toEqual([]);

  await line.getByRole("button", { name: "Review" }).click();
  await line.getByRole("button", { name: "Resolve all" }).click();
  const dialog = watched.getByRole("dialog", { name: "Resolve 3 unconfirmed runs" });
  await dialog.getByRole("checkbox", { name: "second [sim:lost-reply]" }).uncheck();
  await dialog.getByRole("radio", { name: "They did not run" }).check();
  expect(await findBarriers(watched)).toEqual([]);
  await dialog.getByRole("button", { name: "Close 2 runs" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await states()).toEqual(["failed", "unconfirmed", "failed"]);
  await line.getByText(/1 run may have been charged/).waitFor();
  await context.close();
});
