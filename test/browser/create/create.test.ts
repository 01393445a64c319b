import type { Browser, Frame, Locator, Page, Route } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset, Run } from "#contract/entities.ts";
import { type FalSimulator, startFal } from "../../simulators/fal.ts";
import { scriptOfPart } from "../../support/browser/built-parts.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { holdBack, loseReply } from "../../support/browser/late-answers.ts";
import { watchPage } from "../../support/browser/strict-page.ts";
import { connectKind, type Studio, startStudio } from "../../support/browser/studio-in-browser.ts";
import { soon } from "../../support/soon.ts";

/** Create, action by action: with the built-in models, and with fal's through its simulator. */
let browser: Browser;
let studio: Studio;
let fal: FalSimulator;
let falId: string;
let page: Page;
/** The page's violations and errors. */
let breaches: string[];

beforeAll(async () => {
  [browser, studio, fal] = await Promise.all([launchBrowser(), startStudio(), startFal()]);
  falId = await connectKind(studio.api, "fal", fal.values);
  ({ page } = await studio.openAs(browser, { permissions: ["clipboard-read", "clipboard-write"] }));
  breaches = watchPage(page);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([studio?.stop(), fal?.stop()]);
});

const make = () => page.getByRole("button", { name: /^Make \d/ });
const prompt = () => page.getByRole("textbox", { name: "Prompt", exact: true });
/** A batch of the feed, by its text. */
const batch = (title: string): Locator =>
  page.getByRole("region", { name: title, exact: true }).first();
const pictures = (title: string): Locator => batch(title).locator("a[data-asset]");
/** Opens a result's facts next to the feed. */
async function inspect(tile: Locator): Promise<void> {
  await tile.hover();
  await tile.locator("..").getByRole("button", { name: "Details" }).click();
}
const inspector = () => page.getByRole("complementary", { name: "Details" });

async function open(address: string): Promise<void> {
  await page.goto(address);
  await make().waitFor();
}
const openBuiltin = (task: string) => open(`/create?task=${task}`);
const openFal = (modelId: string, task: string) =>
  open(`/create?task=${task}&model=${falId}/${modelId}`);
/** Unfolds the settings unless they are unfolded already, because the fold stays as it was left. */
async function unfold(): Promise<void> {
  const title = page.locator("summary", { hasText: "Settings" });
  await title.waitFor();
  const folded = page.locator("details:not([open])").filter({ has: title });
  if ((await folded.count()) > 0) await title.click();
}
async function choose(model: string): Promise<void> {
  await page.getByRole("button", { name: "Change model", exact: true }).click();
  await page.getByRole("searchbox", { name: "Search models" }).fill(model);
  await page.getByRole("listitem").filter({ hasText: model }).getByRole("button").first().click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

const listAssets = async () =>
  (await studio.api.get<{ assets: Asset[] }>(`/assets?projectId=${studio.api.projectId}&limit=200`))
    .assets;
const listRuns = async () =>
  (await studio.api.get<{ runs: Run[] }>(`/runs?projectId=${studio.api.projectId}&limit=200`)).runs;
const runsOf = async (words: string) =>
  (await listRuns()).filter((run) => run.input.prompt === words);
async function uploadPicture(name: string, background: string): Promise<string> {
  const bytes = await sharp({ create: { width: 320, height: 240, channels: 3, background } })
    .png()
    .toBuffer();
  return (await studio.api.upload(name, bytes)).id;
}

it("an empty Create explains itself, and its first step fills the form", async () => {
  await openBuiltin("image");
  await page.getByRole("heading", { name: "No results yet" }).waitFor();
  await page.getByRole("button", { name: "Try “quiet hills at dusk”" }).click();
  expect(await prompt().inputValue()).toBe("quiet hills at dusk");
});

it("a missing field is reported at the field before anything is sent", async () => {
  await page.getByRole("button", { name: "Clear form" }).click();
  await make().click();
  await page.getByText("This field is required.").waitFor();
  expect(await prompt().getAttribute("aria-invalid")).toBe("true");
  await soon(() => prompt().evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await listRuns()).toEqual([]);
});

it("a picture is made from a few words, by keyboard, and appears in the feed while it is made", async () => {
  await prompt().fill("quiet hills at dusk");
  await soon(() => make().textContent()).toBe("Make 1 picture, free");
  await prompt().press("ControlOrMeta+Enter");
  await batch("quiet hills at dusk").waitFor();
  await soon(() => pictures("quiet hills at dusk").count()).toBe(1);
  await batch("quiet hills at dusk").getByText("free").waitFor();
});

it("four variants are made with one press, each with its own seed", async () => {
  await prompt().fill("arches along a quay");
  await page.getByRole("slider", { name: "Pictures each" }).fill("4");
  await soon(() => make().textContent()).toBe("Make 4 pictures, free");
  await make().click();
  await soon(() => pictures("arches along a quay").count()).toBe(4);
  const seeds = (await runsOf("arches along a quay")).map((run) => run.input.seed);
  expect(new Set(seeds).size).toBe(4);
});

it("a result shows its recipe; made again it is the same file, varied a different one", async () => {
  await inspect(pictures("quiet hills at dusk").first());
  await inspector().getByText("Pattern (procedural)").waitFor();
  const named = async () =>
    (await listAssets()).filter((asset) => asset.title === "quiet hills at dusk");
  const again = inspector().getByRole("button", { name: "Make again" });
  const lost = loseReply(page, "**/api/v1/runs");
  await again.click();
  await lost;
  await soon(async () => (await named()).length).toBe(2);
  // Asks for the same result, which isn't made a second time.
  const repeated = page.waitForResponse("**/api/v1/runs");
  await again.click();
  expect((await repeated).ok()).toBe(true);
  expect((await named()).length).toBe(2);
  const hashes = async () => new Set((await named()).map((asset) => asset.sha256)).size;
  expect(await hashes()).toBe(1);
  await inspector().getByRole("button", { name: "Vary" }).click();
  await soon(async () => (await named()).length).toBe(6);
  expect(await hashes()).toBe(5);
});

it("a recipe goes back into the form, with its seed", async () => {
  const [first] = await runsOf("arches along a quay");
  await open(`/create?remix=${first!.id}`);
  await soon(() => prompt().inputValue()).toBe("arches along a quay");
  await soon(() =>
    page
      .getByRole("spinbutton", { name: "Seed" })
      .or(page.getByLabel("Seed", { exact: true }))
      .first()
      .inputValue(),
  ).toBe(String(first!.input.seed));
  expect(new URL(page.url()).searchParams.has("remix")).toBe(false);
});

it("the draft is saved on the device over a reload, and shared fields carry over to another model", async () => {
  await prompt().fill("a harbour in two inks");
  await page.reload();
  await soon(() => prompt().inputValue()).toBe("a harbour in two inks");
  await choose("Simulated Ideogram");
  // Inside the fold. The form of the new model may replace one that was unfolded.
  await soon(async () => {
    await unfold();
    return page.getByLabel("Negative prompt").isVisible();
  }).toBe(true);
  expect(await prompt().inputValue()).toBe("a harbour in two inks");
});

it("a result is used as input: cropped from its inspector with a rectangle over all of it, then upscaled", async () => {
  const id = await uploadPicture("small.png", "#c4724a");
  await open(`/create?asset=${id}`);
  await page
    .getByRole("dialog", { name: "What do you want to do with this file?" })
    .getByRole("button", { name: "Crop", exact: true })
    .click();
  await page.getByRole("button", { name: /^Rectangle, 320 by 240/ }).waitFor();
  const rectangle = page.getByRole("button", { name: /^Rectangle/ });
  await rectangle.focus();
  for (let press = 0; press < 20; press++) await rectangle.press("Control+Shift+ArrowLeft");
  await page.getByRole("button", { name: /^Rectangle, 300 by 240/ }).waitFor();
  await make().click();
  const cropped = async () =>
    (await listAssets()).find((asset) => asset.width === 300 && asset.height === 240);
  await soon(cropped).toBeTruthy();
  await inspect(page.locator(`a[data-asset='${(await cropped())!.id}']`));
  await inspector().getByRole("link", { name: "Use as input" }).click();
  await page.getByRole("button", { name: "Upscale", exact: true }).first().click();
  await make().click();
  await soon(async () =>
    (await listAssets()).some((asset) => asset.width === 600 && asset.height === 480),
  ).toBe(true);
});

it("on a slow connection the crop's picture has its space reserved, and nothing below it moves", async () => {
  const id = await uploadPicture("slow.png", "#3e5c6b");
  const { promise: line, resolve: goOn } = Promise.withResolvers<void>();
  await page.route(scriptOfPart("crop-field"), (route) => line.then(() => route.continue()));
  await open(`/create?asset=${id}`);
  await page
    .getByRole("dialog", { name: "What do you want to do with this file?" })
    .getByRole("button", { name: "Crop", exact: true })
    .click();
  const below = page.getByRole("textbox", { name: "Width" });
  await below.waitFor();
  const room = page.getByRole("group", { name: "Crop" });
  await room.getByRole("status", { name: "Loading" }).waitFor();
  const topOf = async () => (await below.boundingBox())!.y - (await room.boundingBox())!.y;
  const before = await topOf();
  goOn();
  await page.getByRole("button", { name: /^Rectangle/ }).waitFor();
  expect(await topOf()).toBe(before);
  expect(before).toBeGreaterThan(100);
});

it("a photo dropped on the page is saved, and cropped by dragging on it", async () => {
  await openBuiltin("image");
  const photo = await sharp({
    create: { width: 400, height: 300, channels: 3, background: "#3e5c6b" },
  })
    .jpeg()
    .toBuffer();
  await transfer("main", "drop", "photo.jpg", "image/jpeg", photo);
  await page.getByRole("dialog").getByRole("button", { name: "Crop", exact: true }).click();
  const handle = page.locator("[data-handle='se']");
  await handle.scrollIntoViewIfNeeded();
  const at = (await handle.boundingBox())!;
  await page.mouse.move(at.x + 12, at.y + 12);
  await page.mouse.down();
  await page.mouse.move(at.x - 60, at.y - 40, { steps: 4 });
  await page.mouse.up();
  const name = (await page.getByRole("button", { name: /^Rectangle/ }).getAttribute("aria-label"))!;
  const [, width = 0, height = 0] = /(\d+) by (\d+)/.exec(name)!.map(Number);
  expect(width).toBeLessThan(400);
  await make().click();
  await soon(async () =>
    (await listAssets()).some((asset) => asset.width === width && asset.height === height),
  ).toBe(true);
});

it("a file that isn't a picture is refused with a sentence, and the page still works", async () => {
  await transfer("main", "drop", "empty.png", "image/png", Buffer.alloc(0));
  const uploads = page.getByRole("region", { name: "1 file could not be uploaded" });
  await uploads.getByText("This file is empty.").waitFor();
  await uploads.getByRole("button", { name: "Close uploads" }).click();
});

it("a sentence is spoken, and its waveform is its player", async () => {
  await openBuiltin("speech");
  await choose("Voice (Flite)");
  await page.getByRole("textbox", { name: "Text" }).fill("The tide turns at four.");
  await make().click();
  const sound = batch("The tide turns at four.");
  await sound.getByRole("slider", { name: "Playback position" }).waitFor();
  await sound.getByRole("button", { name: /^Play/ }).click();
  await sound.getByRole("button", { name: /^Pause/ }).waitFor();
  await sound.getByRole("button", { name: /^Pause/ }).click();
  // The acts of a tile cover neither the title nor the player.
  await sound.getByRole("button", { name: /^Play/ }).hover();
  const act = (name: string | RegExp) => sound.getByRole("button", { name, exact: true });
  await act("Keep").click();
  await soon(async () => (await listAssets()).find(({ kind }) => kind === "audio")?.pick).toBe(
    "kept",
  );
  for (const name of [/^Vary 4/, "Use as input", "Download", "Details"])
    expect(await act(name).count(), String(name)).toBe(1);
  await act(/^Pause|^Play/).click({ trial: true });
  const download = page.waitForEvent("download");
  await act("Download").click();
  await (await download).cancel();
});

it("the feed shows only sounds, or only pictures, and the address keeps the filter", async () => {
  await page.getByRole("button", { name: "Audio", exact: true }).click();
  await batch("arches along a quay").waitFor({ state: "detached" });
  await page.reload();
  await batch("The tide turns at four.").waitFor();
  expect(await batch("arches along a quay").count()).toBe(0);
  await page.getByRole("button", { name: "All", exact: true }).click();
  await batch("arches along a quay").waitFor();
});

it("fal's price is on the button first, its queue place and progress show during the run, and its cost after it", async () => {
  await openFal("sim/flux/dev", "image");
  await prompt().fill("a held harbour");
  await page.getByRole("slider", { name: "Pictures each" }).fill("1");
  await soon(() => make().textContent()).toBe("Make 1 picture, about $0.025");
  fal.script("a held harbour", "hold-queue");
  await make().click();
  await batch("a held harbour").getByText("2nd in the queue").waitFor();
  fal.release("a held harbour");
  await soon(() => pictures("a held harbour").count()).toBe(1);
  await batch("a held harbour")
    .getByText(/\$0\.0/)
    .waitFor();
  expect(fal.ledger.postsOf("a held harbour")).toBe(1);
});

it("A in the viewer opens the shown picture in Create's form for videos", async () => {
  await pictures("a held harbour").first().click();
  await page.getByRole("button", { name: /^Animate/ }).waitFor();
  const asset = new URL(page.url()).searchParams.get("viewing");
  const visited: URLSearchParams[] = [];
  const listen = (frame: Frame) => visited.push(new URL(frame.url()).searchParams);
  page.on("framenavigated", listen);
  await page.keyboard.press("a");
  await soon(() => visited.map((search) => search.get("asset"))).toContain(asset);
  expect(visited.find((search) => search.has("asset"))?.get("task")).toBe("video");
  page.off("framenavigated", listen);
  await make().waitFor();
  await openFal("sim/flux/dev", "image");
});

it("a run waiting at the provider is canceled from its tile, and nothing is charged", async () => {
  await prompt().fill("a harbour too many");
  fal.script("a harbour too many", "hold-queue");
  await make().click();
  await batch("a harbour too many").getByText("in the queue").waitFor();
  await batch("a harbour too many").getByText("1 picture").waitFor();
  await batch("a harbour too many")
    .getByText(/\$0\.\d+ reserved/)
    .waitFor();
  await batch("a harbour too many").getByRole("listitem").hover();
  await batch("a harbour too many").getByRole("button", { name: "Cancel", exact: true }).click();
  await batch("a harbour too many").getByText("Canceled").waitFor();
  await batch("a harbour too many").getByText("Nothing was charged.").waitFor();
});

it("a refusal says what happened and what was charged, and its recipe returns to the form", async () => {
  await prompt().fill("flagged words");
  fal.script("flagged words", "content-policy");
  await make().click();
  await batch("flagged words").getByText("Nothing was charged.").waitFor();
  await prompt().fill("something else");
  await batch("flagged words").getByRole("button", { name: "Edit and retry" }).click();
  await soon(() => prompt().inputValue()).toBe("flagged words");
});

it("a setting that the model refuses is reported at its field when its recipe returns", async () => {
  await prompt().fill("too wide");
  fal.script("too wide", "result-422");
  await make().click();
  await batch("too wide").getByRole("button", { name: "Edit and retry" }).click();
  await page
    .getByRole("group", { name: "Image size" })
    .getByText("Input should be less than 14142")
    .waitFor();
});

it("a lost answer is unconfirmed, never sent again, and decided by a person", async () => {
  await prompt().fill("a lost reply");
  fal.script("a lost reply", "lost-reply");
  await make().click();
  await batch("a lost reply").getByRole("button", { name: "Resolve" }).click();
  const dialog = page.getByRole("dialog", { name: "Resolve this run" });
  // The actions are the same as in Activity.
  for (const way of ["It ran: fetch the result", "It ran and was charged", "Run it again"])
    await dialog.getByRole("radio", { name: new RegExp(`^${way}`) }).waitFor();
  await dialog.getByRole("radio", { name: /^It did not run/ }).check();
  await dialog.getByRole("button", { name: "Close run" }).click();
  await batch("a lost reply").getByText("Nothing was charged.").waitFor();
  expect(fal.ledger.postsOf("a lost reply")).toBe(1);
});

it("two models get one prompt in one batch, and the form has their shared fields once", async () => {
  await openFal("sim/flux/dev", "image");
  await page.getByRole("button", { name: "Add model" }).click();
  await page.getByRole("searchbox", { name: "Search models" }).fill("Pattern");
  await page
    .getByRole("listitem")
    .getByRole("button", { name: /Pattern/ })
    .click();
  await page.getByText("own settings are below the shared ones").waitFor();
  // Pattern's own prompt syntax doesn't apply to the others.
  expect(await page.getByText("The prompt chooses the kind").count()).toBe(0);
  const ofFlux = page.getByRole("group", { name: "Settings of Simulated Flux" });
  await ofFlux.locator("summary").click();
  await ofFlux.getByRole("slider", { name: "Guidance scale" }).waitFor();
  await prompt().fill("one prompt, two makers");
  await page.getByRole("slider", { name: "Pictures each" }).fill("1");
  await soon(() => make().textContent()).toMatch(/^Make 2 pictures, about/);
  await make().click();
  await soon(() => pictures("one prompt, two makers").count()).toBe(2);
  for (const name of ["Pattern (procedural)", "Simulated Flux"])
    await batch("one prompt, two makers").getByRole("heading", { name }).waitFor();
  await page.getByRole("button", { name: "Remove Pattern (procedural)" }).click();
});

it("every shape of fal's schemas has its input: nested objects, lists of objects, choices, colors, loops as JSON", async () => {
  await openFal("acme/ideogram/v3", "image");
  await unfold();
  await page
    .getByLabel(/Background color/i)
    .first()
    .waitFor();
  await page
    .getByRole("group", { name: /Color palette/i })
    .first()
    .waitFor();
  await openFal("acme/kling-video/v3/pro/image-to-video", "video");
  await page.getByRole("group", { name: "Start image", exact: true }).first().waitFor();
  await unfold();
  await page
    .getByRole("button", { name: /Add to Multi prompt|Add to Elements/ })
    .first()
    .waitFor();
  await openFal("sim/workflow/tree", "other");
  await page
    .getByRole("group", { name: "Root" })
    .getByRole("textbox", { name: "Children" })
    .waitFor();
});

it("a file enters the form by upload, from the library, and by paste", async () => {
  await uploadPicture("from-the-library.png", "#6b8f71");
  await openFal("sim/flux/dev/image-to-image", "edit");
  const field = page.getByRole("group", { name: "Image", exact: true }).first();
  const shown = field.locator("img");
  const bytes = await sharp({
    create: { width: 40, height: 30, channels: 3, background: "#884422" },
  })
    .png()
    .toBuffer();
  const { held, release } = await holdBack(page, (request) => /uploads/.test(request.url()));
  await page
    .locator("input[type=file]")
    .first()
    .setInputFiles({ name: "uploaded.png", mimeType: "image/png", buffer: bytes });
  await soon(() => held.length).toBe(1);
  const prompt = page.getByRole("textbox", { name: "Prompt" });
  await prompt.fill("words typed during the upload");
  await release();
  await shown.first().waitFor();
  expect(await prompt.inputValue()).toBe("words typed during the upload");
  await field.getByRole("button", { name: /^Remove / }).click();
  await field.getByRole("button", { name: /Upload, drop, paste/ }).click();
  await page.getByRole("menuitem", { name: "From library" }).click();
  await page
    .getByRole("dialog", { name: "Choose from library" })
    .getByRole("link", { name: /from-the-library/ })
    .click();
  await shown.first().waitFor();
  await field.getByRole("button", { name: /^Remove / }).click();
  await field.getByRole("button", { name: /Upload, drop, paste/ }).focus();
  await transfer("[role=group] button:focus", "paste", "pasted.png", "image/png", bytes);
  await shown.first().waitFor();
});

it("a number of pictures still being typed is the number on the button and the number made", async () => {
  await openBuiltin("image");
  await choose("Pattern");
  await prompt().fill("three boats at a mooring");
  const typed = page.getByRole("spinbutton", { name: "Pictures each, as a number" });
  await typed.fill("2.7");
  await soon(() => make().textContent()).toBe("Make 3 pictures, free");
  expect(await typed.inputValue()).toBe("2.7");
  await typed.press("ControlOrMeta+Enter");
  await soon(() => pictures("three boats at a mooring").count()).toBe(3);
  await typed.blur();
  expect(await typed.inputValue()).toBe("3");
  // The number of variants isn't carried over to another task.
  for (const task of ["Upscale", "Picture"]) {
    await page.getByRole("combobox", { name: "Task" }).click();
    await page.getByRole("option", { name: task, exact: true }).click();
  }
  await soon(() => typed.inputValue()).toBe("1");
});

it("a file that isn't a picture has no crop and no upscale, also after a picture that had", async () => {
  const dialog = page.getByRole("dialog", { name: "What do you want to do with this file?" });
  const crop = dialog.getByRole("button", { name: "Crop", exact: true });
  await openBuiltin("image");
  const picture = await sharp({
    create: { width: 64, height: 64, channels: 3, background: "#456" },
  })
    .png()
    .toBuffer();
  await transfer("main", "drop", "blue.png", "image/png", picture);
  await crop.waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await transfer("main", "drop", "tides.txt", "text/plain", Buffer.from("High water at six."));
  await dialog.getByText("tides").first().waitFor();
  expect(await crop.count()).toBe(0);
  expect(await dialog.getByRole("button", { name: "Upscale", exact: true }).count()).toBe(0);
});

it("on a phone a started run is shown above the button, and links to the results", async () => {
  const { context: phone, page: small } = await studio.openAs(browser, {
    viewport: { width: 390, height: 844 },
  });
  await small.goto("/create?task=image");
  await small.getByRole("textbox", { name: "Prompt", exact: true }).fill("a lantern in fog");
  const button = small.getByRole("button", { name: /^Make \d/ });
  await button.click();
  const show = small.getByRole("button", { name: "Show", exact: true });
  const [told, pressed] = [(await show.boundingBox())!, (await button.boundingBox())!];
  expect(told.y + told.height).toBeLessThanOrEqual(pressed.y);
  await show.click();
  await small.getByRole("region", { name: "a lantern in fog" }).waitFor();
  await phone.close();
});

it("none of these tests violated the page's policy", () => {
  expect(breaches).toEqual([]);
});

/** Drops or pastes a file on an element like the browser. */
async function transfer(
  selector: string,
  kind: "drop" | "paste",
  name: string,
  type: string,
  bytes: Buffer,
): Promise<void> {
  await page
    .locator(selector)
    .first()
    .evaluate(
      (element, [fileName, mime, base64, event]) => {
        const data = new DataTransfer();
        data.items.add(
          new File(
            [Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))],
            fileName,
            { type: mime },
          ),
        );
        const init = { bubbles: true, cancelable: true };
        if (event === "paste")
          return void element.dispatchEvent(
            new ClipboardEvent("paste", { ...init, clipboardData: data }),
          );
        for (const step of ["dragenter", "dragover", "drop"])
          element.dispatchEvent(new DragEvent(step, { ...init, dataTransfer: data }));
      },
      [name, type, bytes.toString("base64"), kind] as const,
    );
}

it("a form opened by an address can be sent once it has loaded, and the form before it can't", async () => {
  const id = await uploadPicture("asked-for.png", "#7a9bb5");
  const asked = Promise.withResolvers<Route>();
  await page.route(`**/api/v1/assets/${id}`, (route) => asked.resolve(route), { times: 1 });
  await page.goto(`/create?task=upscale&asset=${id}`);
  const request = await asked.promise;
  await make().waitFor();
  expect(await make().isDisabled()).toBe(true);
  expect(await prompt().count()).toBe(0);
  await request.continue();
  await make().click();
  await soon(async () => (await listRuns())[0]).toSatisfy(
    ({ task, input }: Run) => task === "upscale" && Object.values(input).includes(`asset:${id}`),
  );
});
