import { cpSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Run } from "#contract/entities.ts";
import { type FalSimulator, startFal } from "../../simulators/fal.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import { signInWith, startStudio } from "../../support/browser/studio-in-browser.ts";
import { until } from "../../support/server/instance.ts";
import { type ServerProcess, startServer } from "../../support/server/server-process.ts";
import { createTempFolder } from "../../support/temp.ts";

/** A copied Bottega as a person sees it: runs queued in the original wait for approval. */
let browser: Browser;
let fal: FalSimulator;
let copy: ServerProcess;
let page: Page;
let runs: Run[];
let cookie: string;

beforeAll(async () => {
  const dataFolder = createTempFolder("original");
  const [opened, simulator, studio] = await Promise.all([
    launchBrowser(),
    startFal(),
    startStudio({ dataFolder }),
  ]);
  [browser, fal] = [opened, simulator];
  const values = { ...fal.values, mediaPlaces: 1 };
  const { connection } = await studio.api.send<{ connection: { id: string } }>(
    "POST",
    "/connections",
    {
      kind: "fal",
      name: "fal",
      scope: "instance",
      values,
    },
  );
  const ask = async (prompt: string): Promise<Run> => {
    const models = [{ connectionId: connection.id, modelId: "sim/flux/dev" }];
    const body = { projectId: studio.api.projectId, models, task: "image", input: { prompt } };
    return (await studio.api.send<{ runs: Run[] }>("POST", "/runs", body)).runs[0]!;
  };
  const first = await ask("in the original [sim:hold]");
  await until(
    "the first is at the provider",
    async () => (await studio.api.get<{ run: Run }>(`/runs/${first.id}`)).run.state !== "queued",
  );
  runs = [await ask("a blue door"), await ask("a red door"), await ask("a green door")];
  await studio.stop();
  const elsewhere = createTempFolder("copy");
  cpSync(dataFolder, elsewhere, { recursive: true });
  copy = await startServer({ dataFolder: elsewhere });
  cookie = studio.api.cookie;
  const context = await browser.newContext({
    baseURL: copy.url,
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
  });
  await signInWith(context, copy.url, cookie);
  page = await context.newPage();
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([copy?.stop(), fal?.stop()]);
});

const runOf = async (id: string): Promise<Run> => {
  const response = await fetch(`${copy.url}/api/v1/runs/${id}`, { headers: { cookie } });
  return ((await response.json()) as { run: Run }).run;
};
const button = (name: string) => page.getByRole("button", { name, exact: true });
const violations = (): Promise<string[]> => findBarriers(page);

it("Home says that runs need approval after a copy, and links to them", async () => {
  await page.goto("/");
  await button("Review").click();
  const card = page.getByRole("article").filter({ hasText: "3 runs need approval" });
  await card.getByText("This database was copied or moved.").waitFor();
  await button("Resume all 3").waitFor();
  expect(await violations()).toEqual([]);
  await card.getByRole("link", { name: "Review runs" }).click();
  await page.getByRole("heading", { name: /^Needs approval/ }).waitFor();
});

it("Home and Activity explain each reason and what to do", async () => {
  const reasons = [
    ["restore", /restored from a backup.*Check at the provider/],
    ["copy", /copied or moved.*Stop that server/],
    ["overtaken", /took over the files.*Stop that server/],
  ] as const;
  await page.route("**/api/v1/runs?*", async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { runs: Run[] };
    for (const run of body.runs) {
      const index = runs.findIndex(({ id }) => id === run.id);
      if (index >= 0) run.waitingFor = reasons[index]![0];
    }
    await route.fulfill({ response, json: body });
  });
  for (const path of ["/", "/activity"]) {
    await page.goto(path);
    if (path === "/") await button("Review").click();
    for (const [, sentence] of reasons) await page.getByText(sentence).waitFor();
    expect(await violations()).toEqual([]);
  }
  await page.unroute("**/api/v1/runs?*");
});

it("a waiting run says why, and continues or ends by a person's decision", async () => {
  await page.goto(`/activity/${runs[0]!.id}`);
  await page.getByText("Stop that server before you resume it here").waitFor();
  expect(await violations()).toEqual([]);
  await button("Cancel run").click();
  await until("it is cancelled", async () => (await runOf(runs[0]!.id)).state === "cancelled");
  await page.goto("/activity");
  await button("Resume a red door").waitFor();
  expect(await violations()).toEqual([]);
  expect(await runOf(runs[1]!.id)).toMatchObject({ state: "queued", waitingFor: "copy" });
  await button("Resume all 2").click();
  await page.getByText("Resumed 2 runs").first().waitFor();
  await page.getByRole("heading", { name: /^Needs approval/ }).waitFor({ state: "detached" });
  expect(await runOf(runs[2]!.id)).toMatchObject({ waitingFor: null });
});

it("a run over an approval budget is decided on Home by the budget's creator, without seeing its content", async () => {
  const send = (path: string, method: string, body: unknown) =>
    fetch(`${copy.url}/api/v1${path}`, {
      method,
      headers: { cookie, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const setting = {
    scope: "instance",
    scopeIds: [null],
    period: "total",
    timeZone: "UTC",
    onLimit: "ask",
  };
  await send("/admin/budgets", "PUT", { ...setting, limitMicros: 0 });
  const { projectId, connectionId, modelId } = await runOf(runs[0]!.id);
  const ask = async (prompt: string): Promise<Run> => {
    const input = { prompt, image_size: { width: 64, height: 64 } };
    const made = await send("/runs", "POST", {
      projectId,
      models: [{ connectionId, modelId }],
      task: "image",
      input,
    });
    return ((await made.json()) as { runs: Run[] }).runs[0]!;
  };
  const [allowed, refused] = [await ask("a secret door"), await ask("another secret door")];
  expect(await runOf(allowed.id)).toMatchObject({ state: "queued", waitingFor: "admin" });
  // Each page has one row, as if there were more than a page holds.
  await page.route("**/api/v1/waiting*", (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set("limit", "1");
    return route.continue({ url: url.href });
  });
  await page.goto("/");
  const cards = page
    .getByRole("article")
    .filter({ hasText: "Ada Lovelace requests a run over budget, at most $0.025" });
  await page.getByText("2 runs need approval").waitFor();
  await button("Review").click();
  await cards.first().waitFor();
  expect(await cards.count()).toBe(1);
  await button("Show more: Runs that need approval").click();
  await until("both are there", async () => (await cards.count()) === 2);
  expect(await cards.first().textContent()).not.toContain("secret");
  expect(await violations()).toEqual([]);
  await cards.first().getByRole("button", { name: "Approve" }).click();
  await until("it may go on", async () => (await runOf(allowed.id)).waitingFor === null);
  await until("one is left", async () => (await cards.count()) === 1);
  await cards.first().getByRole("button", { name: "Decline" }).click();
  await until("it is refused", async () => (await runOf(refused.id)).state === "cancelled");
  await send("/admin/budgets", "PUT", { ...setting, limitMicros: null });
});
