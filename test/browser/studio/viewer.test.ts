import type { Browser, Locator, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset, Run } from "#contract/entities.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { drawn, holdBack, openSlowly } from "../../support/browser/late-answers.ts";
import { takePicture } from "../../support/browser/pictures.ts";
import { findBarriers, keepStrict } from "../../support/browser/strict-page.ts";
import {
  builtinConnection,
  joinStudio,
  type Studio,
  signInWith,
  startStudio,
} from "../../support/browser/studio-in-browser.ts";
import { centerOf, fingerOn, phone as phoneProfile } from "../../support/browser/touch.ts";
import { until } from "../../support/server/instance.ts";
import { soon } from "../../support/soon.ts";

/** The viewer over each screen with results. */
let browser: Browser;
let studio: Studio;
let builtin: string;

beforeAll(async () => {
  [browser, studio] = await Promise.all([launchBrowser(), startStudio()]);
  builtin = await builtinConnection(studio.api);
  for (let place = 0; place < 30; place++) {
    const name = `proof-${String(place).padStart(2, "0")}.png`;
    const [width, height] = place % 5 === 4 ? [240, 320] : [800, 600];
    const picture = sharp({
      create: { width, height, channels: 3, background: { r: 8 * place, g: 120, b: 200 } },
    });
    await studio.api.upload(name, await picture.png().toBuffer());
  }
  await makePictures("quiet hills at dusk", 3);
});
afterAll(async () => {
  await browser?.close();
  await studio?.stop();
});

async function makePictures(
  prompt: string,
  variants: number,
  size = { width: 240, height: 160 },
): Promise<void> {
  const { runs } = await studio.api.send<{ runs: Run[] }>("POST", "/runs", {
    projectId: studio.api.projectId,
    models: [{ connectionId: builtin, modelId: "pattern" }],
    task: "image",
    variants,
    input: { prompt, image_size: size },
  });
  for (const { id } of runs)
    await until("the picture is made", async () => {
      const { run } = await studio.api.get<{ run: Run }>(`/runs/${id}`);
      return run.state === "succeeded";
    });
}
const list = async (query = "") =>
  (
    await studio.api.get<{ assets: Asset[] }>(
      `/assets?projectId=${studio.api.projectId}&limit=200${query}`,
    )
  ).assets;
const nameOf = ({ title, promptText }: Asset) => title || promptText;

async function open(path: string, options: Parameters<Studio["openAs"]>[1] = {}): Promise<Page> {
  const { page } = await studio.openAs(browser, options);
  keepStrict(page);
  await page.goto(path);
  // Not by role: below the open viewer it has none.
  await page.locator("main").waitFor();
  return page;
}
const viewer = (page: Page) => page.locator("[data-takes-shortcuts]");
const title = (page: Page) => viewer(page).getByRole("heading").first();
const button = (page: Page, name: string | RegExp) =>
  viewer(page).getByRole("button", { name, exact: true });
const percent = (page: Page) => viewer(page).getByRole("button", { name: /^[\d,]+%$/ });
/** Scrolls an element to a place that isn't a row's beginning. */
const scrollTo = (place: Locator) =>
  place.evaluate((element) => {
    element.scrollIntoView({ block: "center" });
    let around = element.parentElement;
    while (around && around.scrollTop < 40) around = around.parentElement;
    around?.scrollBy(0, -33);
  });
/** The addresses that the page has had since then, also those that a screen replaced at once. */
function listVisited(page: Page): () => string[] {
  const visited: string[] = [];
  page.on("framenavigated", (frame) => {
    const { pathname, search } = new URL(frame.url());
    visited.push(pathname + search);
  });
  return () => visited;
}
const isClosed = (page: Page) => viewer(page).waitFor({ state: "detached" });
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute("data-asset"));
/** Waits until the shown picture is complete and decoded. */
const isPainted = (page: Page, { id }: Pick<Asset, "id">) =>
  page.waitForFunction((assetId) => {
    const picture = document.querySelector<HTMLImageElement>(
      `[data-takes-shortcuts] div:not([inert]) > img[src$="/assets/${assetId}/file"]`,
    );
    return picture?.complete && picture.naturalWidth > 0;
  }, id);
it("one click opens a library file over the gallery, and Back returns to the same place to the pixel", async () => {
  const page = await open("/library");
  const all = await list();
  const grid = page.getByRole("grid");
  await grid.getByRole("link").first().waitFor();
  const scroller = page.locator(":has(> div > [role=grid])").first();
  await scroller.evaluate((element) => element.scrollTo(0, 233));
  const tile = grid.locator(`[data-asset="${all[20]!.id}"]`);
  await tile.waitFor();
  const before = await tile.boundingBox();
  await tile.click();
  await page.waitForURL(`**/library/${all[20]!.id}?*`);
  await viewer(page).getByText(`21 of ${all.length}`).first().waitFor();
  await isPainted(page, all[20]!);
  await page.goBack();
  await isClosed(page);
  expect(new URL(page.url()).pathname).toBe("/library");
  await soon(() => tile.boundingBox()).toEqual(before);
  await soon(() => focused(page)).toBe(all[20]!.id);

  // After some steps, the focus is on the last shown asset's tile.
  await tile.press("Enter");
  await viewer(page).waitFor();
  for (const place of [21, 22, 23]) {
    await page.keyboard.press("ArrowRight");
    await viewer(page)
      .getByText(`${place + 1} of ${all.length}`)
      .first()
      .waitFor();
  }
  await page.waitForURL(`**/library/${all[23]!.id}?*`);
  await page.keyboard.press("Escape");
  await isClosed(page);
  await soon(() => focused(page)).toBe(all[23]!.id);
  expect(new URL(page.url()).pathname).toBe("/library");

  // The editor returns to the shown file, also if its address was still to come.
  await page.keyboard.press("Enter");
  await isPainted(page, all[23]!);
  await isLoaded(page, all[24]!);
  await page.keyboard.press("ArrowRight");
  await title(page).getByText(nameOf(all[24]!)).waitFor();
  await page.keyboard.press("e");
  await page.getByRole("dialog", { name: `Edit “${nameOf(all[24]!)}”` }).waitFor();
  await page.keyboard.press("Escape");
  await title(page).getByText(nameOf(all[24]!)).waitFor();
});

it("the next picture appears without a request, and neither it nor the film strip waits for one", async () => {
  const all = await list();
  const page = await open(`/library/${all[4]!.id}`);
  await isPainted(page, all[4]!);
  await isLoaded(page, all[5]!);
  await page.waitForLoadState("networkidle");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.context().setOffline(true);
  await page.keyboard.press("ArrowRight");
  await isPainted(page, all[5]!);
  await soon(() => title(page).textContent()).toBe(nameOf(all[5]!));
  expect(asked.filter((path) => path.includes(all[5]!.id))).toEqual([]);
  await page.context().setOffline(false);
});

it("zoom keeps its place in the next picture of the same shape, and the wheel zooms at the pointer", async () => {
  const all = await list();
  const first = all.findIndex(({ title: name }) => name === "proof-23.png");
  const page = await open(`/library/${all[first]!.id}`);
  await isPainted(page, all[first]!);
  await page.mouse.move(500, 300);
  await page.mouse.wheel(0, -700);
  const zoomed = await percent(page).textContent();
  const box = () => viewer(page).locator("div:not([inert]) > img").last().boundingBox();
  const before = await box();
  await page.keyboard.press("ArrowRight");
  await isPainted(page, all[first + 1]!);
  await soon(() => percent(page).textContent()).toBe(zoomed);
  await soon(() => box()).toEqual(before);
  await page.keyboard.press("0");
  await soon(() => percent(page).textContent()).not.toBe(zoomed);
  await page.keyboard.press("+");
  await page.keyboard.press("-");
});

it("keys keep, reject and rate the shown file, and U undoes the last mark on its own picture", async () => {
  const all = await list();
  const page = await open(`/library/${all[10]!.id}`);
  await isPainted(page, all[10]!);
  const [ten, eleven] = [all[10]!, all[11]!];
  const now = async (id: string) => (await list()).find((asset) => asset.id === id);
  await page.keyboard.press("p");
  await soon(async () => (await now(ten.id))?.pick).toBe("kept");
  await soon(() => button(page, "Keep").getAttribute("aria-pressed")).toBe("true");
  await page.keyboard.press("4");
  await soon(async () => (await now(ten.id))?.rating).toBe(4);
  await page.keyboard.press("ArrowRight");
  await isPainted(page, eleven);
  await page.keyboard.press("x");
  await soon(async () => (await now(eleven.id))?.pick).toBe("rejected");
  await page.keyboard.press("ArrowRight");
  await isPainted(page, all[12]!);
  await page.keyboard.press("u");
  await soon(async () => (await now(eleven.id))?.pick).toBe("none");
  await soon(() => title(page).textContent()).toBe(nameOf(eleven));
  await page.keyboard.press("u");
  await soon(async () => (await now(ten.id))?.rating).toBe(0);
  expect((await now(ten.id))?.pick).toBe("kept");
  await page.keyboard.press("u");
  await soon(async () => (await now(ten.id))?.pick).toBe("none");
  await page.keyboard.press("Shift+P");
  await isPainted(page, eleven);
  await page.keyboard.press("Shift+X");
  await isPainted(page, all[12]!);
  await soon(async () => (await now(eleven.id))?.pick).toBe("rejected");
  expect((await now(ten.id))?.pick).toBe("kept");
  await page.getByRole("button", { name: `12: ${nameOf(eleven)}, rejected` }).waitFor();
});

it("each action of the viewer has a key of its own, beside it and under ?", async () => {
  const made = (await list()).find(({ promptText }) => promptText === "quiet hills at dusk")!;
  const page = await open(`/library/${made.id}`, {
    permissions: ["clipboard-read", "clipboard-write"],
    acceptDownloads: true,
  });
  await isPainted(page, made);
  const bar = page.getByRole("region", { name: "Actions", exact: true });
  const acts = bar.locator("button:not([aria-haspopup])").filter({ hasText: /[a-z]{3}/ });
  await acts.first().waitFor();
  const inBar = await acts.locator("kbd:visible").allTextContents();
  expect(inBar.length).toBe(await acts.count());
  await bar.getByRole("button", { name: "More actions" }).click();
  const rest = page.getByRole("menuitem");
  await rest.first().waitFor();
  const inMenu = await rest.locator("kbd").allTextContents();
  expect(inMenu.length).toBe(await rest.count());
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await keys.getByText("Undo last action").waitFor();
  await keys.getByText("Move a zoomed picture, or turn a 3D model").waitFor();
  expect(await keys.getByText("Select all").count()).toBe(0);
  const listed = await keys.locator("section:has(> h3:text-is('Viewer')) kbd").allTextContents();
  expect(listed).toEqual(expect.arrayContaining([...inBar, ...inMenu]));
  expect(listed.filter((key, place) => listed.indexOf(key) !== place)).toEqual([]);
  await page.keyboard.press("Escape");
  await keys.waitFor({ state: "detached" });

  await page.keyboard.press("Shift+C");
  await page.getByText("Prompt copied").waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(made.promptText);
  const download = page.waitForEvent("download");
  await page.keyboard.press("d");
  expect((await download).url()).toContain(`/assets/${made.id}/file`);
  await page.keyboard.press("Delete");
  await page.getByRole("button", { name: "Undo" }).waitFor();
  expect((await list()).some(({ id }) => id === made.id)).toBe(false);
  await page.keyboard.press("u");
  await soon(async () => (await list()).some(({ id }) => id === made.id)).toBe(true);
  await acts.first().waitFor();
  const visited = listVisited(page);
  for (const [key, address] of [
    ["n", `/create?asset=${made.id}`],
    ["s", `/library?similar=${made.id}`],
    ["w", `/compare?with=${made.id}`],
  ] as const) {
    await page.keyboard.press(key);
    await soon(visited).toContain(address);
    await page.goto(`/library/${made.id}`);
    await acts.first().waitFor();
  }
  await page.keyboard.press("h");
  await page.waitForURL("**/chat*");
  await page.getByRole("button", { name: "Remove quiet hills at dusk" }).waitFor();
});

it("F leaves only the picture on the screen, and a click on the film strip shows another", async () => {
  const all = await list();
  const page = await open(`/library/${all[6]!.id}`);
  await isPainted(page, all[6]!);
  const strip = viewer(page).getByRole("region", { name: "Film strip" });
  const isFull = () => page.evaluate(() => document.fullscreenElement !== null);
  await strip.waitFor();
  await page.keyboard.press("f");
  await strip.waitFor({ state: "detached" });
  await soon(isFull).toBe(true);
  expect(await viewer(page).getByRole("button").count()).toBe(0);
  await page.keyboard.press("ArrowRight");
  await isPainted(page, all[7]!);
  await page.keyboard.press("f");
  await strip.waitFor();
  await soon(isFull).toBe(false);
  await strip.getByRole("button", { name: `10: ${nameOf(all[9]!)}` }).click();
  await isPainted(page, all[9]!);
  await viewer(page).getByText(`10 of ${all.length}`).first().waitFor();
  await strip
    .locator("[aria-current]")
    .and(strip.getByRole("button", { name: /^10: / }))
    .waitFor();
});

it("details beside the picture don't cover it when the window becomes narrow", async () => {
  const page = await open(`/library/${(await list())[6]!.id}`);
  const facts = page.getByRole("complementary", { name: "Details" });
  const isPressed = () => button(page, "Details").getAttribute("aria-pressed");
  await button(page, "Details").click();
  await facts.waitFor();
  const wide = page.viewportSize()!;
  await page.setViewportSize({ width: 390, height: 844 });
  await facts.waitFor({ state: "detached" });
  expect(await isPressed()).toBe("false");
  await page.setViewportSize(wide);
  await facts.waitFor();
  expect(await isPressed()).toBe("true");
});

it("the menu moves the shown file to the trash, and Undo restores it", async () => {
  const [newest] = await list();
  const page = await open(`/library/${newest!.id}`);
  await isPainted(page, newest!);
  const bar = page.getByRole("region", { name: "Actions", exact: true });
  await bar.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Move to trash" }).click();
  await soon(async () => (await list()).some(({ id }) => id === newest!.id)).toBe(false);
  await page.getByRole("button", { name: "Undo" }).click();
  await soon(async () => (await list()).some(({ id }) => id === newest!.id)).toBe(true);
  await bar.waitFor();
});

it("actions that cost money show how many and how much first", async () => {
  const made = (await list()).find(({ promptText }) => promptText === "quiet hills at dusk")!;
  const page = await open(`/library/${made.id}`);
  await button(page, /^Make again free/).waitFor();
  await button(page, /^Vary 4 free/).waitFor();
  await isPainted(page, made);
  const count = (await list()).length;
  await page.keyboard.press("v");
  await page.getByText("Making 4 variations").waitFor();
  await soon(async () => (await list()).length).toBe(count + 4);
});

it("the picture uses the film strip's space if there is no list, and doesn't move while one loads", async () => {
  const [, asset] = await list();
  const page = await open(`/usage?viewing=${asset!.id}`);
  const top = async () => Math.round((await button(page, "Keep").boundingBox())?.y ?? 0);
  await isPainted(page, asset!);
  const lowest = await top();
  const { held, release } = await holdBack(page, (request) =>
    /\/assets\/layout/.test(request.url()),
  );
  await page.goto(`/library/${asset!.id}`);
  await isPainted(page, asset!);
  await soon(() => held.length).toBeGreaterThan(0);
  const coming = await top();
  expect(coming).toBe(lowest - 76);
  await release();
  await viewer(page).getByRole("region", { name: "Film strip" }).waitFor();
  expect(await top()).toBe(coming);
});

it("the film strip appears if the code and the list below the viewer arrive last", async () => {
  const made = (await list()).find(({ promptText }) => promptText === "quiet hills at dusk")!;
  const { page } = await studio.openAs(browser, { isNew: true });
  await openSlowly(page, `/create?viewing=${made.id}`, "newest");
  await viewer(page).getByRole("region", { name: "Film strip" }).waitFor();
});

it("the viewer shows all actions at once, so that a late price moves none under the pointer", async () => {
  const made = (await list()).find(({ promptText }) => promptText === "quiet hills at dusk")!;
  const page = await open("/library");
  const { held, release } = await holdBack(page, (request) =>
    /\/api\/v1\/models\/[^/?]+\?.*model=/.test(request.url()),
  );
  await page.goto(`/library/${made.id}`);
  await isPainted(page, made);
  await soon(() => held.length).toBeGreaterThan(0);
  await drawn(page);
  expect(await button(page, "Keep").count()).toBe(0);
  await release();
  await button(page, "Keep").waitFor();
  expect(await button(page, /^Make again free/).isEnabled()).toBe(true);
});

it("the viewer opens over Create, Home and a scrolled chat, survives a reload, and closes with Back", async () => {
  const sent = (await list()).find(({ title: name }) => name === "proof-12.png")!;
  const { conversation } = await studio.api.send<{ conversation: { id: string } }>(
    "POST",
    "/conversations",
    { projectId: studio.api.projectId, title: "Proofs" },
  );
  let parentId: string | null = null;
  for (let place = 0; place < 25; place++) {
    const text = `Proof ${place}. ${"The lamp was trimmed. ".repeat(9)}`;
    const attachments = place === 21 ? [sent.id] : [];
    const { message }: { message: { id: string } } = await studio.api.send(
      "POST",
      `/conversations/${conversation.id}/messages`,
      { parentId, text, attachments },
    );
    parentId = message.id;
  }
  const page = await open("/create");
  for (const path of ["/create", "/", `/chat/${conversation.id}`]) {
    await page.goto(path);
    const tile = page.getByRole("main").locator("a[data-asset]").first();
    await tile.waitFor();
    const id = await tile.getAttribute("data-asset");
    await soon(async () => (await tile.boundingBox())?.width ?? 0).toBeGreaterThan(40);
    await scrollTo(tile);
    const before = await tile.boundingBox();
    await tile.click();
    await page.waitForURL(`**${path}?viewing=${id}`);
    await isPainted(page, { id: id! });
    await page.goBack();
    await isClosed(page);
    await soon(() => focused(page)).toBe(id);
    expect(await tile.boundingBox()).toEqual(before);
    await tile.click();
    await isPainted(page, { id: id! });
    await page.reload();
    await isPainted(page, { id: id! });
    await page.goBack();
    await isClosed(page);
    expect(new URL(page.url()).pathname).toBe(path);
    await soon(() => focused(page)).toBe(id);
  }
});

it("on a phone a swipe brings the next picture, and the actions have room for a finger", async () => {
  const all = await list();
  const phone = await open(`/library/${all[12]!.id}`, { ...phoneProfile, isNew: true });
  await isPainted(phone, all[12]!);
  const four = viewer(phone).locator("label", {
    has: phone.getByRole("radio", { name: "4 stars" }),
  });
  const star = (await four.boundingBox())!;
  expect(Math.min(star.width, star.height)).toBeGreaterThanOrEqual(40);
  await four.tap();
  const rating = async () =>
    (await studio.api.get<{ asset: Asset }>(`/assets/${all[12]!.id}`)).asset.rating;
  await soon(rating).toBe(4);
  await four.tap();
  await soon(rating).toBe(0);
  await isLoaded(phone, all[13]!);
  await swipe(phone, 320, 60);
  await viewer(phone).getByText(`14 of ${all.length}`).first().waitFor();
  await isPainted(phone, all[13]!);
  await swipe(phone, 60, 320);
  await viewer(phone).getByText(`13 of ${all.length}`).first().waitFor();
  for (const name of ["Keep", "Reject", "Details", "More actions", "Back"]) {
    const box = (await button(phone, name).boundingBox())!;
    expect(Math.min(box.width, box.height), name).toBeGreaterThanOrEqual(40);
  }
  expect(await findBarriers(phone)).toEqual([]);
  // Closed while a picture slides in, the viewer stays closed.
  await phone.emulateMedia({ reducedMotion: "no-preference" });
  await phone.clock.install();
  // The page's clock must not have passed this time yet, also on a slow machine.
  await phone.clock.pauseAt(Date.now() + 60_000);
  await swipe(phone, 320, 60);
  await phone.keyboard.press("Escape");
  await phone.waitForURL((url) => url.pathname === "/library");
  await phone.clock.runFor(1_000);
  await phone.clock.resume();
  await drawn(phone);
  expect(new URL(phone.url()).pathname).toBe("/library");
});

/** Waits until a neighbor is in the page before it is shown. */
const isLoaded = (page: Page, { id }: Pick<Asset, "id">) =>
  page.waitForFunction((assetId) => {
    const picture = document.querySelector<HTMLImageElement>(
      `[inert] > img[src$="/${assetId}/file"]`,
    );
    return picture?.complete && picture.naturalWidth > 0;
  }, id);

async function swipe(page: Page, from: number, to: number): Promise<void> {
  const finger = await fingerOn(page);
  await finger.down({ x: from, y: 400 });
  for (let step = 1; step <= 8; step++)
    await finger.move({ x: from + ((to - from) * step) / 8, y: 400 });
  await finger.up();
}

it("a viewer of a project sees no button that would be refused", async () => {
  const guest = await joinStudio(studio, {
    name: "Vera",
    email: "vera@example.com",
    password: "a long enough password",
    role: "viewer",
  });
  const { page, context } = await studio.openSignedOut(browser);
  await signInWith(context, studio.url, guest.cookie);
  keepStrict(page);
  const made = (await list()).find(({ promptText }) => promptText === "quiet hills at dusk")!;
  await page.goto(`/library/${made.id}`);
  await button(page, "Download").first().waitFor();
  await button(page, /^Copy prompt/).waitFor();
  // As on plain HTTP, where browsers have no clipboard.
  await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  await page.keyboard.press("Shift+C");
  await page.getByText("Copying is blocked. Use https, or select the text.").waitFor();
  for (const name of [
    ...[/^Keep/, /^Reject/, /^Make again/, /^Vary/, /^Edit/],
    ...["Use as input", "Move to trash"],
  ])
    expect(await button(page, name).count()).toBe(0);
  await page.keyboard.press("p");
  await page.keyboard.press("v");
  expect((await list()).find(({ id }) => id === made.id)?.pick).toBe("none");
  expect(await findBarriers(page)).toEqual([]);
});

it("a tile keeps, varies and names its model, also by keyboard", async () => {
  const page = await open("/create");
  const tile = page.getByRole("main").locator("a[data-asset]").first();
  await tile.waitFor();
  const place = tile.locator("..");
  await tile.hover();
  await place.getByText("Pattern (procedural)").waitFor();
  await place.getByRole("button", { name: "Vary 4, free" }).waitFor();
  await page.mouse.move(5, 5);
  await place.getByRole("button", { name: "Keep" }).waitFor({ state: "detached" });
  await page.keyboard.press("Tab");
  await tile.focus();
  await place.getByRole("button", { name: "Keep" }).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const id = await tile.getAttribute("data-asset");
  await soon(async () => (await list()).find((asset) => asset.id === id)?.pick).toBe("kept");
  expect(await findBarriers(page, `li:has([data-asset="${id}"])`)).toEqual([]);
  const download = page.waitForEvent("download");
  await place.getByRole("button", { name: "Download" }).click();
  expect((await download).url()).toContain(`/assets/${id}/file`);
  const visited = listVisited(page);
  await place.getByRole("button", { name: "Use as input" }).click();
  await soon(visited).toContain(`/create?asset=${id}`);
});

it("on a phone a long press on a tile opens its actions, and each of them acts", async () => {
  const phone = await open("/", { ...phoneProfile, acceptDownloads: true });
  // Not by role: below the open sheet it has none.
  const tile = phone.locator("main a[data-asset]").first();
  await tile.waitFor();
  const id = (await tile.getAttribute("data-asset"))!;
  const asset = async () => (await list()).find((one) => one.id === id)!;
  const { pick } = await asset();
  const name = nameOf(await asset());
  const finger = await fingerOn(phone);
  const acts = phone.getByRole("dialog", { name });
  const act = (label: string | RegExp) => acts.getByRole("button", { name: label });
  const place = () => tile.evaluate((element) => element.getBoundingClientRect().top);
  const hold = async () => {
    await tile.evaluate((element) => element.scrollIntoView({ block: "center" }));
    const before = await place();
    const center = await centerOf(tile);
    await finger.down(center);
    await act("Download").waitFor();
    // The finger that still lies on the page scrolls nothing.
    for (const up of [40, 80, 120]) await finger.move({ ...center, y: center.y - up });
    await finger.up();
    expect(await place()).toBe(before);
  };
  await hold();
  expect(await act("Select").count()).toBe(0);
  expect(await findBarriers(phone)).toEqual([]);
  await act(pick === "kept" ? "Remove mark" : "Keep").tap();
  await acts.waitFor({ state: "detached" });
  await soon(async () => (await asset()).pick).toBe(pick === "kept" ? "none" : "kept");
  expect(new URL(phone.url()).pathname + new URL(phone.url()).search).toBe("/");
  await hold();
  const download = phone.waitForEvent("download");
  await act("Download").tap();
  await acts.waitFor({ state: "detached" });
  expect((await download).url()).toContain(`/assets/${id}/file`);
  await hold();
  const count = (await list()).length;
  await act(/^Vary 4/).tap();
  await phone.getByText("Making 4 variations").waitFor();
  await soon(async () => (await list()).length).toBe(count + 4);
  await phone.goto("/");
  await tile.waitFor();
  await hold();
  const used = await tile.getAttribute("data-asset");
  const visited = listVisited(phone);
  await act("Use as input").tap();
  await soon(visited).toContain(`/create?asset=${used}`);
});

it("a narrow tile shows the price of an action that costs money, and no action sticks out", async () => {
  const sizes = { upright: [160, 240], square: [200, 200], wide: [240, 160] } as const;
  for (const [shape, [width, height]] of Object.entries(sizes))
    await makePictures(`narrow and ${shape}`, 1, { width, height });
  const page = await open("/library?q=narrow");
  await page.route(/\/api\/v1\/models\/[^/]+\?/, async (route) => {
    const response = await route.fetch();
    const { model } = await response.json();
    const prices = [{ unit: "images", micros: 3_085_000, source: "manual", at: 0 }];
    await route.fulfill({ response, json: { model: { ...model, prices } } });
  });
  const cell = (shape: string) =>
    page.getByRole("gridcell").filter({ has: page.locator(`[aria-label="narrow and ${shape}"]`) });
  const showAt = async (rowHeight: number) => {
    await page.getByRole("button", { name: "Tile size" }).click();
    await page.getByRole("slider", { name: "Tile size" }).fill(String(rowHeight));
    await page.keyboard.press("Escape");
    await soon(async () => Math.round((await cell("square").boundingBox())?.width ?? 0)).toBe(
      rowHeight,
    );
  };
  const lookAt = async (shape: string) => {
    await cell(shape).hover();
    const vary = cell(shape).getByRole("button", { name: "Vary 4, about $12.34" });
    await vary.getByText("4 · about $12.34").waitFor();
    await takePicture(page, `narrow-tile-${shape}`);
    const box = (await cell(shape).boundingBox())!;
    for (const act of await cell(shape).getByRole("button").all()) {
      const { x, y, width, height } = (await act.boundingBox())!;
      expect(x, shape).toBeGreaterThanOrEqual(box.x);
      expect(y, shape).toBeGreaterThanOrEqual(box.y);
      expect(x + width, shape).toBeLessThanOrEqual(box.x + box.width);
      expect(y + height, shape).toBeLessThanOrEqual(box.y + box.height);
      // Nor does a text stick out of its button.
      expect(await act.evaluate((one) => one.scrollWidth - one.clientWidth), shape).toBe(0);
      expect(await act.evaluate((one) => one.scrollHeight - one.clientHeight), shape).toBe(0);
    }
  };
  await showAt(148);
  for (const shape of ["upright", "square", "wide"]) {
    await lookAt(shape);
    for (const name of ["Keep", "Use as input", "Download", "Details"])
      expect(await cell(shape).getByRole("button", { name }).isVisible()).toBe(true);
  }
  await showAt(76);
  for (const shape of ["square", "wide"]) await lookAt(shape);
  // There is no room for a price, so nothing that has one; the palette has all of it.
  await cell("upright").hover();
  await cell("upright").locator('[data-act="vary"]').waitFor({ state: "attached" });
  expect(await cell("upright").getByRole("button").count()).toBe(0);
  await cell("upright").getByRole("link").focus();
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("option", { name: /^Vary 4, about \$12\.34/ }).waitFor();
});
