import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launchBrowser } from "../../support/browser/chromium.ts";

const PAGE = `<!doctype html><title>Bottega</title><p style="font: 40px sans-serif; margin: 0; width: max-content">Which glyphs?</p>`;

let browser: Browser;
const server = createServer((_request, response) =>
  response.setHeader("content-type", "text/html; charset=utf-8").end(PAGE),
);

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  server.close();
  server.closeAllConnections();
});

it("the tests' browser opens a page over HTTP and is a recent Chromium", async () => {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect(await page.title()).toBe("Bottega");
  expect(Number.parseInt(browser.version(), 10)).toBeGreaterThan(120);
  await page.close();
});

it("text is drawn with a font, so that screenshots show it", async () => {
  const page = await browser.newPage();
  await page.setContent(PAGE);
  const darkPixels = await page.evaluate(async () => {
    const canvas = document.createElement("canvas");
    canvas.width = 400;
    canvas.height = 60;
    const context = canvas.getContext("2d");
    if (!context) return 0;
    context.font = "40px sans-serif";
    context.fillText("Which glyphs?", 0, 45);
    const { data } = context.getImageData(0, 0, 400, 60);
    return data.filter((value, index) => index % 4 === 3 && value > 128).length;
  });
  const widths = await page.evaluate(() => {
    const context = document.createElement("canvas").getContext("2d");
    if (!context) return [];
    context.font = "40px sans-serif";
    return ["i", "W"].map((letter) => context.measureText(letter).width);
  });
  expect(darkPixels).toBeGreaterThan(1000);
  // A placeholder box for each missing glyph would make both equally wide.
  expect(widths[1]).toBeGreaterThan((widths[0] ?? 0) * 2);
  await page.close();
});
