import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { startBedrock } from "../../simulators/bedrock.ts";
import { type FalSimulator, startFal } from "../../simulators/fal.ts";
import { type OllamaSimulator, startOllama } from "../../simulators/ollama.ts";
import {
  type OpenAiCompatible,
  startOpenAiCompatible,
} from "../../simulators/openai-compatible.ts";
import { services } from "../../simulators/presets.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { button, field } from "../../support/browser/locators.ts";
import { findBarriers, keepStrict } from "../../support/browser/strict-page.ts";
import {
  joinStudio,
  type Studio,
  signInWith,
  startStudio,
} from "../../support/browser/studio-in-browser.ts";
import { atUsualPort } from "../../support/server/usual-port.ts";
import { soon } from "../../support/soon.ts";

/** LM Studio's port, which the server checks by itself. */
const lmStudioPort = 1234;

let browser: Browser;
let studio: Studio;
let openai: OpenAiCompatible;
let fal: FalSimulator;
let ollama: OllamaSimulator;

beforeAll(async () => {
  [browser, studio, openai, fal, ollama] = await Promise.all([
    launchBrowser(),
    startStudio(),
    startOpenAiCompatible(),
    startFal(),
    startOllama(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([studio?.stop(), openai?.stop(), fal?.stop(), ollama?.stop()]);
});

async function open(path: string, options: Parameters<Studio["openAs"]>[1] = {}): Promise<Page> {
  const { page } = await studio.openAs(browser, options);
  keepStrict(page);
  await page.goto(path);
  return page;
}
const dialog = (page: Page) => page.getByRole("dialog");
const inspector = (page: Page, name: string) => page.getByRole("complementary", { name });
type Listed = {
  options: Record<string, unknown>;
  id: string;
  name: string;
  status: string;
  hasSecret: boolean;
  models: number;
};
const list = async () =>
  (await studio.api.get<{ connections: Listed[] }>("/connections")).connections;
const find = async (name: string) => (await list()).find((connection) => connection.name === name);
const make = (kind: string, name: string, values: Record<string, string>) =>
  studio.api.send<{ connection: Listed }>("POST", "/connections", {
    kind,
    name,
    scope: "instance",
    values,
  });

async function pickKind(page: Page, kind: RegExp): Promise<Locator> {
  await button(page, "Add connection").first().click();
  await button(dialog(page), kind).click();
  return dialog(page);
}

it("a chosen kind shows only its own fields, with every address folded under Advanced", async () => {
  const page = await open("/admin/connections");
  const form = await pickKind(page, /^fal/);
  const shown = () => form.locator("input").filter({ visible: true });
  await field(form, "API key").waitFor();
  await field(form, "Name").waitFor();
  expect(await shown().count()).toBe(2);
  await form.getByText("Advanced").click();
  expect(await form.locator('input[inputmode="url"]').filter({ visible: true }).count()).toBe(
    Object.keys(fal.addresses).length,
  );
  expect(await findBarriers(page)).toEqual([]);
  await button(form, "All services").click();
  await button(dialog(page), /^OpenAI-compatible/).click();
  await field(dialog(page), "Base URL").waitFor();
});

it("a known service is found by name among many, and connected with just a key", async () => {
  const page = await open("/admin/connections");
  await button(page, "Add connection").first().click();
  const groups = dialog(page).getByRole("list");
  const cards = groups.getByRole("button");
  await cards.first().waitFor();
  await dialog(page)
    .getByRole("list", { name: "Language models" })
    .getByText("Mistral", { exact: true })
    .waitFor();
  expect(await findBarriers(page)).toEqual([]);
  const search = field(dialog(page), "Find a service");
  await search.fill("no such service");
  await dialog(page).getByText("No services match.").waitFor();
  await button(dialog(page), "Add by address").waitFor();
  // Also finds services by what they offer.
  await search.fill("transcripts");
  await dialog(page).getByRole("list", { name: "Pictures, video, sound" }).waitFor();
  await search.fill("perplex");
  await expect.poll(() => cards.count()).toBe(1);
  await search.press("Enter");
  const form = dialog(page);
  await field(form, "API key").waitFor();
  expect(await form.locator("input").filter({ visible: true }).count()).toBe(2);
});

it("a missing field is reported at the field", async () => {
  const page = await open("/admin/connections?add=openai-compatible");
  await button(page, "Check and connect").click();
  await dialog(page).getByText("This field is required.").waitFor();
});

it("a wrong key and a wrong address are reported in a sentence, and the form keeps its values", async () => {
  const page = await open("/admin/connections?add=openai-compatible");
  const form = dialog(page);
  await field(form, "Base URL").fill(openai.url);
  await field(form, "API key").fill("wrong");
  await button(form, "Check and connect").click();
  const key = field(form, "API key");
  await form.getByText("OpenAI-compatible rejected this key.").waitFor();
  await form.getByRole("blockquote", { name: "The provider’s answer" }).waitFor();
  expect(await key.getAttribute("aria-invalid")).toBe("true");
  await soon(() => key.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await form.getByText("HTTP status 401").isVisible()).toBe(false);
  await form.getByText("Details").click();
  await form.getByText("HTTP status 401").waitFor();
  expect(await key.inputValue()).toBe("wrong");
  expect(await key.getAttribute("type")).toBe("password");
  await button(form, "Show API key").click();
  expect(await key.getAttribute("type")).toBe("text");
  expect(await findBarriers(page)).toEqual([]);

  await field(form, "Base URL").fill(`${ollama.url}/site`);
  await button(form, "Check and connect").click();
  await form.getByText("Check the address of the connection.").waitFor();
  expect(await field(form, "Base URL").inputValue()).toBe(`${ollama.url}/site`);
  expect(await find("OpenAI-compatible")).toBeUndefined();
});

it("a key without permissions, and a service without models, are reported with what to do", async () => {
  const missing = "You have insufficient permissions. Missing scopes: api.model.read.";
  let models: object | null = null;
  const service = createServer((_request, response) => {
    response.writeHead(models ? 200 : 403, { "content-type": "application/json" });
    response.end(JSON.stringify(models ?? { error: { message: missing, code: null } }));
  });
  service.listen(0, "127.0.0.1");
  await once(service, "listening");
  onTestFinished(() => void service.close());
  const page = await open("/admin/connections?add=openai-compatible");
  const form = dialog(page);
  const { port } = service.address() as AddressInfo;
  await field(form, "Base URL").fill(`http://127.0.0.1:${port}/v1`);
  await field(form, "API key").fill("sk-restricted");
  await field(form, "Name").fill("Harbour gateway");
  await button(form, "Check and connect").click();
  await form
    .getByText("Harbour gateway refused access with this key. Give it permission to list")
    .waitFor();
  await form.getByText(missing).waitFor();
  models = { object: "list", data: [] };
  await button(form, "Check and connect").click();
  const details = inspector(page, "Harbour gateway");
  await details.getByText("Harbour gateway listed no models for this key.").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  const { id } = (await find("Harbour gateway"))!;
  await studio.api.send("DELETE", `/connections/${id}`);
});

it("a refused field is scrolled into view and focused, however long the form is", async () => {
  const page = await open("/admin/connections?add=fal");
  await page.setViewportSize({ width: 1440, height: 620 });
  const form = dialog(page);
  await field(form, "API key").fill("wrong");
  await form.getByText("Advanced").click();
  const urls = form.locator('input[inputmode="url"]');
  for (const [index, address] of Object.values(fal.addresses).entries())
    await urls.nth(index).fill(address);
  await field(form, "API key").focus();
  await button(form, "Check and connect").click();
  const alert = form.getByRole("alert");
  await alert.waitFor();
  const key = field(form, "API key");
  await soon(() => key.evaluate((element) => element === document.activeElement)).toBe(true);
  const isWhole = async () => {
    const [box, foot] = [
      await alert.boundingBox(),
      await button(form, "Check and connect").boundingBox(),
    ];
    return box!.y + box!.height <= foot!.y;
  };
  await soon(isWhole).toBe(true);
});

it("the form survives a reload, except the key", async () => {
  const page = await open("/admin/connections?add=openai-compatible");
  await field(dialog(page), "Base URL").fill("https://gateway.example/v1");
  await field(dialog(page), "API key").fill("secret-key");
  await page.reload();
  await field(dialog(page), "Base URL").waitFor();
  expect(await field(dialog(page), "Base URL").inputValue()).toBe("https://gateway.example/v1");
  expect(await field(dialog(page), "API key").inputValue()).toBe("");
});

it("an OpenAI-compatible server is connected, the check shows its models, and new chats start with one", async () => {
  const page = await open("/chat");
  const guide = button(page, "Model: Guide. Choose another");
  // The only model is no lasting choice.
  await guide.click();
  await page.getByRole("option", { name: /^Guide/ }).click();
  await page.goto("/admin/connections");
  const form = await pickKind(page, /^OpenAI-compatible/);
  await field(form, "Base URL").fill(openai.url);
  await field(form, "API key").fill(openai.key);
  await field(form, "Name").fill("Studio gateway");
  await button(form, "Check and connect").click();
  await page.getByText("Connected Studio gateway").waitFor();
  const details = inspector(page, "Studio gateway");
  await details.getByText("Works").waitFor();
  await details.getByText("stored, never shown").waitFor();
  await button(details, "Check").click();
  await details.getByText(/2 models\.$/).waitFor();
  await details.getByRole("link", { name: "Show its 2 models" }).waitFor();
  expect(await page.content()).not.toContain(openai.key);
  expect(await findBarriers(page)).toEqual([]);
  await page.goto("/chat");
  await button(page, "Model: sim-chat. Choose another").click();
  await page.getByRole("option", { name: /^Guide/ }).click();
  await guide.waitFor();
  // A link to a model's chat chooses that model, for later chats as well.
  const { id } = (await find("Studio gateway"))!;
  await page.goto(`/models/${id}/owner/sim-vision`);
  await page.getByRole("main").getByRole("link", { name: "Open in Chat" }).click();
  const vision = button(page, "Model: owner/sim-vision. Choose another");
  await vision.waitFor();
  await page.waitForURL((url) => url.search === "");
  await page.reload();
  await vision.waitFor();
});

it("fal is connected through custom addresses, and its models are listed", async () => {
  const page = await open("/admin/connections?add=fal");
  const form = dialog(page);
  await field(form, "API key").fill(fal.key);
  await form.getByText("Advanced").click();
  const urls = form.locator('input[inputmode="url"]');
  for (const [index, address] of Object.values(fal.addresses).entries())
    await urls.nth(index).fill(address);
  await button(form, "Check and connect").click();
  await page.getByText("Connected fal").waitFor();
  await inspector(page, "fal").getByText(fal.addresses.queue, { exact: true }).waitFor();
  expect((await find("fal"))?.models).toBeGreaterThan(5);
});

it("a stored key is replaced in place and checked, and never sent back to the page", async () => {
  const { connection } = await make("openai-compatible", "Keyed", {
    api: openai.url,
    key: openai.key,
  });
  const page = await open(`/admin/connections?connection=${connection.id}`);
  await button(inspector(page, "Keyed"), "New key").click();
  expect(await field(dialog(page), "API key").inputValue()).toBe("");
  await field(dialog(page), "API key").fill("another");
  await button(dialog(page), "Save and check").click();
  await dialog(page).getByText("Keyed rejected this key.").waitFor();
  await field(dialog(page), "API key").fill(openai.key);
  await button(dialog(page), "Save and check").click();
  await page.getByText("Keyed works").waitFor();
  expect((await find("Keyed"))?.status).toBe("ok");
});

it("a connection's number of concurrent runs is set on it, from 1 up", async () => {
  const { connection } = await make("openai-compatible", "Busy", {
    api: openai.url,
    key: openai.key,
  });
  const page = await open(`/admin/connections?connection=${connection.id}`);
  await button(inspector(page, "Busy"), "Edit").click();
  await dialog(page).getByText("Advanced").click();
  const head = dialog(page).getByText("Media runs at once", { exact: true }).locator("..");
  expect(await head.textContent()).toContain("optional");
  await field(dialog(page), "Media runs at once").fill("0");
  await button(dialog(page), "Save and check").click();
  await dialog(page).getByText("Media runs at once: a whole number from 1 to 1000.").waitFor();
  await field(dialog(page), "Media runs at once").fill("2");
  await button(dialog(page), "Save and check").click();
  await page.getByText("Busy works").waitFor();
  expect((await find("Busy"))?.options).toMatchObject({ mediaPlaces: 2 });
});

it("a dialog's note has space before the first field", async () => {
  const page = await open("/settings/connections?add=ollama");
  const note = (await dialog(page)
    .getByText("Your own connections reach public addresses only.")
    .boundingBox())!;
  const label = (await dialog(page).getByText("Address", { exact: true }).boundingBox())!;
  expect(label.y - (note.y + note.height)).toBeGreaterThanOrEqual(12);
});

it("a new address removes the stored key, after a warning", async () => {
  const { connection } = await make("openai-compatible", "Moved", {
    api: openai.url,
    key: openai.key,
  });
  const page = await open(`/admin/connections?connection=${connection.id}`);
  await button(inspector(page, "Moved"), "Edit").click();
  await field(dialog(page), "Base URL").fill(openai.url.replace("127.0.0.1", "localhost"));
  await dialog(page).getByText("Changing the address removes the stored key").waitFor();
  await field(dialog(page), "API key").fill(openai.key);
  expect(await dialog(page).getByText("Changing the address removes the stored key").count()).toBe(
    0,
  );
  await field(dialog(page), "Name").fill("Moved house");
  await button(dialog(page), "Save and check").click();
  await page.getByText("Moved house works").waitFor();
});

it("a connection is disabled at once, undone, and removed only after a confirmation", async () => {
  const { connection } = await make("openai-compatible", "Passing", {
    api: openai.url,
    key: openai.key,
  });
  const page = await open(`/admin/connections?connection=${connection.id}`);
  const details = inspector(page, "Passing");
  await button(details, "Disable").click();
  await details.getByText("Disabled").waitFor();
  await expect.poll(async () => (await find("Passing"))?.status).toBe("disabled");
  await button(page, "Undo").click();
  await button(details, "Disable").waitFor();
  await expect.poll(async () => (await find("Passing"))?.status).toBe("unchecked");
  await button(details, "Remove").click();
  await dialog(page).getByText("Results made with it stay.").waitFor();
  await button(dialog(page), "Remove connection").click();
  await page.getByText("Removed Passing").waitFor();
  expect(await find("Passing")).toBeUndefined();
});

it("a failing connection says why, in the list and next to its fix", async () => {
  const passing = await startOpenAiCompatible();
  const { connection } = await make("openai-compatible", "Gone away", {
    api: passing.url,
    key: passing.key,
  });
  await passing.stop();
  const page = await open(`/admin/connections?connection=${connection.id}`);
  await button(inspector(page, "Gone away"), "Check").click();
  await inspector(page, "Gone away")
    .getByText("Check the address of the connection and the network, then try again.")
    .waitFor();
  await page.getByRole("listitem").filter({ hasText: "Gone away" }).getByText("Failing").waitFor();
});

it("a discovered server that needs a key opens a form with its address and a key field", async () => {
  const key = "sk-lm-of-this-machine";
  const local = await atUsualPort(() =>
    startOpenAiCompatible({ ...services.lmstudio, key, port: lmStudioPort }),
  );
  try {
    const page = await open("/admin/connections");
    const found = page.getByRole("listitem").filter({ hasText: "requires a key" });
    await button(found, "Enter key").click();
    const form = dialog(page);
    await expect.poll(() => field(form, "Address").inputValue()).toBe("http://127.0.0.1:1234/v1");
    await field(form, "API key").fill("wrong");
    await button(form, "Check and connect").click();
    await form.getByText(/rejected this key/).waitFor();
    expect(await findBarriers(page)).toEqual([]);
  } finally {
    await local.stop();
  }
});

it("servers that were discovered are offered to admins and connected with one press", async () => {
  const local = await atUsualPort(() =>
    startOpenAiCompatible({ ...services.lmstudio, port: lmStudioPort }),
  );
  try {
    const page = await open("/admin/connections");
    const found = page
      .getByRole("listitem")
      .filter({ hasText: "answers at http://127.0.0.1:1234/v1" });
    await button(found, "Connect").click();
    await page.getByText("Connected LM Studio").waitFor();
    await inspector(page, "LM Studio").waitFor();
    await expect.poll(() => found.count()).toBe(0);
  } finally {
    await local.stop();
  }
});

it("Ollama pulls a model with its progress, shows models in memory, loads, unloads and deletes one", async () => {
  const { connection } = await make("ollama", "Ollama", { address: ollama.url });
  const page = await open(`/admin/connections?connection=${connection.id}`);
  const details = inspector(page, "Ollama");
  await details.getByText("None. A model loads at its first request.").waitFor();
  const body = JSON.stringify({ model: "nomic-embed-text", input: "tide" });
  expect(
    (
      await fetch(`${ollama.url}/api/embed`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      })
    ).status,
  ).toBe(200);
  await page.reload();
  await details.getByText("2 GB").waitFor();
  await button(details, "Unload nomic-embed-text").click();
  await page.getByText("Unloaded nomic-embed-text").waitFor();
  await details.getByText("None. A model loads at its first request.").waitFor();
  await button(details, "Load qwen3:8b").click();
  await button(details, "Unload qwen3:8b").waitFor();
  await field(details, "Model name").fill("tinyllama");
  await button(details, "Pull").click();
  await page.getByText("Pulled tinyllama").waitFor();
  const models = details.getByRole("list", { name: "Models on this server" });
  await models.getByText("tinyllama").waitFor();
  expect(ollama.models()).toContain("tinyllama:latest");
  await button(models, /^Delete tinyllama/).click();
  await button(dialog(page), "Delete model").click();
  await expect.poll(() => ollama.models()).not.toContain("tinyllama:latest");
  await expect.poll(() => models.getByText("tinyllama").count()).toBe(0);

  await field(details, "Model name").fill("no-such-model");
  await button(details, "Pull").click();
  await details.getByText("pull model manifest: file does not exist").waitFor();
  expect(await field(details, "Model name").inputValue()).toBe("no-such-model");
});

/**
 * A proxy in front of Ollama until the test ends. It passes a pull through up to half of its first
 * layer, and the rest on request.
 */
async function startSlowOllama() {
  // The manifest comes first.
  const lines = 4;
  let goOn: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const state = { isCut: false };
  const server = createServer(async (request, response) => {
    response.on("close", () => {
      state.isCut ||= !response.writableFinished;
    });
    const body =
      request.method === "GET" ? undefined : Buffer.concat(await Array.fromAsync(request));
    const answer = await fetch(`${ollama.url}${request.url}`, { method: request.method, body });
    response.writeHead(answer.status, {
      "content-type": answer.headers.get("content-type") ?? "application/json",
    });
    const text = await answer.text();
    if (request.url !== "/api/pull") return void response.end(text);
    const all = text.split(/(?<=\n)/);
    response.write(all.slice(0, lines).join(""));
    await released;
    response.end(all.slice(lines).join(""));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    goOn();
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    goOn: () => goOn(),
    state,
  };
}

/** Starts a slow pull on its connection's page. */
async function pullSlowly(name: string) {
  const slow = await startSlowOllama();
  const { connection } = await make("ollama", name, { address: slow.url });
  const page = await open(`/admin/connections?connection=${connection.id}`);
  const details = inspector(page, name);
  await field(details, "Model name").fill("tinyllama");
  await button(details, "Pull").click();
  await details.getByText("pulling aaaaaaaaaaaa").waitFor();
  return { slow, page, details };
}

it("a pull's progress is the bytes that the server reported, never a timer", async () => {
  const { slow, page, details } = await pullSlowly("Slow Ollama");
  await details.getByText("500 bytes / 1 kB · 50%").waitFor();
  expect(
    await details
      .getByRole("progressbar", { name: "Pulling tinyllama" })
      .getAttribute("aria-valuenow"),
  ).toBe("50");
  expect(await findBarriers(page)).toEqual([]);
  slow.goOn();
  await page.getByText("Pulled tinyllama").waitFor();
});

it("a canceled pull also ends at the server", async () => {
  const { slow, details } = await pullSlowly("Stopped Ollama");
  await button(details, "Stop").click();
  await button(details, "Pull").waitFor();
  await expect.poll(() => slow.state.isCut).toBe(true);
  expect(await field(details, "Model name").inputValue()).toBe("tinyllama");
});

it("a member's own connections reach no private address, and the admins' are read-only", async () => {
  const { cookie } = await joinStudio(studio, {
    name: "Grace Hopper",
    email: "grace@example.org",
    password: "a staple and a battery",
  });
  const page = await open("/settings/connections");
  await signInWith(page.context(), studio.url, cookie);
  await page.reload();
  await page.getByText("No connections yet").waitFor();
  const form = await pickKind(page, /^OpenAI-compatible/);
  await field(form, "Base URL").fill(openai.url);
  await field(form, "API key").fill(openai.key);
  const postsBefore = openai.connections();
  await button(form, "Check and connect").click();
  await form.getByRole("alert").waitFor();
  expect(openai.connections()).toBe(postsBefore);
  expect(await field(form, "API key").inputValue()).toBe(openai.key);
  await button(form, "Close").click();

  await button(
    page
      .getByRole("region", { name: "Shared by your admins" })
      .or(page.getByRole("list", { name: "Shared by your admins" }))
      .first(),
    /Built in/,
  ).click();
  await page.getByText("An admin manages this connection.").waitFor();
  expect(await button(page, "Remove").count()).toBe(0);
});

it("on a phone a connection opens as a sheet, with every control in reach", async () => {
  const { connection } = await make("openai-compatible", "Pocket", {
    api: openai.url,
    key: openai.key,
  });
  const page = await open(`/admin/connections?connection=${connection.id}`, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await button(dialog(page), "Check").click();
  await dialog(page)
    .getByText(/2 models\.$/)
    .waitFor();
  expect(await findBarriers(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});

it("a service with several ways to sign in shows the fields of the chosen one, and connects with it", async () => {
  const simulator = await startBedrock();
  onTestFinished(() => simulator.stop());
  const page = await open("/admin/connections?add=bedrock");
  const form = dialog(page);
  const shows = async (...labels: string[]) => {
    for (const label of labels) await field(form, label).waitFor();
  };
  await shows("Region", "Access key ID", "Secret access key");
  expect(await field(form, "API key").count()).toBe(0);
  const chooseSignIn = async (name: string) => {
    await form.getByRole("combobox", { name: "Sign in with" }).click();
    await page.getByRole("option", { name, exact: true }).click();
  };
  await chooseSignIn("profile");
  await shows("Profile");
  expect(await field(form, "Secret access key").count()).toBe(0);
  await chooseSignIn("API key");
  await shows("API key");
  expect(await field(form, "Profile").count()).toBe(0);
  expect(await findBarriers(page)).toEqual([]);

  await field(form, "Region").fill(simulator.keys.region);
  await field(form, "Name").fill("Bedrock by API key");
  await form.getByText("Advanced").click();
  const urls = form.locator('input[inputmode="url"]');
  for (let index = 0; index < 4; index++) await urls.nth(index).fill(simulator.url);
  await button(form, "Check and connect").click();
  await form.getByText("This field is required.").waitFor();
  await field(form, "API key").fill(simulator.apiKey);
  await button(form, "Check and connect").click();
  await soon(async () => (await find("Bedrock by API key"))?.status).toBe("ok");
  expect((await find("Bedrock by API key"))!.options).toEqual({
    region: "eu-test-1",
    signIn: "API key",
    textPlaces: null,
    mediaPlaces: null,
  });
});
