import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { Run } from "#contract/entities.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import { startS3 } from "../../simulators/s3/s3.ts";
import { thread } from "../../support/browser/chat-in-browser.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import { connectKind, type Studio, startStudio } from "../../support/browser/studio-in-browser.ts";
import { soon } from "../../support/soon.ts";

/**
 * A run that waits for its next attempt shows why and until when, and can be stopped; a failed one
 * keeps its actions visible.
 */
let browser: Browser;
let studio: Studio;
let openai: Awaited<ReturnType<typeof startOpenAiCompatible>>;
let s3: Awaited<ReturnType<typeof startS3>>;
let connectionId: string;

beforeAll(async () => {
  s3 = await startS3();
  const env = {
    BLOB_URL: s3.url,
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
  };
  [browser, studio, openai] = await Promise.all([
    launchBrowser(),
    startStudio({ env }),
    startOpenAiCompatible(),
  ]);
  const models = JSON.stringify([{ id: "sim-image", task: "image" }]);
  connectionId = await connectKind(studio.api, "openai-compatible", {
    api: openai.url,
    key: openai.key,
    models,
  });
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([studio?.stop(), openai?.stop(), s3?.stop()]);
});

const looks = [
  { viewport: { width: 1440, height: 900 }, colorScheme: "light" },
  { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
] as const;
async function open(look: (typeof looks)[number], address: string): Promise<Page> {
  const { page, context } = await studio.openAs(browser, look);
  onTestFinished(() => context.close());
  await page.goto(address);
  return page;
}
const limited = {
  fault: { kind: "status", status: 429, headers: { "retry-after": "50" } },
} as const;
const runs = async () =>
  (await studio.api.get<{ runs: Run[] }>(`/runs?projectId=${studio.api.projectId}&limit=200`)).runs;
/** A batch of the feed, by its text. */
const batch = (page: Page, title: string): Locator =>
  page.getByRole("region", { name: title, exact: true }).first();
/** Requests a picture, and opens its feed. */
async function openPicture(look: (typeof looks)[number], prompt: string): Promise<Page> {
  const models = [{ connectionId, modelId: "sim-image" }];
  await studio.api.send("POST", "/runs", {
    projectId: studio.api.projectId,
    models,
    task: "image",
    input: { prompt },
  });
  const page = await open(look, "/create");
  if (look.viewport.width < 760) await page.getByRole("radio", { name: "Results" }).check();
  return page;
}

for (const look of looks) {
  const { width } = look.viewport;
  it(`a chat that waits for its next attempt says why and counts down, and Stop ends it there (${width})`, async () => {
    openai.script(limited);
    const { conversation } = await studio.api.send<{ conversation: { id: string } }>(
      "POST",
      "/conversations",
      {
        projectId: studio.api.projectId,
      },
    );
    const ask = { model: { connectionId, modelId: "sim-chat" } };
    await studio.api.send("POST", `/conversations/${conversation.id}/messages`, {
      parentId: null,
      text: "are you there",
      ask,
    });
    const page = await open(look, `/chat/${conversation.id}`);
    const timer = thread(page).getByRole("timer");
    await timer.waitFor();
    expect(await timer.textContent()).toMatch(/^in [345]\d s$/);
    await thread(page)
      .getByText(/The provider’s rate limit was reached\./)
      .waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await thread(page).getByRole("button", { name: "Stop", exact: true }).click();
    await thread(page).getByText("You stopped this answer.").waitFor();
    await soon(async () => (await runs())[0]!.state).toBe("cancelled");
  });

  it(`a picture that waits for its next attempt says why and counts down on its tile, and Stop ends it there (${width})`, async () => {
    openai.script(limited);
    const page = await openPicture(look, `a patient door ${width}`);
    const tile = batch(page, `a patient door ${width}`);
    await tile.getByRole("timer").waitFor();
    expect(await tile.getByRole("timer").textContent()).toMatch(/^in [345]\d s$/);
    await tile.getByText(/The provider’s rate limit was reached\./).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await tile.getByRole("button", { name: "Stop", exact: true }).click();
    await tile.getByText("Canceled", { exact: true }).waitFor();
  });

  it(`a picture that can't be stored says why, on its tile, in Activity and on Home (${width})`, async () => {
    onTestFinished(() => s3.stopFailing());
    s3.failNext({ operation: "PutObject", mode: "refuse", times: Number.POSITIVE_INFINITY });
    const page = await openPicture(look, `a door in the rain ${width}`);
    const why = "The file storage failed (InternalError).";
    const tile = batch(page, `a door in the rain ${width}`);
    await tile.getByText(why).waitFor();
    await tile.getByText("Saving results", { exact: true }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const row = page.getByRole("listitem").filter({ hasText: `a door in the rain ${width}` });
    // Home shows active runs as tiles.
    for (const [address, place] of [
      ["/activity", row],
      ["/", page.getByRole("region", { name: "Now" })],
    ] as const) {
      await page.goto(address);
      await place.getByText(why).waitFor();
      expect(await findBarriers(page)).toEqual([]);
    }
    s3.stopFailing();
    await soon(async () => (await runs())[0]!.state).toBe("succeeded");
  });

  it(`a provider's long error leaves the tile's actions visible (${width})`, async () => {
    const message = `CUDA out of memory. ${"Tried to allocate 2.50 GiB on a device that has less than that free. ".repeat(8)}`;
    openai.script({ fault: { kind: "status", status: 400, body: { error: { message } } } });
    const page = await openPicture(look, `a heavy door ${width}`);
    const tile = batch(page, `a heavy door ${width}`).locator("[data-state=failed]");
    const way = tile.getByRole("button", { name: "Edit and retry" });
    await way.waitFor();
    await way.scrollIntoViewIfNeeded();
    const [outer, inner] = [await tile.boundingBox(), await way.boundingBox()];
    expect(inner!.y + inner!.height).toBeLessThanOrEqual(outer!.y + outer!.height);
    expect(
      await tile
        .locator("> div")
        .first()
        .evaluate((words) => words.scrollHeight - words.clientHeight),
    ).toBeLessThanOrEqual(0);
  });
}
