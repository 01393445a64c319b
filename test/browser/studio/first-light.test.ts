import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset, ModelRef, Run } from "#contract/entities.ts";
import { startFal } from "../../simulators/fal.ts";
import { startOllama } from "../../simulators/ollama.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { type Studio, startStudio } from "../../support/browser/studio-in-browser.ts";
import { until } from "../../support/server/instance.ts";
import { createTempFolder } from "../../support/temp.ts";

/** A newcomer's first session: with the built-in models, then with connected services. */
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
  ({ page } = await studio.openSignedOut(browser));
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

/** The model with that id, or one whose name begins with it. */
async function modelNamed(id: string): Promise<ModelRef> {
  const { models } = await studioGet<{ models: ModelRef[] }>(
    `/models?projectId=${await projectId()}&search=${encodeURIComponent(id)}`,
  );
  return models.find((candidate) => candidate.modelId === id)!;
}

/** Fills Create's form for a model, makes one result, and waits until it is saved. */
async function makeOne(
  modelId: string,
  task: string,
  field: string,
  words: string,
): Promise<Asset> {
  const before = (await assets()).length;
  const { connectionId } = await modelNamed(modelId);
  await page.goto(`/create?task=${task}&model=${connectionId}/${modelId}`);
  await page.getByLabel(field, { exact: true }).fill(words);
  await page.getByRole("button", { name: /^Make 1 / }).click();
  return (await untilAssets(before + 1))[0]!;
}

const photo = (type: "jpeg" | "png"): Promise<Buffer> =>
  sharp({ create: { width: 200, height: 150, channels: 3, background: "#3e5c6b" } })
    .toFormat(type)
    .toBuffer();

/** Attaches a file to the message being written, and waits until it is uploaded. */
async function attach(name: string, mimeType: string, buffer: Buffer): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Attach files" }).click();
  await page.getByRole("menuitem", { name: "From this device" }).click();
  await (await chooser).setFiles({ name, mimeType, buffer });
  await page.getByRole("button", { name: `Remove ${name}` }).waitFor();
  await page.getByRole("progressbar", { name: /Uploading/ }).waitFor({ state: "detached" });
}

const studioGet = <T>(path: string): Promise<T> =>
  page.evaluate(async (address) => (await fetch(`/api/v1${address}`)).json(), path) as Promise<T>;
const projectId = async (): Promise<string> =>
  (await studioGet<{ projects: { id: string }[] }>("/me")).projects[0]!.id;
const assets = async (): Promise<Asset[]> =>
  (await studioGet<{ assets: Asset[] }>(`/assets?projectId=${await projectId()}&limit=200`)).assets;
async function untilAssets(count: number): Promise<Asset[]> {
  try {
    return await until(
      `${count} assets`,
      async () => {
        const found = await assets();
        return found.length >= count && found;
      },
      untilAssetsMs,
    );
  } catch (error) {
    throw new Error(`${count} assets did not come: ${await whatIsThere()}`, { cause: error });
  }
}
/** For the reader of a failure: the runs and the page's text. */
async function whatIsThere(): Promise<string> {
  const { runs } = await studioGet<{ runs: Run[] }>(
    `/runs?projectId=${await projectId()}&limit=200`,
  );
  const told = runs.map(({ modelId, state, error }) =>
    [modelId, state, error?.message].filter(Boolean).join(" "),
  );
  return JSON.stringify({ runs: told, page: await page.locator("body").textContent() });
}

it("the first start's link creates the owner and a first project", async () => {
  await page.goto(`/setup#code=${studio.setupCode}`);
  await page.getByLabel("Your name").fill("Ada");
  await page.getByLabel("Email").fill("ada@example.org");
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
  await page.getByText("No model servers or provider keys were found.").waitFor();
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL(`${studio.url}/`);
  expect(page.url()).not.toContain("code");
});

it("the guide answers from the manual, and the answer survives a reload", async () => {
  await page.goto("/chat");
  await ask("What is a run?");
  await answers().getByText("A run is one call of one model with one input").waitFor();
  await page.reload();
  await answers().getByText("A run is one call of one model with one input").waitFor();
  await answers().getByText("not a language model").first().waitFor();
});

it("a picture is made and opened, four variants of it are made, one is upscaled, and a sentence is spoken", async () => {
  const picture = await makeOne("pattern", "image", "Prompt", "boathouse arches at low tide");
  expect(picture.kind).toBe("image");
  await page.locator("img").first().waitFor();
  const input = { prompt: "four tides", image_size: { width: 96, height: 64 } };
  await post("/runs", {
    projectId: await projectId(),
    models: [await modelNamed("pattern")],
    task: "image",
    input,
    variants: 4,
  });
  const small = (await untilAssets(5)).find((asset) => asset.title === "four tides")!;
  await page.goto(`/create?task=upscale&asset=${small.id}`);
  await page.getByRole("button", { name: /^Make 1 picture/ }).click();
  await untilAssets(6);
  expect((await makeOne("voice", "speech", "Text", "The tide turns at four.")).kind).toBe("audio");
});

it("a photo dropped on the page is saved and can be cropped", async () => {
  await page.goto("/create");
  await page.getByRole("button", { name: /^Make / }).waitFor();
  await dropFile("photo.jpg", "image/jpeg", await photo("jpeg"));
  await page.getByRole("button", { name: "Crop" }).first().click();
  await page.getByRole("button", { name: /^Make 1 picture/ }).click();
  await untilAssets(9);
});

it("everything is in the library with its recipe; made again it is the same file, varied a different one", async () => {
  // Its upscaled version has the same title and is larger.
  const made = (await assets()).find(({ title, width }) => title === "four tides" && width === 96)!;
  await page.goto(`/library/${made.id}`);
  await page.getByText("four tides").first().waitFor();
  await page.getByRole("button", { name: "Make again" }).click();
  const again = await untilAssets(10);
  expect(again.filter((asset) => asset.sha256 === made.sha256)).toHaveLength(2);
  await page.getByRole("button", { name: "Vary" }).click();
  const varied = await untilAssets(14);
  expect(new Set(varied.slice(0, 4).map(({ sha256 }) => sha256)).size).toBe(4);
  expect(varied.slice(0, 4).map(({ sha256 }) => sha256)).not.toContain(made.sha256);
  await page.getByRole("button", { name: "Use as input" }).click();
  await page.waitForURL("**/create*");
  await page.getByText("four tides").first().waitFor();
});

it("an OpenAI-compatible server is added with its key, answers a picture with a text, and resumes after a reload, no character doubled", async () => {
  await connectInAdmin(
    "OpenAI-compatible",
    { "Base URL": openai.url, "API key": openai.key },
    "Simulated",
  );
  await page.goto("/chat");
  await pickChatModel("sim-vision");
  await attach("harbour.png", "image/png", await photo("png"));
  await attach("tides.md", "text/markdown", Buffer.from("High at noon."));
  openai.script({
    text: ["The tide ", "turns ", "at four."],
    gate: { name: "second-half", at: 2 },
  });
  await ask("When does the tide turn?");
  await answers().getByText("The tide turns").waitFor();
  await page.reload();
  await answers().getByText("The tide turns").waitFor();
  openai.open("second-half");
  await answers().getByText("The tide turns at four.", { exact: true }).waitFor();
  const sent = JSON.stringify(openai.posts.at(-1)?.body);
  expect(sent).toContain("data:image/");
  expect(sent).toContain("High at noon.");
});

it("pictures and a sentence are made through the OpenAI-compatible server, one POST each", async () => {
  await connectThroughApi("openai-compatible", "Simulated media", {
    api: openai.url,
    key: openai.key,
    models: JSON.stringify([
      { id: "sim-image", task: "image" },
      { id: "sim-speech", task: "speech" },
    ]),
  });
  await makeOne("sim-image", "image", "Prompt", "a quay, by words");
  await makeOne("sim-speech", "speech", "Text", "The tide turns at four, by wire.");
  const posts = openai.posts.map(({ path }) => path);
  expect(posts.filter((path) => path.endsWith("/images/generations"))).toHaveLength(1);
  expect(posts.filter((path) => path.endsWith("/audio/speech"))).toHaveLength(1);
});

it("fal is added with a key and custom addresses, and makes a picture, four variants, an upscale and a sentence, with their cost", async () => {
  await connectThroughApi("fal", "fal", fal.values);
  const drawn = await makeOne("sim/flux/dev", "image", "Prompt", "a harbour, two inks");
  expect(fal.ledger.postsOf("a harbour, two inks")).toBe(1);
  await page.goto(`/library/${drawn.id}`);
  await page.getByText("$0.025").first().waitFor();
  const before = (await assets()).length;
  const input = { prompt: "four harbours", image_size: { width: 96, height: 64 } };
  const model = await modelNamed("sim/flux/dev");
  await post("/runs", {
    projectId: await projectId(),
    models: [model],
    task: "image",
    input,
    variants: 4,
  });
  await untilAssets(before + 4);
  await page.goto(
    `/create?task=upscale&model=${model.connectionId}/sim/clarity-upscaler&asset=${drawn.id}`,
  );
  await page.getByRole("button", { name: /^Make 1 picture/ }).click();
  await untilAssets(before + 5);
  await makeOne("sim/elevenlabs/tts/eleven-v3", "speech", "Text", "The tide turns at four.");
});

it("a picture from fal is made again by its recipe, varied with another seed, and used as input", async () => {
  const drawn = (await assets()).find((asset) => asset.title === "a harbour, two inks")!;
  const seedOf = async (asset: Asset) => {
    const { run } = await studioGet<{ run: Run }>(`/runs/${asset.runId}`);
    return run.input.seed ?? (run.result as { seed?: number } | null)?.seed;
  };
  const before = (await assets()).length;
  await page.goto(`/library/${drawn.id}`);
  await page.getByRole("button", { name: "Make again" }).click();
  const again = (await untilAssets(before + 1))[0]!;
  expect(await seedOf(again)).toBe(await seedOf(drawn));
  await page.goto(`/library/${drawn.id}`);
  await page.getByRole("button", { name: "Vary" }).click();
  const varied = (await untilAssets(before + 5))[0]!;
  expect(await seedOf(varied)).not.toBe(await seedOf(drawn));
  await page.getByRole("button", { name: "Use as input" }).click();
  await page.waitForURL("**/create*");
  await page.getByText("a harbour, two inks").first().waitFor();
});

it("Ollama is added, answers a picture, and resumes after a reload, no character doubled", async () => {
  await connectThroughApi("ollama", "Ollama", { address: ollama.url });
  await page.goto("/chat");
  await pickChatModel("gemma3");
  await attach("quay.png", "image/png", await photo("png"));
  ollama.script("Which harbour", { tokens: ["It is the old ", "one."], fault: "hold" });
  await ask("Which harbour is it?");
  await answers().getByText("It is the old").waitFor();
  await page.reload();
  await answers().getByText("It is the old").waitFor();
  ollama.release("Which harbour");
  await answers().getByText("It is the old one.", { exact: true }).waitFor();
});

it("after kill -9 and a new start everything is still there, and the person is signed in", async () => {
  const before = await assets();
  const port = new URL(studio.url).port;
  await studio.kill9();
  studio = await startStudio({ setUp: false, dataFolder, env: { PORT: port } });
  await page.goto("/library");
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  expect((await assets()).map((asset) => asset.sha256)).toEqual(
    before.map((asset) => asset.sha256),
  );
  await page.goto("/chat");
  await page.getByText("What is a run?").first().waitFor();
});

const post = (path: string, body: unknown) =>
  page.evaluate(
    async ([address, sent]) =>
      (
        await fetch(`/api/v1${address}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(sent),
        })
      ).json(),
    [path, body] as const,
  );

async function connectThroughApi(
  kind: string,
  name: string,
  values: Record<string, string>,
): Promise<void> {
  const made = (await post("/connections", { kind, name, scope: "instance", values })) as {
    connection?: unknown;
    detail?: string;
  };
  expect([kind, made.detail ?? "connected"]).toEqual([kind, "connected"]);
}

async function connectInAdmin(
  kind: string,
  fields: Record<string, string>,
  name: string,
): Promise<void> {
  await page.goto("/admin/connections");
  await page.getByRole("button", { name: "Add connection" }).first().click();
  await page
    .getByRole("button", { name: new RegExp(kind) })
    .first()
    .click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  for (const [label, value] of Object.entries(fields))
    await page.getByLabel(label).first().fill(value);
  await page.getByRole("button", { name: "Check and connect" }).click();
  await page.getByText(new RegExp(`Connected ${name}`)).waitFor();
}

async function dropFile(name: string, type: string, bytes: Buffer): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([fileName, mime, base64]) => {
      const data = new DataTransfer();
      data.items.add(
        new File(
          [Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))],
          fileName,
          { type: mime },
        ),
      );
      return data;
    },
    [name, type, bytes.toString("base64")] as const,
  );
  for (const event of ["dragenter", "dragover", "drop"])
    await page.dispatchEvent("main", event, { dataTransfer: transfer });
}
