import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { drawn, holdBack, watchShifts } from "../../support/browser/late-answers.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import {
  builtinConnection,
  type Studio,
  startStudio,
} from "../../support/browser/studio-in-browser.ts";
import { until } from "../../support/server/instance.ts";
import { soon } from "../../support/soon.ts";

/** Compare, from picking results to the leaderboard. The tests build on each other. */
let browser: Browser;
let studio: Studio;
let page: Page;
let assets: Asset[];

beforeAll(async () => {
  [browser, studio] = await Promise.all([launchBrowser(), startStudio()]);
  const connectionId = await builtinConnection(studio.api);
  const { projectId } = studio.api;
  const list = async () =>
    (await studio.api.get<{ assets: Asset[] }>(`/assets?projectId=${projectId}`)).assets;
  const make = (modelId: string, task: string, input: object) =>
    studio.api.send("POST", "/runs", {
      projectId,
      models: [{ connectionId, modelId }],
      task,
      input,
    });
  const image_size = { width: 96, height: 64 };
  await make("pattern", "image", { prompt: "a quiet sea", image_size });
  await until("the first picture", async () => (await list()).length === 1);
  const [sea] = await list();
  await make("pattern", "image", { prompt: "a quiet sea", image_size, seed: 7 });
  await make("upscale", "upscale", { image: `asset:${sea!.id}` });
  await until("the pictures", async () => (await list()).length === 3);
  assets = await list();
  ({ page } = await studio.openAs(browser));
});
afterAll(async () => {
  await browser?.close();
  await studio?.stop();
});

const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true });
const idOf = () => new URL(page.url()).pathname.split("/").at(-1) ?? "";
const read = (id: string) => studio.api.get<RouteOutput<"getComparison">>(`/comparisons/${id}`);

it("an empty screen says what can be compared, and where to choose results", async () => {
  await page.goto("/compare");
  await page.getByRole("heading", { name: "No comparisons yet" }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

it("results of a batch in Create are compared blind, and a key votes for the best", async () => {
  const { comparison } = await studio.api.send<{ comparison: { id: string } }>(
    "POST",
    "/comparisons",
    {
      projectId: studio.api.projectId,
      entries: assets.map(({ id }) => ({ assetId: id })),
    },
  );
  await page.goto(`/compare/${comparison.id}`);
  await button("Result 3 is the best").waitFor();
  const main = page.getByRole("main");
  expect(await main.getByText(/Pattern|Upscale/).count()).toBe(0);
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press("2");
  await soon(async () => (await read(comparison.id)).vote.best?.length).toBe(1);
  const { vote } = await read(comparison.id);
  expect(vote.best).toEqual([vote.shownOrder[1]]);
  await page.keyboard.press("=");
  await soon(async () => (await read(comparison.id)).vote.best).toEqual([0, 1, 2]);
  await page.keyboard.press("0");
  await soon(async () => (await read(comparison.id)).vote.best).toEqual([]);
  // The upscaled picture is the best, wherever it is shown.
  const entries = (await read(comparison.id)).entries;
  const upscaled = entries.find(({ run }) => run?.modelId === "upscale")!.position;
  const shownAt = vote.shownOrder.indexOf(upscaled) + 1;
  await page.keyboard.press(String(shownAt));
  await soon(async () => (await read(comparison.id)).vote.best).toEqual([upscaled]);
  const { at } = (await read(comparison.id)).vote;
  await page.keyboard.press(String(shownAt));
  await button(`Result ${shownAt} is the best`).click();
  expect((await read(comparison.id)).vote).toMatchObject({ best: [upscaled], at });
});

it("on a phone nothing moves when the pictures load", async () => {
  const { context, page: phone } = await studio.openAs(browser, { isNew: true });
  await phone.setViewportSize({ width: 390, height: 844 });
  const shifts = await watchShifts(phone);
  const { held, release } = await holdBack(phone, (request) =>
    /\/assets\/[^/]+\/(?:file|variants)/.test(request.url()),
  );
  await phone.goto(page.url());
  const pictures = phone.getByRole("main").getByRole("img", { name: /sea/ });
  await pictures.first().waitFor();
  await soon(() => held.length >= 3).toBe(true);
  await release();
  await soon(() =>
    pictures.evaluateAll((all) => all.every((one) => (one as HTMLImageElement).naturalWidth > 0)),
  ).toBe(true);
  await drawn(phone);
  expect(await shifts.sum(), await shifts.words()).toBeLessThanOrEqual(0.02);
  await context.close();
});

it("the leaderboard is hidden before the reveal, which makes the vote final and shows it without a reload", async () => {
  const board = page.getByRole("complementary", { name: "Leaderboard" });
  await board.getByText("Hidden until you reveal the models").waitFor();
  expect(await board.getByText(/Pattern|Upscale|vote$/).count()).toBe(0);
  expect(await board.getByRole("img").count()).toBe(0);
  await page.getByRole("main").focus();
  await page.keyboard.press("r");
  await button("Reveal models").click();
  const dialog = page.getByRole("dialog", { name: "Reveal the models?" });
  expect((await read(idOf())).vote.revealedAt).toBe(null);
  await dialog.getByRole("button", { name: "Reveal models" }).click();
  await page.getByText("Your vote is final.").waitFor();
  await page.getByText("Revealed", { exact: true }).waitFor();
  await page
    .getByRole("main")
    .getByText(/^Upscale/)
    .first()
    .waitFor();
  await board.getByText("1 vote").waitFor();
  await board.getByRole("img", { name: /^Upscale.*preferred in/ }).waitFor();
  expect(await button("Reveal models").count()).toBe(0);
  expect(await findBarriers(page)).toEqual([]);
  const { best } = (await read(idOf())).vote;
  await page.keyboard.press("0");
  expect((await read(idOf())).vote.best).toEqual(best);
});

it("pictures are compared with a slider and one after the other, by keyboard", async () => {
  await page.keyboard.press("l");
  const divider = page.getByRole("slider", { name: /^Divider between/ });
  await divider.press("ArrowRight");
  await soon(() => divider.inputValue()).toBe("51");
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("main").focus();
  await page.keyboard.press("f");
  await button("Next result").waitFor();
  await page.getByRole("img", { name: "Result 1", exact: true }).waitFor();
  await page.getByRole("main").focus();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("img", { name: "Result 2", exact: true }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

it("a file is compared with other chosen files, and the comparison is moved to the trash and restored", async () => {
  await page.goto(`/compare?with=${assets[0]!.id}`);
  const dialog = page.getByRole("dialog", { name: "Compare with" });
  await dialog.getByRole("checkbox").first().click();
  expect(await findBarriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Compare 2 results" }).click();
  await page.waitForURL(/\/compare\/[0-9a-f-]{36}/);
  await button("Result 2 is the best").waitFor();
  await button("Move to trash").click();
  await page.waitForURL(/\/compare$/);
  await button("Trash").click();
  await button("Restore").click();
  await page.getByRole("heading", { name: "The trash is empty" }).waitFor();
});

it("a missing file in a comparison is reported", async () => {
  await page.goto(`/compare?with=${crypto.randomUUID()}`);
  await page.getByText(/^The file to compare was deleted/).waitFor();
});

it("results of two kinds are refused in a sentence", async () => {
  const connectionId = await builtinConnection(studio.api);
  await studio.api.send("POST", "/runs", {
    projectId: studio.api.projectId,
    models: [{ connectionId, modelId: "voice" }],
    task: "speech",
    input: { text: "Good evening." },
  });
  await page.goto("/library");
  await page.locator("a[data-asset]").nth(3).waitFor();
  await page
    .locator("a[data-asset]")
    .first()
    .click({ modifiers: ["ControlOrMeta"] });
  await page
    .locator("a[data-asset]")
    .nth(1)
    .click({ modifiers: ["ControlOrMeta"] });
  await button("Compare results").waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("compare");
  // The screen and the act differ in their names.
  await page.getByRole("option", { name: /^Compare results/ }).waitFor();
  const named = await page.getByRole("option", { name: /^Compare/ }).allTextContents();
  expect(new Set(named).size).toBe(named.length);
  await page.getByRole("option", { name: /^Compare results/ }).click();
  await page
    .getByText(/can’t be compared/)
    .first()
    .waitFor();
  expect(new URL(page.url()).pathname).toBe("/library");
});

it("a comparison starts on the screen itself, of one kind, and with the models in view", async () => {
  await page.goto("/compare");
  await button("New comparison").click();
  const dialog = page.getByRole("dialog", { name: "Compare results" });
  const choices = dialog.getByRole("checkbox");
  await expect.poll(() => choices.count()).toBe(4);
  // The newest is a sound, which nothing here can be compared with.
  await choices.first().click();
  await expect.poll(() => choices.count()).toBe(1);
  const compare = dialog.getByRole("button", { name: /^Compare( \d results)?$/ });
  expect(await compare.isDisabled()).toBe(true);
  await choices.first().click();
  await expect.poll(() => choices.count()).toBe(4);
  await choices.nth(1).click();
  await expect.poll(() => choices.count()).toBe(3);
  await choices.nth(1).click();
  await dialog.getByRole("switch", { name: /^Hide models/ }).click();
  expect(await findBarriers(page)).toEqual([]);
  await compare.click();
  await page.waitForURL(/\/compare\/[0-9a-f-]{36}/);
  await page.getByText("Votes on models in view don’t count in the leaderboard.").waitFor();
  await page
    .getByRole("main")
    .getByText(/^(Pattern|Upscale)/)
    .first()
    .waitFor();
  expect(await read(idOf())).toMatchObject({ comparison: { blind: false } });
});
