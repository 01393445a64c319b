import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset } from "#contract/entities.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import {
  builtinConnection,
  joinStudio,
  type Studio,
  startStudio,
} from "../../support/browser/studio-in-browser.ts";
import { until } from "../../support/server/instance.ts";
import { soon } from "../../support/soon.ts";
import { buildWav } from "../../support/wav.ts";

/** The command palette, by keyboard alone. */
let browser: Browser;
let studio: Studio;
let page: Page;

beforeAll(async () => {
  [browser, studio] = await Promise.all([launchBrowser(), startStudio()]);
  const connectionId = await builtinConnection(studio.api);
  const { projectId } = studio.api;
  await studio.api.send("POST", "/runs", {
    projectId,
    models: [{ connectionId, modelId: "pattern" }],
    task: "image",
    input: { prompt: "harbor arches in green", image_size: { width: 64, height: 64 } },
  });
  const { conversation } = await studio.api.send<{ conversation: { id: string } }>(
    "POST",
    "/conversations",
    { projectId },
  );
  await studio.api.send("POST", `/conversations/${conversation.id}/messages`, {
    parentId: null,
    text: "A cover with repeating arches",
    attachments: [],
    ask: { model: { connectionId, modelId: "guide" } },
    idempotencyKey: "arches",
  });
  await studio.api.send("PATCH", `/conversations/${conversation.id}`, { title: "Cover ideas" });
  await joinStudio(studio, {
    name: "Grace Hopper",
    email: "grace@example.org",
    password: "another long password",
    role: "editor",
  });
  await joinStudio(studio, {
    name: "Katherine Johnson",
    email: "katherine@example.org",
    password: "another long password",
  });
  await studio.api.send("POST", "/collections", { projectId, name: "Tide almanac arches" });
  await studio.api.send("PUT", `/projects/${projectId}/word-lists/arches`, { items: ["ogee"] });
  await until("the picture", async () => {
    const { assets } = await studio.api.get<{ assets: Asset[] }>(`/assets?projectId=${projectId}`);
    return assets.length === 1;
  });
  ({ page } = await studio.openAs(browser));
});
afterAll(async () => {
  await browser?.close();
  await studio?.stop();
});

const field = () => page.getByRole("combobox", { name: "Command palette" });
const line = (name: string | RegExp) => page.getByRole("option", { name });
async function openPalette(path = "/library"): Promise<void> {
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await field().waitFor();
}

/** Chooses a row by keyboard alone. */
async function choose(row: ReturnType<typeof line>): Promise<void> {
  await row.waitFor();
  await page.keyboard.press("Home");
  const count = await page.getByRole("option").count();
  for (let presses = 0; presses < count; presses++) {
    if ((await row.getAttribute("aria-selected")) === "true") break;
    await page.keyboard.press("ArrowDown");
  }
  expect(await row.getAttribute("aria-selected")).toBe("true");
  await page.keyboard.press("Enter");
}

it("opens a model, a person and a message by keyboard alone", async () => {
  await openPalette("/usage");
  await page.keyboard.type("pattern");
  const models = page.getByRole("group", { name: "Models" });
  await choose(models.getByRole("option", { name: /^Pattern/ }).first());
  await page.waitForURL("**/models/*/pattern");
  await page
    .getByRole("heading", { name: /^Pattern/ })
    .first()
    .waitFor();

  // A member of the project is on the project's page, and others in the list of people.
  await openPalette("/usage");
  await page.keyboard.type("grace");
  await choose(line(/^Grace Hopper.*grace@example\.org/));
  await page.waitForURL(`**/projects/${studio.api.projectId}`);
  await page.getByText("Grace Hopper").first().waitFor();
  await openPalette("/usage");
  await page.keyboard.type("katherine");
  await choose(line(/^Katherine Johnson/));
  await page.waitForURL("**/admin/people?q=katherine*");
  await page.getByText("Katherine Johnson").first().waitFor();

  await openPalette("/usage");
  await page.keyboard.type("repeating arches");
  await choose(line(/^Cover ideas: “A cover with repeating arches/));
  await page.waitForURL(/\/chat\/[0-9a-f-]{36}\?message=[0-9a-f-]{36}/);
  const message = new URL(page.url()).searchParams.get("message");
  await page
    .locator(`[data-message="${message}"]`)
    .getByText("A cover with repeating arches")
    .waitFor();
});

it("asks and makes by keyboard alone, with the default model", async () => {
  await openPalette("/usage");
  await page.keyboard.type("ask what is a run?");
  await line("Ask about “what is a run?”").waitFor();
  await page.keyboard.press("Enter");
  const composer = page.getByRole("main").getByRole("textbox").first();
  await soon(() => composer.inputValue()).toBe("what is a run?");
  await soon(() => composer.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.getByRole("button", { name: /^Model: Guide/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/chat\/[0-9a-f-]{36}/);
  await page.getByRole("article").getByText(/run/).first().waitFor();

  const pictureModel = { connectionId: await builtinConnection(studio.api), modelId: "pattern" };
  await studio.api.send("PATCH", "/me/preferences", { defaults: { pictureModel } });
  // On Home itself, too.
  await openPalette("/");
  await page.keyboard.type("make a paper boat");
  await line("Make pictures of “a paper boat”").waitFor();
  await page.keyboard.press("Enter");
  await soon(() => composer.inputValue()).toBe("a paper boat");
  await soon(() => composer.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.getByRole("button", { name: /^Model: Pattern/ }).waitFor();
  await page.keyboard.press("Enter");
  const made = page.getByRole("region", { name: "Just made" });
  await made.getByRole("link", { name: "a paper boat" }).waitFor();
});

it("offers everything that a model here makes of a description, and nothing else", async () => {
  await openPalette("/usage");
  await page.keyboard.type("make good evening");
  await line("Make pictures of “good evening”").waitFor();
  expect(await line(/^Make (music|a video|a 3D model) of/).count()).toBe(0);
  await choose(line("Speak “good evening”"));
  await page.getByRole("button", { name: "Speech", pressed: true }).waitFor();
  const composer = page.getByRole("main").getByRole("textbox").first();
  await soon(() => composer.inputValue()).toBe("good evening");
});

it("finds a picture by its prompt and opens it over the current screen with Enter", async () => {
  await openPalette("/usage");
  await page.keyboard.type("arches");
  await line(/harbor arches in green/).waitFor();
  await line(/A cover with repeating arches/)
    .first()
    .waitFor();
  expect(await findBarriers(page)).toEqual([]);
  // Results are above the acts with the same text, and the first one is highlighted as it arrives.
  await soon(() => page.getByRole("option").first().getAttribute("aria-selected")).toBe("true");
  await page.keyboard.press("Home");
  while ((await line(/harbor arches in green/).getAttribute("aria-selected")) !== "true")
    await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/usage\?viewing=[0-9a-f-]{36}/);
  const viewer = page.locator("[data-takes-shortcuts]");
  await viewer.getByRole("heading", { name: "harbor arches in green" }).waitFor();
  await soon(() => viewer.evaluate((popup) => popup.contains(document.activeElement))).toBe(true);
  await page.keyboard.press("Escape");
  await viewer.waitFor({ state: "detached" });
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/usage");
});

it("finds the actions that are mostly used by their keys, and runs them where it was opened", async () => {
  const { projectId } = studio.api;
  const sound = await studio.api.upload(
    "tone.wav",
    buildWav({ samples: Buffer.alloc(16_000), samplesPerSecond: 8000, channels: 1, bits: 16 }),
  );
  const listed = async () =>
    (await studio.api.get<{ assets: Asset[] }>(`/assets?projectId=${projectId}`)).assets;
  const now = async (id: string) => (await listed()).find((asset) => asset.id === id);
  const find = async (words: string, row: ReturnType<typeof line>) => {
    await page.keyboard.press("ControlOrMeta+k");
    await field().waitFor();
    expect(await row.count()).toBe(0);
    await page.keyboard.type(words);
    await choose(row);
    await field().waitFor({ state: "detached" });
  };
  await page.goto(`/library/${sound.id}`);
  const viewer = page.locator("[data-takes-shortcuts]");
  const mute = viewer.getByRole("button", { name: "Mute" });
  await mute.waitFor();
  await find("mute", line(/^Mute.*O$/));
  await soon(() => mute.getAttribute("aria-pressed")).toBe("true");
  await find("4 stars", line(/^4 stars.*4$/));
  await soon(async () => (await now(sound.id))?.rating).toBe(4);
  await find("keep and show", line(/^Keep and show next item.*P$/));
  await soon(async () => (await now(sound.id))?.pick).toBe("kept");
  await viewer.getByRole("heading", { name: "tone" }).waitFor({ state: "detached" });
  await find("previous item", line(/^Previous item/));
  await viewer.getByRole("heading", { name: "tone" }).waitFor();
  await page.keyboard.press("Escape");
  await viewer.waitFor({ state: "detached" });

  const tile = page.locator(`[data-asset="${sound.id}"]`);
  await tile.focus();
  await page.keyboard.press("Space");
  await find("2 stars", line(/^2 stars.*2$/));
  await soon(async () => (await now(sound.id))?.rating).toBe(2);
});

it("finds a collection and a word list, and opens each with Enter", async () => {
  await openPalette("/");
  await page.keyboard.type("tide almanac");
  await line(/^Tide almanac arches.*Collection/).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/library?collection=*");
  await openPalette("/");
  await page.keyboard.type("arches");
  const named = line(/^arches.*Word list · 1 item/);
  await named.waitFor();
  // Its group is first, because one of its names is exactly the typed text.
  await soon(() => page.getByRole("option").first().textContent()).toMatch(/^arches/);
  await named.click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Items" }).waitFor();
});

it("text typed while the palette's code loads goes into its field and isn't a shortcut", async () => {
  const { page: slow, context } = await studio.openAs(browser);
  const { promise: loaded, resolve: load } = Promise.withResolvers<void>();
  let isHeld = false;
  await slow.route("**/assets/*.js", async (route) => {
    if (isHeld) await loaded;
    await route.continue();
  });
  await slow.goto("/library");
  await slow.getByRole("gridcell").first().waitFor();
  isHeld = true;
  await slow.keyboard.press("ControlOrMeta+k");
  await slow.keyboard.type("arches");
  load();
  const query = slow.getByRole("combobox", { name: "Command palette" });
  await soon(() => query.inputValue()).toBe("arches");
  await query.press("Backspace");
  expect(await query.inputValue()).toBe("arche");
  await context.close();
});

it("a matching command comes first", async () => {
  await openPalette("/");
  await page.keyboard.type("usage");
  await soon(() => page.getByRole("option").first().textContent()).toMatch(/^Usage/);
  // Safari's last Enter of an input method has only this code, and chooses nothing.
  const ofInputMethod = { key: "Enter", keyCode: 229, bubbles: true, cancelable: true };
  await field().dispatchEvent("keydown", ofInputMethod);
  expect(new URL(page.url()).pathname).toBe("/");
  await field().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/usage");
});

it("a section of the settings is found by its name", async () => {
  await openPalette("/");
  await page.keyboard.type("appearance");
  await line(/^Appearance.*Settings/).waitFor();
  await line(/^Appearance.*Settings/).click();
  await page.waitForURL("**/settings/appearance");
});

it("a section of the manual is read in the palette, and Back returns to the results", async () => {
  await openPalette("/");
  await page.keyboard.type("backup");
  const sections = page.getByRole("group", { name: "Manual" }).getByRole("option");
  const title = (await sections.first().locator("span").first().textContent()) ?? "";
  // The rows move while other results arrive.
  await sections.filter({ hasText: title }).first().click();
  await page.getByRole("heading", { name: title }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Back to results" }).press("Enter");
  await soon(() => field().inputValue()).toBe("backup");
});

it("text becomes a draft on Home, which makes nothing by itself", async () => {
  await openPalette("/usage");
  await page.keyboard.type("make a red fox");
  await line("Make pictures of “a red fox”").waitFor();
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.getByRole("main").getByRole("textbox").first().waitFor();
  await soon(() => page.getByRole("main").getByRole("textbox").first().inputValue()).toBe(
    "a red fox",
  );
  await page.getByRole("button", { name: /^Model: Pattern/ }).waitFor();
  expect(new URL(page.url()).search).toBe("");
});

it("a long pasted prompt arrives whole on Home", async () => {
  const prompt = `a red fox ${"in the snow ".repeat(200)}at dusk`;
  await openPalette("/usage");
  await field().fill(`make ${prompt}`);
  await line(/^Make pictures of/).waitFor();
  await page.keyboard.press("ControlOrMeta+Enter");
  const composer = page.getByRole("main").getByRole("textbox").first();
  await soon(() => composer.inputValue()).toBe(prompt);
});

it("the shortcut for making runs no other row, even if one is highlighted", async () => {
  await openPalette("/usage");
  await page.keyboard.type("make new project");
  await line("Make pictures of “new project”").waitFor();
  await field().fill("new project");
  await line(/^New project/).waitFor();
  await soon(() => line(/^New project/).getAttribute("aria-selected")).toBe("true");
  await page.keyboard.press("ControlOrMeta+Enter");
  const composer = page.getByRole("main").getByRole("textbox").first();
  await soon(() => composer.inputValue()).toBe("new project");
  // The palette fades out.
  await soon(() => page.getByRole("dialog").count()).toBe(0);
});

it("lists the actions of the focused row first, and runs them", async () => {
  await page.goto("/chat");
  const row = page.getByRole("link", { name: "Cover ideas" });
  await row.focus();
  await page.keyboard.press("ControlOrMeta+k");
  await soon(() => page.getByRole("option").first().textContent()).toBe("Rename");
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.type("pin");
  await line(/^Pin.*Actions for Cover ideas/).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("img", { name: "Pinned" }).waitFor();
  // With the focus elsewhere, no row is current.
  await page.getByRole("main").getByRole("textbox").first().focus();
  await page.keyboard.press("ControlOrMeta+k");
  await field().waitFor();
  expect(await line("Rename").count()).toBe(0);
  await page.keyboard.press("Escape");
});

it("has copying an answer, and the actions of a tag in its dialog", async () => {
  await page.goto("/chat");
  await page.getByRole("link", { name: "Cover ideas" }).click();
  const answer = page.getByRole("article");
  await answer.getByRole("button", { name: "Copy answer" }).focus();
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("copy answer");
  await line(/^Copy answer/).waitFor();
  await page.keyboard.press("Escape");

  // Over a popover it has the popover's buttons before the screen's actions, and closes alone.
  await answer.getByRole("button", { name: "Good answer" }).click();
  const why = page.getByRole("dialog", { name: "What was good?" });
  await why.getByRole("button", { name: "Remove rating" }).waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await line("Remove rating").waitFor();
  // Below the palette it has no role.
  const isCovered = await page.locator("[data-popover]").evaluate((popover) => {
    const { x, y, width, height } = popover.getBoundingClientRect();
    return !popover.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  });
  expect(isCovered).toBe(true);
  await line(/^New conversation/).waitFor();
  await page.keyboard.press("Escape");
  await field().waitFor({ state: "detached" });
  await why.getByRole("button", { name: "Remove rating" }).waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await field().fill("remove rating");
  await line(/^Remove rating.*What was good/).click();
  await why.waitFor({ state: "detached" });
  await answer.getByRole("button", { name: "Good answer", pressed: false }).waitFor();

  const { projectId } = studio.api;
  const { assets } = await studio.api.get<{ assets: Asset[] }>(`/assets?projectId=${projectId}`);
  await studio.api.send("POST", "/assets/update", {
    projectId,
    ids: assets.map(({ id }) => id),
    action: "tag",
    tags: ["quay"],
  });
  await openPalette();
  await line(/^Search prompts/).waitFor();
  await page.keyboard.type("manage tags");
  await line(/^Manage tags/).click();
  const tags = page.getByRole("dialog", { name: "Manage tags" });
  await tags.getByRole("button", { name: "Actions for tag quay" }).focus();
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("rename");
  await line(/^Rename.*quay/).click();
  const naming = page.getByRole("dialog", { name: /^Rename/ });
  await naming.waitFor();
  // Buttons of one name say whose they are; those that nothing tells apart are left out.
  await naming.evaluate((dialog) => {
    const list = document.createElement("ul");
    for (const name of ["quay", "jetty", "", ""]) {
      const [item, button] = [document.createElement("li"), document.createElement("button")];
      button.textContent = "Fold";
      button.onclick = () => button.toggleAttribute("data-folded");
      item.append(name, button);
      list.append(item);
    }
    dialog.append(list);
  });
  // Over a dialog it has the dialog's buttons, and nothing of the screen behind.
  await page.keyboard.press("ControlOrMeta+k");
  await line("Cancel").waitFor();
  expect(await line(/^Search prompts/).count()).toBe(0);
  await field().fill("fold");
  await line(/^Fold.*quay/).waitFor();
  expect(await line(/^Fold/).count()).toBe(2);
  await field().fill("fold jetty");
  await page.keyboard.press("Enter");
  await naming.locator("li", { hasText: "jetty" }).locator("[data-folded]").waitFor();
  expect(await naming.locator("[data-folded]").count()).toBe(1);
  await page.keyboard.press("ControlOrMeta+k");
  await field().fill("cancel");
  await line(/^Cancel.*Rename/).waitFor();
  await page.keyboard.press("Enter");
  await naming.waitFor({ state: "detached" });
  await tags.waitFor();
  await page.keyboard.press("Escape");
  await tags.waitFor({ state: "detached" });
});

/** The shortcuts listed under "?" on a screen: each group's rows as readable text. */
async function readShortcuts(path: string): Promise<{ heading: string; lines: string[] }[]> {
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  // Some screens start with the focus in a field, which takes the key as text.
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press("?");
  const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await list.getByText("Show keyboard shortcuts").waitFor();
  const groups = await list.locator("section section").evaluateAll((sections) =>
    sections.map((section) => ({
      heading: section.querySelector("h3")?.textContent ?? "",
      lines: [...section.querySelectorAll("div")].map(
        (line) =>
          `${line.firstElementChild?.textContent}: ${[...line.querySelectorAll("kbd")].map((key) => key.textContent).join(" ")}`,
      ),
    })),
  );
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "detached" });
  return groups;
}

it("lists each screen's shortcuts under ?, no two with the same keys", async () => {
  const screens: Record<string, string[]> = {
    "/": ["Send: Enter"],
    "/chat": [
      "New conversation: C",
      "Send: Enter",
      "First and last message: Home End",
      "Search all messages: /",
    ],
    "/create": ["Make it: Ctrl+Enter"],
    "/draw": ["Brush: B", "Lower or lift the brush: Space"],
    "/library": ["Search prompts, tags and models: /", "Select all: Ctrl+A", "Select: Space"],
    "/compare": [],
    "/activity": [],
    "/models": ["Search models: /"],
    "/usage": [],
    "/settings/keys": [],
    "/admin/people": ["Search people: /"],
    [`/projects/${studio.api.projectId}`]: [],
    "/docs": ["Search calls: /"],
  };
  for (const [path, expected] of Object.entries(screens)) {
    const groups = await readShortcuts(path);
    const lines = groups.flatMap(({ lines }) => lines);
    expect([path, lines]).toEqual([
      path,
      expect.arrayContaining([...expected, "Home: G H", "Show keyboard shortcuts: ?"]),
    ]);
    // A component's keys work while it has the focus; those of acts work anywhere on the screen.
    const ofActs = groups
      .filter(({ heading }) => !/^(In|On the) /.test(heading))
      .flatMap(({ lines }) => lines.map((line) => line.slice(line.lastIndexOf(": "))));
    expect([path, ofActs.filter((key, at) => ofActs.indexOf(key) < at)]).toEqual([path, []]);
  }
});

it("has the actions of the screens, and runs them", async () => {
  for (const [path, act] of [
    ["/settings/keys", "New key"],
    ["/admin/people", "Add person"],
    ["/usage", "Range: 7 days"],
    ["/models", "Try 4 models"],
    [`/projects/${studio.api.projectId}`, "Export project"],
  ] as const) {
    await openPalette(path);
    await page.keyboard.type(act);
    await line(new RegExp(`^${act}`))
      .first()
      .waitFor();
    await page.keyboard.press("Escape");
  }
  await openPalette("/usage");
  await page.keyboard.type("Range: 7 days");
  await line(/^Range: 7 days/).click();
  await page.waitForURL("**/usage?range=week");
  // An entry with choices of its own opens them.
  await openPalette("/chat");
  await page.keyboard.type("conversation settings");
  await line(/^Conversation settings/).click();
  const settings = page.getByRole("dialog", { name: "Conversation settings" });
  await settings.getByRole("textbox", { name: "System prompt" }).waitFor();
  await soon(() => settings.evaluate((popover) => popover.contains(document.activeElement))).toBe(
    true,
  );
});
