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

beforeAll(async () => {
  [browser, studio, fal] = await Promise.all([launchBrowser(), startStudio(), startFal()]);
  const { api } = studio;
  const { projectId } = api;
  const connectionId = await builtinConnection(api);
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
};
const phone = { width: 390, height: 844 };
const wide = { width: 1440, height: 900 };
const openings = [
  ["on a phone", "oldest", phone],
  ["on a phone", "newest", phone],
  ["on a wide page", "newest", wide],
] as const;

it.each(
  Object.keys(pages).flatMap((name) => openings.map((opening) => [name, ...opening] as const)),
)(
  "%s %s: nothing moves when responses are late, the %s first",
  async (name, _, order, viewport) => {
    const { context, page } = await studio.openAs(browser, { viewport, isNew: true });
    const { path, isWhole } = pages[name]!;
    const shifts = await watchShifts(page);
    await page.route(/sample\?.*model=sim%2Fflux%2Fdev$/, (route) =>
      route.fulfill({ status: 404 }),
    );
    await openSlowly(page, path(), order);
    await isWhole(page);
    await drawn(page);
    expect(await shifts.sum(), await shifts.words()).toBeLessThanOrEqual(0.02);
    await context.close();
  },
);
