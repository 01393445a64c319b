import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type OpenAiCompatible,
  startOpenAiCompatible,
} from "../../simulators/openai-compatible.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { button } from "../../support/browser/locators.ts";
import { findBarriers, keepStrict } from "../../support/browser/strict-page.ts";
import { connectKind, type Studio, startStudio } from "../../support/browser/studio-in-browser.ts";
import { createTempFolder } from "../../support/temp.ts";

/** A project's connection is shown to its managers, who can edit it, wherever its models are. */
let browser: Browser;
let studio: Studio;
let openai: OpenAiCompatible;
let connectionId: string;
let dataFolder: string;

beforeAll(async () => {
  dataFolder = createTempFolder("studio");
  [browser, studio, openai] = await Promise.all([
    launchBrowser(),
    startStudio({ dataFolder }),
    startOpenAiCompatible(),
  ]);
  connectionId = await connectKind(
    studio.api,
    "openai-compatible",
    { api: openai.url, key: openai.key },
    "Ours",
  );
  giveTo(studio.api.projectId, connectionId);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([studio?.stop(), openai?.stop()]);
});

/**
 * A project's connections can't reach this machine, where the simulator is, so the connection is
 * moved to the project after it is added.
 */
function giveTo(projectId: string, id: string): void {
  // The server writes as well.
  const db = new DatabaseSync(join(dataFolder, "bottega.db"), { timeout: 10_000 });
  db.prepare("update connection set scope = 'project', scope_id = ? where id = ?").run(
    projectId,
    id,
  );
  db.close();
}

it("a project's models are counted, found and described next to everyone's, and their fix links to the project", async () => {
  const { page } = await studio.openAs(browser);
  keepStrict(page);
  await page.goto("/models");
  const pane = page.getByRole("navigation").filter({ hasText: "All connections" });
  await pane.getByRole("link", { name: /^Ours/ }).click();
  await page
    .getByRole("region", { name: "Not used here yet" })
    .getByRole("link", { name: /sim-chat/ })
    .click();
  await page.getByText("Hosted service").or(page.getByText("Your machine or network")).waitFor();
  await button(page, "Edit details").waitFor();

  await studio.api.send("POST", `/connections/${connectionId}/check`).catch(() => undefined);
  await page.goto("/");
  await page.getByRole("button", { name: "Review", exact: true }).click();
  await page.getByRole("heading", { name: "Ours is failing" }).waitFor();
  await page.getByRole("link", { name: "Open connection Ours" }).click();
  await page.waitForURL(
    new RegExp(`/projects/${studio.api.projectId}\\?.*connection=${connectionId}`),
  );
  await page.getByRole("complementary", { name: "Ours" }).getByText("Failing").waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

it("an answer and its run link to the fix in their project, whichever project is open", async () => {
  const { api } = studio;
  const theirs = await connectKind(
    api,
    "openai-compatible",
    { api: openai.url, key: openai.key },
    "Theirs",
  );
  await api.send("PATCH", `/connections/${theirs}`, { values: { key: "wrong-key-of-theirs" } });
  const { project } = await api.send<{ project: { id: string } }>("POST", "/projects", {
    name: "Almanac",
  });
  const { conversation } = await api.send<{ conversation: { id: string } }>(
    "POST",
    "/conversations",
    { projectId: project.id },
  );
  const { run } = await api.send<{ run: { id: string } }>(
    "POST",
    `/conversations/${conversation.id}/messages`,
    {
      parentId: null,
      text: "Is anybody there?",
      attachments: [],
      idempotencyKey: crypto.randomUUID(),
      ask: { model: { connectionId: theirs, modelId: "sim-chat" }, settings: {} },
    },
  );
  const errorOf = async () =>
    (await api.get<{ run: { error: { code: string } | null } }>(`/runs/${run.id}`)).run.error?.code;
  await expect.poll(errorOf).toBe("provider_auth");
  giveTo(project.id, theirs);
  const { page } = await studio.openAs(browser);
  keepStrict(page);
  for (const address of [`/chat/${conversation.id}`, `/activity/${run.id}`]) {
    await page.goto(address);
    await page.getByRole("link", { name: "Open connection Theirs" }).click();
    await page.waitForURL(new RegExp(`/projects/${project.id}\\?.*connection=${theirs}`));
  }
});
