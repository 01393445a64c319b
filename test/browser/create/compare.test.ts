import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import ffmpegInstaller from "@ffmpeg-installer/ffmpeg";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset, Message } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { type FalSimulator, startFal } from "../../simulators/fal.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { drawn, holdBack, watchShifts } from "../../support/browser/late-answers.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import {
  builtinConnection,
  connectKind,
  type Studio,
  startStudio,
} from "../../support/browser/studio-in-browser.ts";
import { until } from "../../support/server/instance.ts";
import { soon } from "../../support/soon.ts";
import { createTempFolder } from "../../support/temp.ts";

/** Compare, from picking results to the leaderboard. The tests build on each other. */
let browser: Browser;
let studio: Studio;
let page: Page;
let assets: Asset[];
let fal: FalSimulator;
let falId: string;
let chat: Awaited<ReturnType<typeof startOpenAiCompatible>>;
let film: Asset;
let answers: Message[];

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
  await Promise.all([studio?.stop(), fal?.stop(), chat?.stop()]);
});

const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true });
const idOf = () => new URL(page.url()).pathname.split("/").at(-1) ?? "";
const read = (id: string) => studio.api.get<RouteOutput<"getComparison">>(`/comparisons/${id}`);

it("an empty screen says what can be compared, and where to choose results", async () => {
  const isList = /\/api\/v1\/comparisons\?/;
  await page.route(isList, (route) => route.abort());
  await page.goto("/compare");
  await button("Try again").waitFor();
  expect(await button("New comparison").count()).toBe(1);
  await page.unroute(isList);
  await button("Try again").click();
  await page.getByRole("heading", { name: "No comparisons yet" }).waitFor();
  // One act, one button.
  expect(await button("New comparison").count()).toBe(1);
  expect(
    await page
      .getByRole("main")
      .getByRole("link", { name: /Choose|Library/ })
      .count(),
  ).toBe(0);
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
  const addresses: string[] = [];
  page.on("request", (request) => addresses.push(request.url()));
  await page.goto(`/compare/${comparison.id}`);
  await button("Result 3 is the best").waitFor();
  for (const key of ["l", "f", "s"]) await page.keyboard.press(key);
  // In the order that is recorded with the vote.
  const { entries: all, vote: before } = await read(comparison.id);
  const shownIds = await page
    .getByRole("main")
    .getByRole("img", { name: "a quiet sea" })
    .evaluateAll((shown) => shown.map((one) => /assets\/([^/]+)/.exec(one.outerHTML)?.[1]));
  expect(shownIds).toEqual(before.shownOrder.map((position) => all[position]?.asset?.id));
  // The viewer would name the model.
  expect(await page.getByRole("main").locator("a[data-asset]").count()).toBe(0);
  // No text, title, tooltip or address names a model.
  const models = /pattern|upscale/i;
  expect(await page.content()).not.toMatch(models);
  expect([await page.title(), page.url(), ...addresses].filter((one) => models.test(one))).toEqual(
    [],
  );
  for (const entry of all) {
    const file = await page.request.head(`/api/v1/assets/${entry.asset?.id}/file?download=1`);
    expect(file.headers()["content-disposition"]).not.toMatch(models);
  }
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

it("one click opens a result large once its model is in view, and zooming opens nothing", async () => {
  const viewer = page.locator("[data-takes-shortcuts]");
  const { entries, vote } = await read(idOf());
  const shown = vote.shownOrder.map((position) => entries[position]?.asset?.id);
  const viewed = () => new URL(page.url()).searchParams.get("viewing");
  const close = async () => {
    await page.keyboard.press("Escape");
    await viewer.waitFor({ state: "detached" });
  };
  const pictures = page.getByRole("main").getByRole("img", { name: "a quiet sea" });
  await pictures.nth(1).click();
  await viewer.waitFor();
  expect(viewed()).toBe(shown[1]);
  await page.keyboard.press("ArrowRight");
  await soon(viewed).toBe(shown[2]);
  await close();
  await page.keyboard.press("z");
  await button("Zoom all").and(page.locator("[aria-pressed=true]")).waitFor();
  await pictures.nth(1).click();
  expect(await viewer.count()).toBe(0);
  await page.keyboard.press("z");
  for (const view of ["l", "f", "s"]) {
    await page.keyboard.press(view);
    await page.getByRole("link", { name: "Open result 1", exact: true }).click();
    await viewer.waitFor();
    expect(viewed()).toBe(shown[0]);
    await close();
  }
  expect(await findBarriers(page)).toEqual([]);
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

it("a file is compared with other chosen files, and the comparison is renamed, found by its title, moved to the trash and restored", async () => {
  await page.goto(`/compare?with=${assets[0]!.id}`);
  const dialog = page.getByRole("dialog", { name: "Compare with" });
  await dialog.getByRole("checkbox").first().click();
  expect(await findBarriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Compare 2 results" }).click();
  await page.waitForURL(/\/compare\/[0-9a-f-]{36}/);
  await button("Result 2 is the best").waitFor();
  const act = async (title: string, name: string) => {
    await button(`Actions for ${title}`).click();
    await page.getByRole("menuitem", { name }).click();
  };
  const rename = async (title: string, to: string) => {
    await act(title, "Rename");
    const field = page.getByRole("dialog", { name: "Rename comparison" }).getByLabel("Title");
    await soon(() => field.inputValue()).toBe(title);
    await field.fill(to);
    // Rotating a tablet or phone changes the layout, and loses no text.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(await field.inputValue()).toBe(to);
    await field.press("Enter");
  };
  await rename("a quiet sea", "Seas of spring");
  await page.getByRole("heading", { name: "Seas of spring" }).waitFor();
  await page.getByRole("link", { name: "All comparisons" }).click();
  await rename("Seas of spring", "Seas of autumn");
  await page.getByRole("link", { name: /^Seas of autumn/ }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("of autumn");
  await page.getByRole("option", { name: /^Seas of autumn/ }).click();
  await page.waitForURL(/\/compare\/[0-9a-f-]{36}/);
  await act("Seas of autumn", "Move to trash");
  await page.waitForURL(/\/compare$/);
  await button("Trash").click();
  await button("Restore").click();
  await page.getByRole("heading", { name: "The trash is empty" }).waitFor();
  // A person who has left the comparison meanwhile stays where they are.
  await button("Trash").click();
  await page.getByRole("link", { name: /^Seas of autumn/ }).click();
  await page.waitForURL(/\/compare\/[0-9a-f-]{36}/);
  const id = idOf();
  const late = await holdBack(page, (request) => request.method() === "PATCH");
  await act("Seas of autumn", "Move to trash");
  await soon(() => late.held.length).toBe(1);
  await page.getByRole("link", { name: "Library", exact: true }).first().click();
  await page.waitForURL((url) => url.pathname === "/library");
  const moved = page.waitForResponse((response) => response.request().method() === "PATCH");
  await late.release();
  await (await moved).finished();
  await drawn(page);
  expect(new URL(page.url()).pathname).toBe("/library");
  await studio.api.send("PATCH", `/comparisons/${id}`, { trashed: false });
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
  // The screen, the act and the manual's section differ in their names.
  const compare = page.getByRole("option", { name: "Compare results", exact: true });
  await compare.waitFor();
  const named = await page.getByRole("option", { name: /^Compare/ }).allTextContents();
  expect(new Set(named).size).toBe(named.length);
  await compare.click();
  await page
    .getByText(/can’t be compared/)
    .first()
    .waitFor();
  expect(new URL(page.url()).pathname).toBe("/library");
});

it("a comparison starts on the screen itself, of one kind, and with the models in view, and so does the next from the library", async () => {
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
  const opened = idOf();
  expect(await read(opened)).toMatchObject({ comparison: { blind: false } });
  // The choice also applies to comparisons that start elsewhere.
  await page.goto("/library");
  for (const place of [1, 2])
    await page
      .locator("a[data-asset]")
      .nth(place)
      .click({ modifiers: ["ControlOrMeta"] });
  await button("Compare results").click();
  await page.waitForURL(/\/compare\/[0-9a-f-]{36}/);
  expect(idOf()).not.toBe(opened);
  expect(await read(idOf())).toMatchObject({ comparison: { blind: false } });
});

/** Starts a comparison over HTTP and returns its id. */
async function started(entries: object[], blind = true): Promise<string> {
  const { projectId } = studio.api;
  const body = { projectId, entries, blind };
  return (await studio.api.send<{ comparison: { id: string } }>("POST", "/comparisons", body))
    .comparison.id;
}

/** Runs a model and returns its files. */
async function makeFiles(
  connectionId: string,
  [modelId, task, input]: [string, string, object],
): Promise<Asset[]> {
  const { api } = studio;
  const { projectId } = api;
  const body = { projectId, models: [{ connectionId, modelId }], task, input };
  const { runs } = await api.send<{ runs: { id: string }[] }>("POST", "/runs", body);
  return until(`the files of ${modelId}`, async () => {
    const found = await api.get<{ assets: Asset[] }>(`/assets?projectId=${projectId}&limit=50`);
    const made = found.assets.filter(({ runId }) => runs.some(({ id }) => id === runId));
    return made.length > 0 && made;
  });
}

const center = async (shown: Locator) => {
  const box = (await shown.boundingBox())!;
  return { ...box, x: box.x + box.width / 2, y: box.y + box.height / 2 };
};

it("a comparison is voted on, revealed and left for the next by keyboard alone", async () => {
  const entries = assets.map(({ id }) => ({ assetId: id }));
  const [next, first] = [await started(entries), await started(entries)];
  await page.goto(`/compare/${first}`);
  await button("Result 2 is the best").waitFor();
  await page.keyboard.press("2");
  await soon(() => button("Result 2 is the best").getAttribute("aria-pressed")).toBe("true");
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  for (let press = 0; press < 60 && (await focused()) !== "Reveal models"; press += 1)
    await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Reveal the models?" });
  await dialog.waitFor();
  for (let press = 0; press < 9 && (await focused()) !== "Reveal models"; press += 1)
    await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByText("Your vote is final.").waitFor();
  await dialog.waitFor({ state: "detached" });
  await page.keyboard.press("n");
  await page.waitForURL(`**/compare/${next}`);
  await button("Result 1 is the best").waitFor();
});

it("zoomed pictures of different shapes and sizes show the same place", async () => {
  const connectionId = await builtinConnection(studio.api);
  const sized = async (width: number, height: number) =>
    makeFiles(connectionId, [
      "pattern",
      "image",
      { prompt: "a quiet sea", image_size: { width, height } },
    ]);
  const [wide, tall] = [await sized(320, 64), await sized(64, 160)];
  const id = await started([...wide, ...tall].map((asset) => ({ assetId: asset.id })));
  await page.goto(`/compare/${id}`);
  const pictures = page.getByRole("main").getByRole("img", { name: "a quiet sea" });
  await soon(() => pictures.count()).toBe(2);
  await page.keyboard.press("z");
  /** The place of each picture that doesn't move when it is enlarged, as a share of its sides. */
  const places = () =>
    pictures.evaluateAll((all) =>
      all.map((one) => {
        const image = one as HTMLImageElement;
        const style = getComputedStyle(image);
        const [x = 0, y = 0] = style.transformOrigin.split(" ").map(Number.parseFloat);
        const { clientWidth: width, clientHeight: height } = image;
        const ratio = Number(image.getAttribute("width")) / Number(image.getAttribute("height"));
        const shown = Math.min(width, height * ratio);
        const share = (at: number, room: number, side: number) =>
          Math.round((0.5 + (at - room / 2) / side) * 100);
        return [share(x, width, shown), share(y, height, shown / ratio), style.transform];
      }),
    );
  const both = (x: number, y: number) => {
    const place = [x, y, "matrix(2.5, 0, 0, 2.5, 0, 0)"];
    return [place, place];
  };
  await soon(places).toEqual(both(50, 50));
  // Whichever picture the pointer is on, both follow it.
  const frames = page.getByRole("main").locator("[data-zoomed]");
  for (const [which, x, y] of [
    [0, 25, 50],
    [1, 60, 90],
  ] as const) {
    const frame = await center(frames.nth(which));
    const sides = ["width", "height"].map((side) => pictures.nth(which).getAttribute(side));
    const [width, height] = (await Promise.all(sides)).map(Number) as [number, number];
    const scale = Math.min(frame.width / width, frame.height / height);
    await page.mouse.move(
      frame.x + (x / 100 - 0.5) * width * scale,
      frame.y + (y / 100 - 0.5) * height * scale,
    );
    await soon(places).toEqual(both(x, y));
  }
  expect(await findBarriers(page)).toEqual([]);
});

it("the divider follows the mouse and a finger, and buttons flip the pictures", async () => {
  await page.keyboard.press("z");
  await page.keyboard.press("l");
  const area = page.getByRole("main").locator("[data-slides]");
  const divider = page.getByRole("slider", { name: /^Divider between/ });
  const { x, y, width } = await center(area);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x - width / 4, y);
  await soon(() => divider.inputValue()).toBe("25");
  await page.mouse.up();
  await page.mouse.move(x + width / 4, y);
  expect(await divider.inputValue()).toBe("25");
  const { page: phone, context } = await studio.openAs(browser, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  });
  await phone.goto(page.url());
  const there = await center(phone.getByRole("main").locator("[data-slides]"));
  await phone.touchscreen.tap(there.x + there.width / 4, there.y);
  await soon(() => phone.getByRole("slider", { name: /^Divider/ }).inputValue()).toBe("75");
  expect(await findBarriers(phone)).toEqual([]);
  await phone.getByRole("radio", { name: "Flip" }).tap();
  await phone.getByRole("img", { name: "Result 1", exact: true }).waitFor();
  await phone.getByRole("button", { name: "Next result" }).tap();
  await phone.getByRole("img", { name: "Result 2", exact: true }).waitFor();
  await context.close();
});

/** A small film that Chromium plays, as short as possible in bytes. */
async function makeFilm(folder: string, seconds: number): Promise<Buffer> {
  const path = join(folder, `${seconds}.webm`);
  const source = `testsrc=size=64x36:rate=25:duration=${seconds}`;
  const options = ["-loglevel", "error", "-f", "lavfi", "-i", source, "-c:v", "libvpx", path];
  await promisify(execFile)(ffmpegInstaller.path, options);
  return readFile(path);
}

/** Asks two models one question side by side. */
async function answerTwice(): Promise<Message[]> {
  chat = await startOpenAiCompatible();
  const connection = { api: chat.url, key: chat.key };
  const connectionId = await connectKind(studio.api, "openai-compatible", connection);
  chat.script({ text: "The quay is **quiet** at dawn." });
  chat.script({ text: "The quay is **busy** at dawn." });
  const { projectId } = studio.api;
  const { conversation } = await studio.api.send<{ conversation: { id: string } }>(
    "POST",
    "/conversations",
    { projectId },
  );
  const path = `/conversations/${conversation.id}`;
  const ask = (modelId: string) => ({ model: { connectionId, modelId } });
  await studio.api.send("POST", `${path}/messages`, {
    parentId: null,
    text: "How is the quay?",
    asks: [ask("sim-chat"), ask("owner/sim-vision")],
  });
  return until("both answers", async () => {
    const { messages } = await studio.api.get<{ messages: Message[] }>(path);
    const done = messages.filter(({ role, state }) => role === "assistant" && state === "complete");
    return done.length === 2 && done;
  });
}

it("films of different lengths play, pause, seek and step together", async () => {
  const folder = createTempFolder("films");
  const [three, six] = [await makeFilm(folder, 3), await makeFilm(folder, 6)];
  fal = await startFal({
    film: (seconds) => ({
      name: "output.webm",
      mime: "video/webm",
      bytes: seconds === 4 ? three : six,
    }),
  });
  falId = await connectKind(studio.api, "fal", fal.values);
  const make = async (duration: string) =>
    (await makeFiles(falId, ["luma/veo/fast", "video", { prompt: "waves", duration }]))[0]!;
  const [short, long] = [await make("4s"), await make("6s")];
  film = short;
  await page.goto(`/compare/${await started([{ assetId: short.id }, { assetId: long.id }])}`);
  const films = page.getByRole("main").locator("video");
  /** By length, because the order is shuffled. */
  const states = () =>
    films.evaluateAll((all) =>
      (all as HTMLVideoElement[])
        .toSorted((a, b) => a.duration - b.duration)
        .map(({ currentTime, paused }) => ({ at: Math.round(currentTime * 100) / 100, paused })),
    );
  const at = async () => (await states()).map((one) => one.at);
  const paused = async () => (await states()).map((one) => one.paused);
  const slider = page.getByRole("slider", { name: "Position of all videos" });
  await soon(() =>
    films.evaluateAll((all) => all.map((one) => Math.round((one as HTMLVideoElement).duration))),
  ).toEqual(expect.arrayContaining([3, 6]));
  expect(await page.content()).not.toMatch(/veo/i);
  await slider.fill("1");
  await soon(at).toEqual([1, 1]);
  await page.getByRole("main").focus();
  /** The films have 25 frames a second. */
  const frames = async () => (await at()).map((seconds) => Math.floor(seconds * 25 + 0.001));
  const areDrawn = async () => {
    await soon(() =>
      films.evaluateAll((all) => all.some((one) => (one as HTMLVideoElement).seeking)),
    ).toBe(false);
    await drawn(page);
    await drawn(page);
  };
  await areDrawn();
  await page.keyboard.press(".");
  await soon(frames).toEqual([26, 26]);
  const [left, right] = await at();
  expect(left).toBe(right);
  await areDrawn();
  await button("Previous frame").click();
  await soon(frames).toEqual([25, 25]);
  await page.getByRole("main").focus();
  await page.keyboard.press("Space");
  await soon(paused).toEqual([false, false]);
  await soon(async () => Math.min(...(await at()))).toBeGreaterThan(1.2);
  await page.keyboard.press("Space");
  await soon(paused).toEqual([true, true]);
  const [one, other] = await at();
  expect(one).toBe(other);
  // A media key pauses a single film.
  await button("Play all").click();
  await soon(paused).toEqual([false, false]);
  await films.first().evaluate((one) => (one as HTMLVideoElement).pause());
  await soon(paused).toEqual([true, true]);
  await button("Play all").waitFor();
  // The short film waits at its end, and joins again when all go back.
  await slider.fill("3.2");
  await soon(at).toEqual([3, 3.2]);
  await button("Play all").click();
  await soon(paused).toEqual([true, false]);
  await soon(async () => (await at())[1]).toBeGreaterThan(3.3);
  expect((await at())[0]).toBe(3);
  await slider.fill("0.2");
  await soon(paused).toEqual([false, false]);
  await button("Pause all").click();
  expect(await findBarriers(page)).toEqual([]);
  await button("Play all").click();
  // At the end of the longest film, all begin again.
  await slider.fill("5.8");
  await button("Play all").waitFor();
  await soon(paused).toEqual([true, true]);
  await button("Play all").click();
  await soon(paused).toEqual([false, false]);
  expect(Math.max(...(await at()))).toBeLessThan(3);
});

it("a run in progress shows its state without its model, and then its result", async () => {
  fal.script("a held quay", "hold");
  const { projectId } = studio.api;
  const { runs } = await studio.api.send<{ runs: { id: string }[] }>("POST", "/runs", {
    projectId,
    models: [{ connectionId: falId, modelId: "sim/flux/dev" }],
    task: "image",
    input: { prompt: "a held quay", image_size: { width: 64, height: 64 } },
  });
  await page.goto(
    `/compare/${await started([{ runId: runs[0]!.id }, { assetId: assets[0]!.id }])}`,
  );
  const main = page.getByRole("main");
  await main.getByText("This result is still being made.").waitFor();
  await main.getByText("Running", { exact: true }).waitFor();
  expect(await page.content()).not.toMatch(/flux/i);
  expect(await findBarriers(page)).toEqual([]);
  fal.release("a held quay");
  await main.getByRole("img", { name: "a held quay" }).waitFor();
  expect(await main.getByText("This result is still being made.").count()).toBe(0);
});

it("texts show their differences from the first one", async () => {
  answers = await answerTwice();
  await page.goto(`/compare/${await started(answers.map(({ id }) => ({ messageId: id })))}`);
  const [first, second] = ["Result 1", "Result 2"].map((name) =>
    page.getByRole("region", { name, exact: true }),
  ) as [Locator, Locator];
  await first.getByText("quiet").or(first.getByText("busy")).waitFor();
  const isQuiet = ((await first.textContent()) ?? "").includes("quiet");
  await button("Show differences").click();
  await page.getByText("Compared with result 1").waitFor();
  const words = (which: string) => second.locator(which).allTextContents();
  await soon(() => words("ins")).toEqual([isQuiet ? "**busy** " : "**quiet** "]);
  expect(await words("del")).toEqual([isQuiet ? "**quiet** " : "**busy** "]);
  expect(await first.locator("ins, del").count()).toBe(0);
  expect(await findBarriers(page)).toEqual([]);
  await button("Hide differences").click();
  await second.locator("strong").waitFor();
});

it("sounds are compared with their players, and one in the trash is reported in its place", async () => {
  const connectionId = await builtinConnection(studio.api);
  const sounds = [
    ...(await makeFiles(connectionId, ["voice", "speech", { text: "Good morning." }])),
    ...(await makeFiles(connectionId, ["voice", "speech", { text: "Good night." }])),
  ];
  await page.goto(`/compare/${await started(sounds.map(({ id }) => ({ assetId: id })))}`);
  const play = page.getByRole("button", { name: /^Play / });
  await soon(() => play.count()).toBe(2);
  expect(await findBarriers(page)).toEqual([]);
  const trash = { projectId: studio.api.projectId, action: "trash", ids: [sounds[0]!.id] };
  await studio.api.send("POST", "/assets/update", trash);
  await page.reload();
  await page.getByText(/^This result is in the trash, deleted/).waitFor();
  await soon(() => play.count()).toBe(1);
});

it("a text and a film are refused in a sentence", async () => {
  await expect(started([{ messageId: answers[0]!.id }, { assetId: film.id }])).rejects.toThrow(
    "A text and a video can’t be compared. Choose results of one kind.",
  );
});

it("the board draws quality for the price, names models without a price, and is downloaded", async () => {
  const input = { prompt: "a quay", image_size: { width: 64, height: 64 } };
  const [cheap, dear] = [
    await makeFiles(falId, ["sim/flux/dev", "image", input]),
    await makeFiles(falId, ["acme/ideogram/v3", "image", { prompt: "a quay" }]),
  ];
  const vote = async (id: string) =>
    studio.api.send("PUT", `/comparisons/${id}/vote`, { best: [0] });
  await vote(await started([{ assetId: cheap[0]!.id }, { assetId: dear[0]!.id }]));
  await vote(await started(answers.map(({ id }) => ({ messageId: id }))));
  await page.goto("/compare");
  const board = page.getByRole("complementary", { name: "Leaderboard" });
  const chart = board.getByRole("img", { name: "Share by median price of a result" });
  await chart.waitFor();
  const texts = await chart.locator("text").allTextContents();
  for (const text of ["$0.00", "$0.06", "median price of a result"]) expect(texts).toContain(text);
  expect(texts.filter((text) => /^\d+%$/.test(text))).toHaveLength(2);
  await board.getByText(/^Without a known price: .*sim-chat/).waitFor();
  /** The place of a model's point. */
  const point = async (name: RegExp) => {
    const circle = chart.locator("g").filter({ hasText: name }).locator("circle");
    return Promise.all(["cx", "cy"].map(async (side) => Number(await circle.getAttribute(side))));
  };
  const [[x, y], [farther, lower]] = [await point(/Flux/), await point(/Ideogram/)] as [
    [number, number],
    [number, number],
  ];
  expect(farther).toBeGreaterThan(x);
  // The winner is higher, which is a smaller y.
  expect(y).toBeLessThan(lower);
  expect(await findBarriers(page)).toEqual([]);
  const download = page.waitForEvent("download");
  await board.getByRole("link", { name: "Download CSV" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("bottega-leaderboard.csv");
  const [head = "", ...rows] = (await readFile(await file.path(), "utf8")).trimEnd().split("\r\n");
  const place = head.split(",").indexOf("cost_micros");
  const costOf = (name: string) => rows.find((row) => row.includes(name))?.split(",")[place];
  expect([costOf("sim/flux/dev"), costOf("ideogram"), costOf("sim-chat")]).toEqual([
    "25000",
    "60000",
    "",
  ]);
});
