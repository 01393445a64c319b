import type { Browser, BrowserContext, Page, Route } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { errors } from "#contract/errors.ts";
import { type ScreenName, screenNames } from "#contract/screens.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { button } from "../../support/browser/locators.ts";
import { findFaultsInLooks } from "../../support/browser/looks.ts";
import { leaveOutEarly, scriptsOf, startScriptsKb } from "../../support/browser/start-scripts.ts";
import { watchPage } from "../../support/browser/strict-page.ts";
import {
  type Api,
  builtinConnection,
  type Studio,
  startStudio,
} from "../../support/browser/studio-in-browser.ts";

const states = ["much", "empty", "loading", "error"] as const;
type State = (typeof states)[number];

/** For the shell's screens: the address in a studio. For bare ones: how to produce each state. */
type Scene =
  | { path: (studio: Seeded) => string }
  | { open: (page: Page, state: State, studio: Seeded) => Promise<void> };
type Seeded = Studio & { conversationId?: string; joinToken?: string };

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

async function seed(api: Api): Promise<Pick<Seeded, "conversationId" | "joinToken">> {
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
  await Promise.all(uploads);
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
    title: errors.internal.text,
    status: 500,
    code: "internal",
    detail: errors.internal.text,
    advice: errors.internal.advice,
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
  if (state === "error") {
    await page.getByRole("alert").first().waitFor();
    await button(page, "Try again").first().waitFor();
  }
  expect(await page.getByText("Page not found").count(), "the screen exists").toBe(0);
  if (state === "much" || state === "empty") await page.waitForLoadState("networkidle");
}

it.each(screenNames.flatMap((name) => states.map((state) => [name, state] as const)))(
  "%s, %s: wide and narrow, light and dark, without an axe violation, an overflow or a violation of the page's policy, and without more scripts at the start than allowed",
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
      if (state === "empty") await page.addInitScript(leaveOutEarly);
      await open(page, name, state, studio);
      if (state === "empty") {
        const kb = await scriptsOf(page);
        expect(kb, `KB of scripts at the start of ${name}`).toBeLessThanOrEqual(startScriptsKb);
      }
      expect(await findFaultsInLooks(page, `${name}-${state}`)).toEqual([]);
      expect(breaches).toEqual([]);
    } finally {
      for (const route of held.splice(0)) await route.abort().catch(() => undefined);
      await page.close();
      if (isBare) await context.close();
    }
  },
);
