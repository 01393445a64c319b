import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset, Conversation, Message, Run } from "#contract/entities.ts";
import { type FalSimulator, startFal } from "../../simulators/fal.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { drawn, openSlowly, watchShifts } from "../../support/browser/late-answers.ts";
import {
  builtinConnection,
  connectKind,
  type Studio,
  startStudio,
} from "../../support/browser/studio-in-browser.ts";
import { until } from "../../support/server/instance.ts";

/**
 * Late content moves nothing on screen (https://web.dev/articles/cls), on a phone and on a wide
 * page.
 */
let browser: Browser;
let studio: Studio;
let fal: FalSimulator;
let conversation: Conversation;
let assets: Asset[];
let comparisonId: string;
let builtinId: string;

beforeAll(async () => {
  [browser, studio, fal] = await Promise.all([launchBrowser(), startStudio(), startFal()]);
  const { api } = studio;
  const { projectId } = api;
  const connectionId = await builtinConnection(api);
  builtinId = connectionId;
  const falId = await connectKind(api, "fal", fal.values);
  const isDone = async ({ id }: Run) =>
    (await api.get<{ run: Run }>(`/runs/${id}`)).run.state === "succeeded";
  // Large enough that a shift is measured.
  for (const prompt of ["hills", "reeds", "dunes"]) {
    const { runs } = await api.send<{ runs: Run[] }>("POST", "/runs", {
      projectId,
      models: [{ connectionId, modelId: "pattern" }],
      task: "image",
      input: { prompt, image_size: { width: 480, height: 720 } },
    });
    await until(`${prompt} are drawn`, () => isDone(runs[0]!));
  }
  // One run that is active while the pages open, and a batch of several.
  await api.send("POST", "/runs", {
    projectId,
    models: [{ connectionId: falId, modelId: "sim/flux/dev" }],
    task: "image",
    input: { prompt: "a slow tide [sim:hold]" },
    variants: 3,
  });
  ({ assets } = await api.get<{ assets: Asset[] }>(`/assets?projectId=${projectId}`));
  const compared = await api.send<{ comparison: { id: string } }>("POST", "/comparisons", {
    projectId,
    title: "Which tide?",
    entries: assets.map(({ id }) => ({ assetId: id })),
  });
  comparisonId = compared.comparison.id;
  ({ conversation } = await api.send<{ conversation: Conversation }>("POST", "/conversations", {
    projectId,
  }));
  let parentId: string | null = null;
  for (const text of ["What is a run?", "What is the difference between make again and vary?"]) {
    const said: { answer: Message; run: Run } = await api.send(
      "POST",
      `/conversations/${conversation.id}/messages`,
      { parentId, text, ask: { model: { connectionId, modelId: "guide" } } },
    );
    await until("the guide has answered", () => isDone(said.run));
    parentId = said.answer.id;
  }
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([studio?.stop(), fal?.stop()]);
});

const pages: Record<string, { path: () => string; isWhole: (page: Page) => Promise<void> }> = {
  home: {
    path: () => "/",
    isWhole: (page) => page.getByRole("link", { name: "dunes" }).first().waitFor(),
  },
  activity: {
    path: () => "/activity",
    isWhole: (page) => page.getByRole("link", { name: "dunes" }).first().waitFor(),
  },
  chat: {
    path: () => `/chat/${conversation.id}`,
    isWhole: (page) =>
      page.getByRole("button", { name: "Copy answer", exact: true }).last().waitFor(),
  },
  viewer: {
    path: () => `/library/${assets[1]!.id}`,
    isWhole: (page) => page.getByRole("button", { name: "Keep", exact: true }).waitFor(),
  },
  "models without a sample": {
    path: () => "/models",
    isWhole: (page) => page.getByText("Not used here yet").first().waitFor(),
  },
  model: {
    path: () => `/models/${builtinId}/pattern`,
    async isWhole(page) {
      await page.getByRole("heading", { name: "Made with this model" }).waitFor();
      await page.getByRole("heading", { name: "Price", exact: true }).waitFor();
    },
  },
  create: {
    path: () => "/create",
    isWhole: (page) => page.getByRole("textbox", { name: "Prompt", exact: true }).waitFor(),
  },
  library: {
    path: () => "/library",
    isWhole: (page) => page.getByRole("grid").getByRole("link", { name: "dunes" }).waitFor(),
  },
  draw: {
    path: () => "/draw",
    isWhole: (page) => page.getByRole("application", { name: "Drawing" }).waitFor(),
  },
  compare: {
    path: () => "/compare",
    isWhole: (page) =>
      page
        .getByRole("link", { name: /Which tide/ })
        .first()
        .waitFor(),
  },
  comparison: {
    path: () => `/compare/${comparisonId}`,
    isWhole: (page) => page.getByRole("button", { name: "Result 1 is the best" }).waitFor(),
  },
  run: {
    path: () => `/activity/${assets[1]!.runId}`,
    isWhole: (page) => page.getByText("480 × 720").first().waitFor(),
  },
  usage: {
    path: () => "/usage?scope=instance",
    isWhole: (page) => page.getByRole("table").first().waitFor(),
  },
  docs: { path: () => "/docs", isWhole: (page) => page.locator("h2").first().waitFor() },
  project: {
    path: () => `/projects/${studio.api.projectId}`,
    isWhole: (page) => page.getByText("ada@example.org").first().waitFor(),
  },
  settings: {
    path: () => "/settings/security",
    isWhole: (page) => page.getByText("This device").first().waitFor(),
  },
  people: {
    path: () => "/admin/people",
    isWhole: (page) => page.getByText("ada@example.org").first().waitFor(),
  },
  connections: {
    path: () => "/admin/connections",
    isWhole: (page) => page.getByText("fal").first().waitFor(),
  },
};
const phone = { width: 390, height: 844 };
const wide = { width: 1440, height: 900 };
const openings = [
  ["on a phone", "newest", phone],
  ["on a wide page", "newest", wide],
] as const;
/** These ask for the most at once, so they are also answered in the other order. */
const largest = ["home", "activity", "chat", "viewer", "models without a sample"];
const openingsOf = (name: string) =>
  largest.includes(name) ? [...openings, ["on a phone", "oldest", phone] as const] : openings;

it.each(
  Object.keys(pages).flatMap((name) =>
    openingsOf(name).map((opening) => [name, ...opening] as const),
  ),
)(
  "%s %s: nothing moves when responses are late, the %s first",
  async (name, _, order, viewport) => {
    const { context, page } = await studio.openAs(browser, { viewport });
    const { path, isWhole } = pages[name]!;
    const shifts = await watchShifts(page);
    await page.route(/sample\?.*model=sim%2Fflux%2Fdev$/, (route) =>
      route.fulfill({ status: 404 }),
    );
    await openSlowly(page, path(), order);
    await isWhole(page);
    await drawn(page);
    const sum = await shifts.sum();
    const words = await shifts.words();
    await context.close();
    expect(sum, words).toBeLessThanOrEqual(0.02);
  },
);
