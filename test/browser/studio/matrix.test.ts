import type { Browser, BrowserContext, Page, Route } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ScreenName, screenNames } from "#contract/screens.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { takePicture } from "../../support/browser/pictures.ts";
import { findBarriers, watchPage } from "../../support/browser/strict-page.ts";
import {
  type Api,
  builtinConnection,
  type Studio,
  startStudio,
} from "../../support/browser/studio-in-browser.ts";

const states = ["much", "empty", "loading", "error"] as const;
type State = (typeof states)[number];
const widths = [
  { name: "1440", width: 1440, height: 900 },
  { name: "390", width: 390, height: 844 },
] as const;
const themes = ["light", "dark"] as const;

/** For the shell's screens: the address in a studio. For bare ones: how to produce each state. */
type Scene =
  | { path: (studio: Seeded) => string }
  | { open: (page: Page, state: State, studio: Seeded) => Promise<void> };
type Seeded = Studio & { conversationId?: string; assetId?: string; joinToken?: string };

let browser: Browser;
let full: Seeded;
let fresh: Seeded;
let unclaimed: Seeded;

const scenes = {
  home: { path: () => "/" },
  chat: { path: (studio) => (studio.conversationId ? `/chat/${studio.conversationId}` : "/chat") },
  create: { path: () => "/create" },
  draw: { path: () => "/draw" },
  library: { path: () => "/library" },
  compare: { path: () => "/compare" },
  activity: { path: () => "/activity" },
  models: { path: () => "/models" },
  docs: { path: () => "/docs" },
  usage: { path: () => "/usage?scope=instance" },
  project: { path: (studio) => `/projects/${studio.api.projectId}` },
  settings: { path: () => "/settings/security" },
  admin: { path: () => "/admin/people" },
  setup: {
    async open(page, state) {
      await page.goto(
        `${unclaimed.url}/setup${state === "empty" ? "" : `#code=${state === "error" ? "wrong" : unclaimed.setupCode}`}`,
      );
      if (state === "empty" || state === "error")
        return page.getByRole("textbox").first().waitFor();
      await page.getByLabel("Your name").fill("Augusta Ada King, Countess of Lovelace, née Byron");
      await page
        .getByLabel(/email/i)
        .fill("augusta.ada.king.of.lovelace@analytical-engines.example.org");
      await page.getByLabel("Password", { exact: true }).fill("a password of many words");
      if (state === "loading") await submitAndHold(page, "**/api/v1/setup");
    },
  },
  login: {
    async open(page, state) {
      await page.goto(`${full.url}/login`);
      await page.getByLabel(/email/i).waitFor();
      if (state === "empty") return;
      await page.getByLabel(/email/i).fill("ada@example.org");
      await page.getByLabel("Password", { exact: true }).fill("not the password");
      if (state === "loading") await submitAndHold(page, "**/api/v1/session");
      if (state === "error") {
        await page.getByRole("button", { name: /sign in/i }).click();
        await page.getByText(/password is wrong/).waitFor();
      }
    },
  },
  join: {
    async open(page, state) {
      if (state === "loading") await page.route("**/api/v1/invites/**", hold);
      await page.goto(`${full.url}/join/${state === "error" ? "used-up" : full.joinToken}`);
      await page.locator("h1").waitFor();
      if (state === "much")
        await page.getByLabel(/name/i).first().fill("Augusta Ada King, Countess of Lovelace");
    },
  },
} satisfies Record<ScreenName, Scene>;

/** Requests that never end, as on a hanging connection, until the page closes. */
const held: Route[] = [];
const hold = (route: Route): void => void held.push(route);

async function submitAndHold(page: Page, address: string): Promise<void> {
  await page.route(address, (route) =>
    route.request().method() === "POST" ? hold(route) : route.continue(),
  );
  await page.locator("form button[type=submit]").click();
}

async function seed(api: Api): Promise<Pick<Seeded, "conversationId" | "assetId" | "joinToken">> {
  const colors = ["#c96f4a", "#3e5c6b", "#8fae82", "#e2c691", "#6a3d52", "#2f5d8a"];
  const sizes = [
    [320, 240],
    [240, 320],
    [280, 280],
    [360, 200],
  ] as const;
  const uploads = Array.from({ length: 36 }, async (_, i) => {
    const [width, height] = sizes[i % sizes.length]!;
    return api.upload(
      `Study ${i + 1}, harbour at low tide.png`,
      await sharp({
        create: { width, height, channels: 3, background: colors[i % colors.length]! },
      })
        .png()
        .toBuffer(),
    );
  });
  const [first] = await Promise.all(uploads);
  const connectionId = await builtinConnection(api);
  const { projectId } = api;
  await api.send("POST", "/runs", {
    projectId,
    models: [{ connectionId, modelId: "pattern" }],
    task: "image",
    input: {
      prompt: "rows of boathouse arches along a quay, letterpress on warm paper",
      image_size: { width: 256, height: 192 },
    },
    variants: 4,
  });
  const titles = Array.from(
    { length: 30 },
    (_, i) => `Why the ${i + 1} o’clock export failed, and what the printer said about the paper`,
  );
  for (const title of titles) await api.send("POST", "/conversations", { projectId, title });
  const { conversation } = await api.send<{ conversation: { id: string } }>(
    "POST",
    "/conversations",
    {
      projectId,
      title: "A cover for the tide almanac",
    },
  );
  let parentId: string | null = null;
  for (const text of [
    "What is a run?",
    "How do I connect Ollama?",
    "What is the difference between make again and vary?",
  ]) {
    const said: { answer: { id: string } } = await api.send(
      "POST",
      `/conversations/${conversation.id}/messages`,
      {
        parentId,
        text,
        ask: { model: { connectionId, modelId: "guide" } },
      },
    );
    parentId = said.answer.id;
  }
  for (let i = 0; i < 6; i++)
    await api.send("POST", "/people/invites", {
      email: `printer-${i}@harbour-press.example.org`,
      role: "member",
    });
  const { link } = await api.send<{ link: string }>("POST", "/people/invites", {
    email: "joiner@example.org",
    role: "member",
  });
  return {
    conversationId: conversation.id,
    assetId: first!.id,
    joinToken: link.split("/join/")[1]!,
  };
}

beforeAll(async () => {
  browser = await launchBrowser();
  [full, fresh, unclaimed] = await Promise.all([
    startStudio(),
    startStudio(),
    startStudio({ setUp: false }),
  ]);
  Object.assign(full, await seed(full.api));
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([full, fresh, unclaimed].map((studio) => studio?.stop()));
});

/** The session and the frame's requests, which are answered even if the screen's own data isn't. */
const isFrame = (url: string): boolean =>
  /\/api\/v1\/(session|instance|live)$/.test(new URL(url).pathname);
const problem = {
  status: 500,
  contentType: "application/problem+json",
  body: JSON.stringify({
    type: "urn:bottega:internal",
    title: "The server failed unexpectedly.",
    status: 500,
    code: "internal",
    detail: "The server failed unexpectedly.",
    advice: "Your input is still here.",
    retryable: true,
    id: "01a1fd94-0000-7000-8000-000000000000",
  }),
};

/** One profile per studio for all its screens, so that their scripts come from its cache. */
const profiles = new Map<Seeded, Promise<BrowserContext>>();
async function openProfile(studio: Seeded): Promise<BrowserContext> {
  const { context, page } = await studio.openAs(browser);
  await page.close();
  return context;
}
function signedIn(studio: Seeded): Promise<BrowserContext> {
  const profile = profiles.get(studio) ?? openProfile(studio);
  profiles.set(studio, profile);
  return profile;
}

async function open(page: Page, name: ScreenName, state: State, studio: Seeded): Promise<void> {
  const scene: Scene = scenes[name];
  if ("open" in scene) return scene.open(page, state, studio);
  if (state === "loading")
    await page.route("**/api/v1/**", (route) =>
      isFrame(route.request().url()) ? route.continue() : hold(route),
    );
  if (state === "error")
    await page.route("**/api/v1/**", (route) =>
      isFrame(route.request().url()) ? route.continue() : route.fulfill(problem),
    );
  await page.goto(`${studio.url}${scene.path(studio)}`);
  await page.locator("h1").first().waitFor();
  if (state === "error") await page.getByRole("alert").first().waitFor();
  expect(await page.getByText("Page not found").count(), "the screen exists").toBe(0);
  if (state === "much" || state === "empty") await page.waitForLoadState("networkidle");
}

it.each(screenNames.flatMap((name) => states.map((state) => [name, state] as const)))(
  "%s, %s: wide and narrow, light and dark, without an axe violation, an overflow or a violation of the page's policy",
  async (name, state) => {
    const studio = state === "empty" ? fresh : full;
    const isBare = "open" in scenes[name];
    const context = isBare
      ? await browser.newContext({
          reducedMotion: "reduce",
          viewport: { width: 1440, height: 900 },
        })
      : await signedIn(studio);
    const page = await context.newPage();
    const breaches = watchPage(page);
    try {
      await open(page, name, state, studio);
      for (const { name: width, ...size } of widths) {
        await page.setViewportSize(size);
        // The layout for a width is drawn in the next frame.
        await page.evaluate(
          () => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))),
        );
        for (const theme of themes) {
          await page.evaluate(
            (value) => document.documentElement.setAttribute("data-theme", value),
            theme,
          );
          await takePicture(page, `${name}-${state}-${width}-${theme}`);
          // A theme changes only colors.
          const rules = theme === "light" ? undefined : ["color-contrast"];
          expect([`${width} ${theme}`, await findBarriers(page, undefined, rules)]).toEqual([
            `${width} ${theme}`,
            [],
          ]);
        }
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - window.innerWidth,
        );
        expect([width, "overflow", overflow <= 0]).toEqual([width, "overflow", true]);
      }
      expect(breaches).toEqual([]);
    } finally {
      for (const route of held.splice(0)) await route.abort().catch(() => undefined);
      await page.close();
      if (isBare) await context.close();
    }
  },
);

type Overlay = { path: (studio: Seeded) => string; open: (page: Page) => Promise<unknown> };
const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true }).first();
/** Presses a button that opens an element with this role. */
const opens =
  (name: string | RegExp, role: "dialog" | "menu") =>
  async (page: Page): Promise<void> => {
    await button(page, name).click();
    await page.getByRole(role).first().waitFor();
  };
const presses = (keys: string) => async (page: Page) => {
  await page.locator("h1").first().click();
  await page.keyboard.press(keys);
  await page.getByRole("dialog").waitFor();
};
const chat = (studio: Seeded) => `/chat/${studio.conversationId}`;
const viewer = ({ assetId }: Seeded) => `/library/${assetId}`;

/** Overlays over a screen, or in its place. */
const overlays: Record<string, Overlay> = {
  palette: { path: () => "/", open: presses("ControlOrMeta+k") },
  keys: { path: () => "/library", open: presses("?") },
  projects: { path: () => "/", open: opens(/^Project: /, "menu") },
  "chat settings": { path: chat, open: opens("Conversation settings", "dialog") },
  "chat model": { path: chat, open: opens(/^Model: /, "dialog") },
  attach: { path: chat, open: opens("Attach files", "menu") },
  export: {
    path: chat,
    async open(page) {
      await page
        .getByRole("button", { name: /^Actions for A cover/ })
        .last()
        .click();
      await page.getByRole("menuitem", { name: "Export conversation" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  connect: { path: () => "/admin/connections", open: opens("Add connection", "dialog") },
  person: { path: () => "/admin/people", open: opens("Add person", "dialog") },
  key: { path: () => "/settings/keys", open: opens("New key", "dialog") },
  budget: { path: () => "/admin/budgets", open: opens("Set budget", "dialog") },
  filter: { path: () => "/library", open: opens("Filter", "menu") },
  viewer: { path: viewer, open: (page) => button(page, "Keep").waitFor() },
  editor: {
    path: viewer,
    async open(page) {
      await button(page, "Edit").click();
      await page.getByRole("radio", { name: "Crop" }).waitFor();
    },
  },
};

it("dialogs and menus over a screen have no axe violation, wide and narrow, light and dark, and log nothing to the console", async () => {
  const page = await (await signedIn(full)).newPage();
  const breaches = watchPage(page);
  try {
    for (const [name, { path, open: openOverlay }] of Object.entries(overlays)) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(`${full.url}${path(full)}`);
      await page.waitForLoadState("networkidle");
      await openOverlay(page);
      for (const { name: width, ...size } of widths) {
        await page.setViewportSize(size);
        for (const theme of themes) {
          await page.evaluate(
            (value) => document.documentElement.setAttribute("data-theme", value),
            theme,
          );
          await takePicture(page, `${name}-${width}-${theme}`);
          const rules = theme === "light" ? undefined : ["color-contrast"];
          expect([name, width, theme, await findBarriers(page, undefined, rules)]).toEqual([
            name,
            width,
            theme,
            [],
          ]);
        }
      }
    }
    expect(breaches).toEqual([]);
  } finally {
    await page.close();
  }
});
