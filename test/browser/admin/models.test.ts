import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type FalSimulator, startFal } from "../../simulators/fal.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import {
  builtinConnection,
  connectKind,
  type Studio,
  startStudio,
} from "../../support/browser/studio-in-browser.ts";

/**
 * The catalog, action by action: fal's models through its simulator, and a server with ten
 * thousand.
 */
let browser: Browser;
let studio: Studio;
let fal: FalSimulator;
let falId: string;
let crowd: Server;
let page: Page;
const crowdSize = 10_000;

/** An OpenAI-compatible server that only lists a great many models. */
async function startCrowd(): Promise<{ server: Server; url: string }> {
  const data = Array.from({ length: crowdSize }, (_, index) => ({
    id: `crowd/model-${String(index).padStart(5, "0")}`,
    object: "model",
    name: `Crowd ${String(index).padStart(5, "0")}`,
    context_length: index % 100 === 0 ? 200_000 : 8192,
  }));
  const server = createServer((_request, response) => {
    response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify({ object: "list", data }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

beforeAll(async () => {
  [browser, studio, fal] = await Promise.all([launchBrowser(), startStudio(), startFal()]);
  falId = await connectKind(studio.api, "fal", fal.values);
  ({ page } = await studio.openAs(browser));
});
afterAll(async () => {
  await browser?.close();
  crowd?.closeAllConnections();
  crowd?.close();
  await Promise.all([studio?.stop(), fal?.stop()]);
});

const rows = () => page.getByRole("list", { name: "Models" }).getByRole("listitem");
const search = () => page.getByRole("searchbox", { name: "Search models" });

it("every model of every connection is in one list, with its tasks and price", async () => {
  await page.goto("/models?view=all");
  await rows().filter({ hasText: "Pattern (procedural)" }).filter({ hasText: "free" }).waitFor();
  await rows()
    .filter({ hasText: "Simulated Flux" })
    .filter({ hasText: "$0.025 a megapixel" })
    .first()
    .waitFor();
  await rows().filter({ hasText: "Simulated Kling" }).filter({ hasText: "Video" }).waitFor();
});

it("a search matches words of the name and the description, and the address keeps it", async () => {
  await search().fill("lip-sync");
  await expect.poll(() => rows().count()).toBe(1);
  await page.reload();
  await expect.poll(() => rows().allTextContents()).toHaveLength(1);
  expect(await search().inputValue()).toBe("lip-sync");
});

it("a search without results says so and is cleared with one press", async () => {
  await search().fill("no such model anywhere");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await rows().filter({ hasText: "Simulated Flux" }).first().waitFor();
});

it("the list is filtered by task and by connection", async () => {
  await page
    .getByRole("navigation", { name: "Task" })
    .getByRole("link", { name: /^Speech/ })
    .click();
  await expect.poll(() => rows().count()).toBe(2);
  await page
    .getByRole("navigation", { name: "Connection", exact: true })
    .getByRole("link", { name: /^fal/ })
    .click();
  await expect.poll(() => rows().count()).toBe(1);
  await rows().filter({ hasText: "Simulated voice" }).waitFor();
});

it("a model's page shows its price with its source, its capabilities, and its settings as a table", async () => {
  await page.goto(`/models/${falId}/sim/flux/dev`);
  await page.getByRole("heading", { name: "Simulated Flux" }).waitFor();
  await page.getByText("$0.025 a megapixel").waitFor();
  await page.getByText(/^From 127\.0\.0\.1/).waitFor();
  await page.getByText("Takes a seed").waitFor();
  const steps = page.getByRole("row").filter({ hasText: "num_inference_steps" });
  expect(await steps.textContent()).toMatch(/whole number, 1 to 50.*28/);
  await page.getByText("JSON Schema").click();
  await page
    .getByText('"x-fal-order-properties"')
    .or(page.getByText('"num_inference_steps"'))
    .first()
    .waitFor();
});

it("a model opens from its page in Create's form", async () => {
  await page.getByRole("link", { name: "Use in Create" }).first().click();
  await page.getByRole("button", { name: /^Make \d/ }).waitFor();
  await page.getByRole("button", { name: /Simulated Flux/ }).waitFor();
});

it("a chat model opens from its page in a conversation", async () => {
  await page.goto(`/models/${await builtinConnection(studio.api)}/guide`);
  const link = page.getByRole("link", { name: "Open in Chat" });
  await link.waitFor();
  expect(await link.getAttribute("href")).toContain("/chat?model=");
});

it("an example of a model's own schema goes into Create's form, and the earlier draft can be restored", async () => {
  const prompt = page.getByRole("textbox", { name: "Prompt", exact: true });
  await page.goto(`/create?model=${falId}/sim/flux/dev`);
  await prompt.fill("my own words");
  await page.goto(`/models/${falId}/sim/flux/dev`);
  const example = page.getByRole("listitem").filter({ hasText: "A lighthouse in the fog" });
  await example.getByRole("link", { name: "Use in Create" }).click();
  await expect.poll(() => prompt.inputValue()).toBe("A lighthouse in the fog");
  expect(new URL(page.url()).search).toBe("");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => prompt.inputValue()).toBe("my own words");
});

it("a model's example question goes below the text typed in a new conversation", async () => {
  const composer = page.getByRole("textbox", { name: "Message" });
  await page.goto("/chat");
  await composer.fill("By the way:");
  await page.goto(`/models/${await builtinConnection(studio.api)}/guide`);
  await page
    .getByRole("listitem")
    .filter({ hasText: "What is a run?" })
    .getByRole("button", { name: "Ask in Chat" })
    .click();
  await expect.poll(() => composer.inputValue()).toBe("By the way:\n\nWhat is a run?");
  await page.getByRole("button", { name: /Guide/ }).first().waitFor();
  await composer.fill("");
});

it("a model's page shows files made with it, and links to the library filtered to them", async () => {
  const connectionId = await builtinConnection(studio.api);
  const { projects } = await studio.api.get<{ projects: { id: string }[] }>("/projects");
  const models = [{ connectionId, modelId: "pattern" }];
  await studio.api.send("POST", "/runs", {
    projectId: projects[0]!.id,
    models,
    task: "image",
    input: { prompt: "a made harbour" },
  });
  await page.goto(`/models/${connectionId}/pattern`);
  const madeWith = page.getByRole("link", { name: "a made harbour", exact: true });
  await madeWith.waitFor();
  await page.getByRole("link", { name: "Use in Create: a made harbour" }).click();
  await expect
    .poll(() => page.getByRole("textbox", { name: "Prompt", exact: true }).inputValue())
    .toBe("a made harbour");
  await page.goto(`/models/${connectionId}/pattern`);
  await page.getByRole("link", { name: "Show all" }).click();
  await madeWith.waitFor();
  await page.goto(`/library?model=${connectionId}/crop`);
  await page.getByRole("button", { name: /crop/ }).waitFor();
  expect(await madeWith.count()).toBe(0);
});

it("a missing model is reported", async () => {
  await page.goto(`/models/${falId}/no/such/model`);
  await page
    .getByRole("alert")
    .getByText("This does not exist, or you have no access to it.")
    .waitFor();
});

it("ten thousand models are one list: only the visible rows are rendered, and the search finds the last", async () => {
  const started = await startCrowd();
  crowd = started.server;
  await connectKind(studio.api, "openai-compatible", { api: started.url, key: "none" }, "Crowd");
  await page.goto("/models?view=all");
  await rows().first().waitFor();
  expect(await page.locator("body *").count()).toBeLessThan(1_500);
  const list = page.getByRole("list", { name: "Models" });
  const box = () => list.evaluate((element) => element.parentElement!.scrollHeight);
  const before = await box();
  await list.evaluate((element) =>
    element.parentElement!.scrollTo(0, element.parentElement!.scrollHeight),
  );
  await expect.poll(box).toBeGreaterThan(before);
  await search().fill("crowd 09999");
  await rows().filter({ hasText: "Crowd 09999" }).waitFor();
  expect(await page.locator("body *").count()).toBeLessThan(1_500);
});

it("a filter of the catalog is in the address, survives a reload and is removed with its ×", async () => {
  await page.goto("/models?q=crowd");
  await rows().filter({ hasText: "Crowd 00001" }).waitFor();
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByRole("menuitemcheckbox", { name: "128,000 tokens or more" }).click();
  await rows().filter({ hasText: "Crowd 00100" }).waitFor();
  await page.reload();
  await rows().filter({ hasText: "Crowd 00100" }).waitFor();
  expect(await rows().filter({ hasText: "Crowd 00001" }).count()).toBe(0);
  await page.getByRole("button", { name: "Remove filter “128,000 tokens or more”" }).click();
  await rows().filter({ hasText: "Crowd 00001" }).waitFor();
});

it("a starred model is found among all the others", async () => {
  await page.goto("/models?q=crowd+07777");
  const star = page.getByRole("button", { name: "Star Crowd 07777" });
  await star.click();
  await expect.poll(() => star.getAttribute("aria-pressed")).toBe("true");
  await page.goto("/models");
  await page.getByRole("button", { name: "Starred", exact: true }).click();
  await expect.poll(() => rows().count()).toBe(1);
  await page.reload();
  await rows().filter({ hasText: "Crowd 07777" }).waitFor();
  await rows().getByRole("link").click();
  await page.getByRole("heading", { name: "Crowd 07777" }).waitFor();
  await star.click();
  await page.getByRole("link", { name: "All models" }).click();
  await page.getByText("No matching models").waitFor();
});

it("a person's edit of a model's details applies, with their name, until it is reset", async () => {
  await page.goto("/models?q=simulated+flux");
  await rows().first().getByRole("link").click();
  await page.getByRole("button", { name: "Edit details" }).click();
  const form = page.getByRole("form", { name: "Edit details" });
  await form.getByLabel("Context").fill("many");
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByText("Enter a whole number of tokens").waitFor();
  await form.getByLabel("Context").fill("65,536");
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByText("Partly edited by Ada Lovelace").waitFor();
  await page.getByText("65,536 tokens").waitFor();
  await page.reload();
  await page.getByText("65,536 tokens").waitFor();
  await page.getByRole("button", { name: "Edit details" }).click();
  await form.getByRole("button", { name: "Reset details" }).click();
  await page.getByText("65,536 tokens").waitFor({ state: "detached" });
});

it("a model that a server only names becomes a picture model once a person says so", async () => {
  await page.goto("/models?q=crowd+00042");
  await rows().filter({ hasText: "Crowd 00042" }).getByRole("link").click();
  await page.getByRole("button", { name: "Edit details" }).click();
  const form = page.getByRole("form", { name: "Edit details" });
  await form.getByRole("combobox", { name: "Task" }).click();
  await page.getByRole("option", { name: "Picture" }).click();
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "Use in Create" }).waitFor();
  expect(await page.getByRole("link", { name: "Open in Chat" }).count()).toBe(0);
});

it("a phone has the same filters", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/models?context=128000&q=crowd");
  await rows().filter({ hasText: "Crowd 00100" }).waitFor();
  await page.getByRole("button", { name: "Remove filter “128,000 tokens or more”" }).waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});
