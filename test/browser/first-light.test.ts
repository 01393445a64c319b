import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Run } from "#contract/entities.ts";
import { startFal } from "../simulators/fal.ts";
import { startOllama } from "../simulators/ollama.ts";
import { startOpenAiCompatible } from "../simulators/openai-compatible.ts";
import { launchBrowser } from "../support/chromium.ts";
import { type Studio, startStudio } from "../support/studio-in-browser.ts";
import { createTempFolder } from "../support/temp.ts";

/** What a person can do at the end of the first issue, one after the other, as they would: with the built-in models, then with real ones. */
const untilAssetsMs = 60_000;
const dataFolder = createTempFolder("first-light");
let browser: Browser;
let studio: Studio;
let page: Page;
let openai: Awaited<ReturnType<typeof startOpenAiCompatible>>;
let fal: Awaited<ReturnType<typeof startFal>>;
let ollama: Awaited<ReturnType<typeof startOllama>>;

beforeAll(async () => {
  [browser, studio, openai, fal, ollama] = await Promise.all([
    launchBrowser(),
    startStudio({ setUp: false, dataFolder }),
    startOpenAiCompatible(),
    startFal(),
    startOllama(),
  ]);
  const context = await browser.newContext({ baseURL: studio.url, viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
  page = await context.newPage();
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([studio?.stop(), openai?.stop(), fal?.stop(), ollama?.stop()]);
});

const composer = () => page.getByRole("textbox", { name: "Message" });
const answers = () => page.getByRole("main");

async function ask(text: string): Promise<void> {
  await composer().fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

async function pickChatModel(name: string): Promise<void> {
  await page.getByRole("button", { name: /Choose another/ }).click();
  await page.getByPlaceholder("Search models").fill(name);
  await page
    .getByRole("option", { name: new RegExp(name) })
    .first()
    .click();
}

/** Opens Create with a model in the form. */
async function createWith(model: string, task: string): Promise<void> {
  const { models } = await studioGet<{ models: { connectionId: string; modelId: string }[] }>(
    `/models?projectId=${await projectId()}&search=${encodeURIComponent(model)}`,
  );
  const found = models.find((candidate) => candidate.modelId === model)!;
  await page.goto(`/create?task=${task}&model=${found.connectionId}/${found.modelId}`);
  await page.getByRole("button", { name: /^Make / }).waitFor();
}
const studioGet = <T>(path: string): Promise<T> =>
  page.evaluate(async (address) => (await fetch(`/api/v1${address}`)).json(), path) as Promise<T>;
const projectId = async (): Promise<string> => (await studioGet<{ projects: { id: string }[] }>("/me")).projects[0]!.id;
type Asset = { id: string; sha256: string; kind: string; title: string };
const assets = async (): Promise<Asset[]> =>
  (await studioGet<{ assets: Asset[] }>(`/assets?projectId=${await projectId()}&limit=200`)).assets;
async function untilAssets(count: number): Promise<Asset[]> {
  const endMs = Date.now() + untilAssetsMs;
  for (;;) {
    const found = await assets();
    if (found.length >= count) return found;
    if (Date.now() > endMs) throw new Error(`${found.length} assets after a minute, not ${count}: ${await whatIsThere()}`);
    await page.waitForTimeout(50);
  }
}
/** For whoever reads the failure: the runs and what the page says. */
async function whatIsThere(): Promise<string> {
  const { runs } = await studioGet<{ runs: Run[] }>(`/runs?projectId=${await projectId()}&limit=200`);
  const told = runs.map(({ modelId, state, error }) => [modelId, state, error?.message].filter(Boolean).join(" "));
  return JSON.stringify({ runs: told, page: await page.locator("body").textContent() });
}

it("the link of the first start makes the owner and a first project", async () => {
  await page.goto(`/setup#code=${studio.setupCode}`);
  await page.getByLabel("Your name").fill("Ada");
  await page.getByLabel("E-mail").fill("ada@example.org");
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
  await page.getByText("No model server and no provider key was found here.").waitFor();
  await page.getByRole("button", { name: "Make the account" }).click();
  await page.waitForURL(`${studio.url}/`);
  expect(page.url()).not.toContain("code");
});

it("the guide answers out of the manual, and the answer is still there after a reload", async () => {
  await page.goto("/chat");
  await ask("What is a run?");
  await answers().getByText("A run is one call of one model with one input").waitFor();
  await page.reload();
  await answers().getByText("A run is one call of one model with one input").waitFor();
  await answers().getByText("not a language model").first().waitFor();
});

it("a picture is made and seen, four variants of it, one is upscaled, a sentence is spoken", async () => {
  await createWith("pattern", "image");
  await page.getByLabel("Prompt").fill("boathouse arches at low tide");
  await page.getByRole("button", { name: /^Make 1 picture|^Make 4 pictures/ }).click();
  const [picture] = await untilAssets(1);
  await page.locator("img").first().waitFor();
  const id = await projectId();
  const { models } = await studioGet<{ models: { connectionId: string; modelId: string }[] }>(`/models?projectId=${id}&search=pattern`);
  await post("/runs", {
    projectId: id,
    models: [{ connectionId: models[0]!.connectionId, modelId: "pattern" }],
    task: "image",
    input: { prompt: "four tides", image_size: { width: 96, height: 64 } },
    variants: 4,
  });
  const five = await untilAssets(5);
  const small = five.find((asset) => asset.title === "four tides")!;

  await page.goto(`/create?task=upscale&asset=${small.id}`);
  await page.getByRole("button", { name: /^Make 1 picture/ }).click();
  await untilAssets(6);

  await createWith("voice", "speech");
  await page.getByLabel("Text").fill("The tide turns at four.");
  await page.getByRole("button", { name: /^Make 1 recording/ }).click();
  const seven = await untilAssets(7);
  expect(seven.filter((asset) => asset.kind === "audio")).toHaveLength(1);
  expect(picture!.kind).toBe("image");
});

it("a photo that is dropped on the page is kept and can be cropped", async () => {
  await page.goto("/create");
  await page.getByRole("button", { name: /^Make / }).waitFor();
  const photo = await sharp({ create: { width: 200, height: 150, channels: 3, background: "#3e5c6b" } })
    .jpeg()
    .toBuffer();
  await dropFile("photo.jpg", "image/jpeg", photo);
  await page.getByRole("button", { name: "Crop" }).first().click();
  await page.getByRole("button", { name: /^Make 1 picture/ }).click();
  await untilAssets(9);
});

it("everything is in the library with its recipe; made again it is the same file, varied it is another", async () => {
  const made = (await assets()).find((asset) => asset.title === "four tides")!;
  await page.goto(`/library/${made.id}`);
  await page.getByText("four tides").first().waitFor();
  await page.getByRole("button", { name: "Make again" }).click();
  await page.getByText("Made again: the same file, byte for byte").waitFor();
  const again = await untilAssets(10);
  expect(again.filter((asset) => asset.sha256 === made.sha256)).toHaveLength(2);
  await page.getByRole("button", { name: "Vary" }).click();
  const varied = await untilAssets(11);
  expect(varied[0]!.sha256).not.toBe(made.sha256);
  await page.getByRole("link", { name: "Use as input" }).click();
  await page.waitForURL("**/create*");
  await page.getByText("four tides").first().waitFor();
});

it("an OpenAI-compatible server is added with its key, and an answer goes on after a reload in its middle, no character twice", async () => {
  await connectInAdmin("OpenAI-compatible", { "Base URL": openai.url, "API key": openai.key }, "Simulated");
  await page.goto("/chat");
  await pickChatModel("sim-chat");
  openai.script({ text: ["The tide ", "turns ", "at four."], gate: { name: "second-half", at: 2 } });
  await ask("When does the tide turn?");
  await answers().getByText("The tide turns").waitFor();
  await page.reload();
  await answers().getByText("The tide turns").waitFor();
  openai.open("second-half");
  await answers().getByText("The tide turns at four.", { exact: true }).waitFor();
});

it("fal is added with a key and its addresses, and a picture comes through its queue with what it cost", async () => {
  await connectThroughApi("fal", "fal", {
    key: fal.key,
    ...Object.fromEntries(Object.entries(fal.addresses).map(([name, address]) => [`${name}Address`, address])),
  });
  const before = (await assets()).length;
  await createWith("sim/flux/dev", "image");
  await page.getByLabel("Prompt").fill("a harbour, two inks");
  await page.getByRole("button", { name: /^Make 1 picture/ }).click();
  await untilAssets(before + 1);
  expect(fal.ledger.postsOf("a harbour, two inks")).toBe(1);
});

it("Ollama is added, and its model answers", async () => {
  await connectThroughApi("ollama", "Ollama", { address: ollama.url });
  await page.goto("/chat");
  await pickChatModel(ollama.models()[0]!.split(":")[0]!);
  await ask("Say something.");
  await answers()
    .getByText(/token|free/)
    .last()
    .waitFor();
});

it("after kill -9 and a new start everything is there, and one is still signed in", async () => {
  const before = await assets();
  const port = new URL(studio.url).port;
  await studio.kill9();
  studio = await startStudio({ setUp: false, dataFolder, env: { PORT: port } });
  await page.goto("/library");
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  expect((await assets()).map((asset) => asset.sha256)).toEqual(before.map((asset) => asset.sha256));
  await page.goto("/chat");
  await page.getByText("What is a run?").first().waitFor();
});

const post = (path: string, body: unknown) =>
  page.evaluate(
    async ([address, sent]) =>
      (
        await fetch(`/api/v1${address}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(sent) })
      ).json(),
    [path, body] as const,
  );

async function connectThroughApi(kind: string, name: string, values: Record<string, string>): Promise<void> {
  const made = (await post("/connections", { kind, name, scope: "instance", values })) as { connection?: unknown; detail?: string };
  expect([kind, made.detail ?? "connected"]).toEqual([kind, "connected"]);
}

async function connectInAdmin(kind: string, fields: Record<string, string>, name: string): Promise<void> {
  await page.goto("/admin/connections");
  await page.getByRole("button", { name: "Add a connection" }).first().click();
  await page
    .getByRole("button", { name: new RegExp(kind) })
    .first()
    .click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).first().fill(value);
  await page.getByRole("button", { name: "Check and connect" }).click();
  await page.getByText(new RegExp(`${name} is connected`)).waitFor();
}

async function dropFile(name: string, type: string, bytes: Buffer): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([fileName, mime, base64]) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], fileName, { type: mime }));
      return data;
    },
    [name, type, bytes.toString("base64")] as const,
  );
  for (const event of ["dragenter", "dragover", "drop"]) await page.dispatchEvent("main", event, { dataTransfer: transfer });
}
