import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import ffmpeg from "@ffmpeg-installer/ffmpeg";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { findBarriers, keepStrict } from "../../support/browser/strict-page.ts";
import { type Studio, startStudio } from "../../support/browser/studio-in-browser.ts";
import { makeGlb, packGlb } from "../../support/glb.ts";
import { heicPhoto } from "../../support/heic.ts";
import { soon } from "../../support/soon.ts";
import { createTempFolder } from "../../support/temp.ts";
import { buildWav } from "../../support/wav.ts";

const execute = promisify(execFile);

/** The viewer with files other than pictures; 3D models without a graphics card. */
let browser: Browser;
let studio: Studio;
let page: Page;

beforeAll(async () => {
  [browser, studio] = await Promise.all([
    launchBrowser(["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]),
    startStudio(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await studio?.stop();
});

const open = async (name: string, bytes: Uint8Array) => {
  ({ page } = await studio.openAs(browser));
  keepStrict(page);
  const { id } = await studio.api.upload(name, bytes);
  await page.goto(`/library/${id}`);
};
const model = () => page.getByRole("img", { name: /a 3D model/ });
/** The numbers of red and blue pixels in the model's frame; reflections make them paler. */
async function countColors(): Promise<{ red: number; blue: number }> {
  const { data } = await sharp(await model().screenshot())
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  let [red, blue] = [0, 0];
  for (let at = 0; at < data.length; at += 3) {
    const [r, g, b] = [data[at]!, data[at + 1]!, data[at + 2]!];
    if (r > 1.5 * g && r > 1.5 * b && r > 60) red++;
    if (b > 1.5 * g && b > 1.5 * r && b > 60) blue++;
  }
  return { red, blue };
}

it("a 3D model is shown with its own textures, and rotates by keys and by dragging", async () => {
  await open("board.glb", await makeGlb());
  await soon(async () => {
    const { red, blue } = await countColors();
    return red > 1_000 && blue > 1_000;
  }).toBe(true);
  expect(await findBarriers(page)).toEqual([]);

  const whole = await countColors();
  // By 2 radians, past the front, so that it is seen edge-on.
  for (let press = 0; press < 10; press++) await page.keyboard.press("Shift+ArrowRight");
  await soon(async () => (await countColors()).red < whole.red / 2).toBe(true);
  await page.keyboard.press("0");
  await soon(async () => (await countColors()).red).toBe(whole.red);

  const { x, y, width, height } = (await model().boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 + 120, y + height / 2, { steps: 4 });
  await page.mouse.up();
  await soon(async () => (await countColors()).red).not.toBe(whole.red);
  await page.getByRole("button", { name: "Fit to window" }).click();
  await soon(async () => (await countColors()).red).toBe(whole.red);
});

it("a 3D model that can't be read says so and can be downloaded", async () => {
  await open("torn.glb", packGlb({ asset: { version: "2.0" }, scene: 7 }, Buffer.alloc(4)));
  await page.getByText("This 3D model can’t be shown here.").waitFor();
  await page.getByRole("link", { name: "Download" }).first().waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

it("a HEIC photo is kept whole, and says what to do where its preview would be", async () => {
  await open("IMG_1.heic", heicPhoto);
  await page.getByText("Only Safari shows HEIC photos. Download the photo, or export").waitFor();
  const link = page
    .getByRole("main")
    .or(page.getByRole("dialog"))
    .getByRole("link", { name: "Download" });
  const file = await page.request.get((await link.first().getAttribute("href"))!);
  expect((await file.body()).equals(heicPhoto)).toBe(true);
  expect(file.headers()).toMatchObject({ "content-type": "image/heic" });
  expect(await findBarriers(page)).toEqual([]);
});

it("a Markdown file is shown formatted, and as source on request", async () => {
  await open(
    "notes.md",
    Buffer.from("# Plan\n\n- one\n- **two**\n\n<b onclick='alert(1)'>raw</b>\n"),
  );
  await page.getByRole("heading", { name: "Plan" }).waitFor();
  await page.locator("strong", { hasText: "two" }).waitFor();
  expect(await page.locator("b[onclick]").count()).toBe(0);
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("radio", { name: "Source" }).click();
  await page.getByText("**two**").waitFor();
});

/** ffmpeg's test picture: one second of ten frames, all of them key frames. */
async function makeFilm(): Promise<Buffer> {
  const path = join(createTempFolder("film"), "film.webm");
  const picture = ["-f", "lavfi", "-i", "testsrc=size=160x120:rate=10:duration=1"];
  const codec = ["-c:v", "libvpx", "-g", "1", "-b:v", "500k"];
  await execute(ffmpeg.path, ["-loglevel", "error", "-y", ...picture, ...codec, path]);
  return readFileSync(path);
}

it("a video plays, loops and stops, and steps frame by frame before it has played", async () => {
  await open("steps.webm", await makeFilm());
  const video = page.locator("video");
  const at = () => video.evaluate((film: HTMLVideoElement) => Math.floor(film.currentTime * 10));
  const isPaused = () => video.evaluate((film: HTMLVideoElement) => film.paused);
  /** The shown frame's own picture, which two frames never share. */
  const picture = () => video.screenshot().then((png) => png.toString("base64"));
  await video.evaluate(
    (film: HTMLVideoElement) =>
      film.readyState >= 2 || new Promise((ready) => film.addEventListener("loadeddata", ready)),
  );
  for (const frame of [1, 2, 3]) {
    const before = await picture();
    await page.keyboard.press(".");
    await soon(at).toBe(frame);
    await soon(async () => (await picture()) !== before).toBe(true);
  }
  await page.keyboard.press(",");
  await soon(at).toBe(2);
  expect(await isPaused()).toBe(true);
  await page.getByRole("slider").fill("400");
  await soon(at).toBe(4);
  await page.getByText("0:00 / 0:01").waitFor();

  await page.keyboard.press("l");
  expect(await page.getByRole("button", { name: "Loop" }).getAttribute("aria-pressed")).toBe(
    "true",
  );
  await page.keyboard.press("Space");
  // Past its end it begins again.
  await soon(async () => (await at()) < 4).toBe(true);
  expect(await isPaused()).toBe(false);
  await page.keyboard.press("l");
  await soon(isPaused).toBe(true);
  expect(await at()).toBe(10);
  await page.keyboard.press("o");
  await page.keyboard.press(">");
  await page.keyboard.press(">");
  await page.keyboard.press("<");
  const sound = () => video.evaluate((film: HTMLVideoElement) => [film.muted, film.playbackRate]);
  await soon(sound).toEqual([true, 1.5]);
});

it("a sound is drawn from its samples, and a press on its waveform seeks", async () => {
  const rate = 8_000;
  const samples = Buffer.alloc(4 * rate * 2);
  // A quarter is silent, the next is half as loud as the rest.
  for (let place = rate; place < 4 * rate; place++)
    samples.writeInt16LE(
      Math.round(Math.sin(place / 3) * (place < 2 * rate ? 15_000 : 30_000)),
      place * 2,
    );
  await open("swell.wav", buildWav({ samples, samplesPerSecond: rate, channels: 1, bits: 16 }));
  const wave = page.locator("svg[viewBox='0 0 600 100']");
  /** The height of the bar at a share of the length, from its line "M302 4V96". */
  const heightAt = async (share: number) => {
    const lines = (await wave.locator("path").first().getAttribute("d"))!.split("M").slice(1);
    const [top = 0, bottom = 0] = lines[Math.floor(share * lines.length)]!.replace(/^\S+ /, "")
      .split("V")
      .map(Number);
    return bottom - top;
  };
  await soon(() => heightAt(0.9)).toBeGreaterThan(80);
  expect(await heightAt(0.1)).toBeLessThan(10);
  expect(Math.abs((await heightAt(0.37)) * 2 - (await heightAt(0.9)))).toBeLessThan(6);

  const { width, height } = (await wave.boundingBox())!;
  await wave.click({ force: true, position: { x: width * 0.75, y: height / 2 } });
  await page.getByText("0:03 / 0:04").waitFor();
  const seconds = () =>
    page.locator("audio").evaluate((sound: HTMLAudioElement) => sound.currentTime);
  expect(Math.abs((await seconds()) - 3)).toBeLessThan(0.2);
  // What has been played is colored.
  expect(await wave.locator("path").count()).toBe(2);
});

it("a sound, a film or a photo that can't be read says so, and is read again on request", async () => {
  const silence = { samples: Buffer.alloc(800), samplesPerSecond: 8_000 };
  ({ page } = await studio.openAs(browser));
  for (const [name, bytes] of [
    ["lost.wav", buildWav({ ...silence, channels: 1, bits: 16 })],
    ["lost.webm", await makeFilm()],
  ] as const) {
    const { id } = await studio.api.upload(name, bytes);
    await page.route(`**/${id}/file`, (route) => route.fulfill({ status: 404, body: "" }), {
      times: 1,
    });
    await page.goto(`/library/${id}`);
    await page.getByText("This file could not be loaded").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("button", { name: "Play or pause" }).waitFor();
  }
  // A lost photo isn't taken for one in a format that the browser doesn't know.
  const { id } = await studio.api.upload("lost.heic", heicPhoto);
  await page.route(`**/${id}/file`, (route) => route.fulfill({ status: 404, body: "" }));
  await page.goto(`/library/${id}`);
  await page.getByText("This file could not be loaded").waitFor();
  await page.unrouteAll();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Only Safari shows HEIC photos.").waitFor();
});
