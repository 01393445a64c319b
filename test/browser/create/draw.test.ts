import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type FalSimulator, startFal } from "../../simulators/fal.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { takePicture } from "../../support/browser/pictures.ts";
import { findBarriers, keepStrict } from "../../support/browser/strict-page.ts";
import {
  connectKind,
  joinStudio,
  type Studio,
  signInWith,
  startStudio,
} from "../../support/browser/studio-in-browser.ts";
import { until } from "../../support/server/instance.ts";
import { soon } from "../../support/soon.ts";

/** The live canvas: draw, see, pin; reload, lose the connection, run out of money. */
let browser: Browser;
let studio: Studio;
let fal: FalSimulator;

beforeAll(async () => {
  [browser, studio, fal] = await Promise.all([
    launchBrowser(),
    startStudio(),
    startFal({ modelMs: 20 }),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await studio?.stop();
  await fal?.stop();
});

type Options = Parameters<Studio["openAs"]>[1];
async function open(options?: Options, path = "/draw"): Promise<Page> {
  const { page } = await studio.openAs(browser, options);
  keepStrict(page);
  await page.goto(path);
  return page;
}
const surface = (page: Page) => page.getByRole("application", { name: "Drawing" });
const picture = (page: Page) => page.getByRole("img", { name: /^Live picture of/ });
/** Waits until the picture shows the whole drawing. */
const caughtUp = (page: Page) => page.locator('[role="img"][aria-busy="false"]').waitFor();
const status = (page: Page, words: string | RegExp) =>
  page.getByRole("status").filter({ hasText: words });
async function stroke(page: Page, from = 0.3, to = 0.7): Promise<void> {
  const box = (await surface(page).boundingBox())!;
  await page.mouse.move(box.x + box.width * from, box.y + box.height * from);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * to, box.y + box.height * 0.4, { steps: 6 });
  await page.mouse.move(box.x + box.width * to, box.y + box.height * to, { steps: 6 });
  await page.mouse.up();
}
/** The number of the drawing's pixels that aren't paper. */
const inked = (page: Page) =>
  surface(page).evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4)
      if (data[i]! < 250 || data[i + 1]! < 250 || data[i + 2]! < 250) count++;
    return count;
  });
async function choose(page: Page, model: RegExp): Promise<void> {
  await page
    .getByRole("combobox", { name: "Model" })
    .or(page.getByRole("button", { name: /Model/ }))
    .first()
    .click();
  await page.getByRole("option", { name: model }).click();
}

it("a stroke makes a frame without a key, and the frame is pinned with its drawing, prompt, strength, seed and model", async () => {
  const page = await open();
  await page.getByRole("textbox", { name: "Prompt" }).fill("quiet hills at dusk");
  await page.getByRole("button", { name: "New seed" }).click();
  const seed = Number(await page.getByRole("textbox", { name: "Seed" }).inputValue());
  await stroke(page);
  await picture(page).waitFor();
  await status(page, "Live").waitFor();
  await page.getByText(/\d ms: model .* ms, Bottega .* ms/).waitFor();
  expect(await inked(page)).toBeGreaterThan(500);
  await caughtUp(page);
  await page.getByRole("button", { name: "Pin picture" }).click();
  await page.getByText("Pinned the picture and saved it in the library").waitFor();
  const pinned = page.locator("section[aria-label='Pinned in this session'] a");
  await pinned.first().click();
  await page.waitForURL(/[?&]viewing=/);
  const shown = page.locator("[data-takes-shortcuts]");
  await shown.waitFor();
  await page.keyboard.press("Escape");
  await shown.waitFor({ state: "detached" });
  const place = pinned.first().locator("..");
  await place.hover();
  await place.getByRole("button", { name: "Keep" }).click();
  const pinnedId = await pinned.first().getAttribute("data-asset");
  await soon(
    async () =>
      (await studio.api.get<{ asset: { pick: string } }>(`/assets/${pinnedId}`)).asset.pick,
  ).toBe("kept");
  for (const name of ["Use as input", "Download"])
    expect(await place.getByRole("button", { name }).isVisible()).toBe(true);
  // One click on the live picture opens it too: a pinned one itself, another is pinned first.
  const live = page.getByRole("button", { name: "Pin and open large" });
  await live.click();
  await page.waitForURL(/[?&]viewing=/);
  await shown.waitFor();
  await page.keyboard.press("Escape");
  await shown.waitFor({ state: "detached" });
  expect(await pinned.count()).toBe(1);
  const frame = () => picture(page).getAttribute("data-frame");
  const before = await frame();
  await stroke(page, 0.2, 0.8);
  await soon(frame).not.toBe(before);
  await caughtUp(page);
  await live.click();
  await page.waitForURL(/[?&]viewing=/);
  await soon(() => pinned.count()).toBe(2);
  await page.locator("[data-takes-shortcuts]").waitFor();
  await page.keyboard.press("i");
  await page.getByText("Pattern, live (procedural)").first().waitFor();
  await page.getByText(String(seed)).first().waitFor();
  const assetId = new URL(page.url()).searchParams.get("viewing");
  const detail = await studio.api.get<{
    run: { input: Record<string, unknown>; task: string };
    sources: { title: string }[];
  }>(`/assets/${assetId}`);
  expect(detail).toMatchObject({
    run: { task: "live", input: { prompt: "quiet hills at dusk", seed } },
    sources: [{ title: "Drawing" }],
  });
  expect(detail.run.input.drawing).toMatch(/^asset:/);
  // And back: its recipe is on the canvas again.
  await page.getByRole("link", { name: "Draw on this" }).click();
  await page.waitForURL(/\/draw/);
  await expect
    .poll(() => page.getByRole("textbox", { name: "Seed" }).inputValue())
    .toBe(String(seed));
  await expect.poll(() => inked(page)).toBeGreaterThan(500);
  await page.goto(`/library/${assetId}`);
  await page.getByRole("button", { name: "Draw on this" }).first().waitFor();
  await page.keyboard.press("b");
  await page.waitForURL(/\/draw/);
  await soon(() => page.getByRole("textbox", { name: "Seed" }).inputValue()).toBe(String(seed));
  // A link to it starts no session, which would cost money, because nobody has drawn.
  const linked = await open(undefined, `/draw?from=${assetId}`);
  await expect
    .poll(() => linked.getByRole("textbox", { name: "Seed" }).inputValue())
    .toBe(String(seed));
  await expect.poll(() => inked(linked)).toBeGreaterThan(500);
  await status(linked, "Starts with your first stroke").waitFor();
  await linked.context().close();
  await page.context().close();
});

it("a click on the live picture opens that one, even if an earlier one is saved after it", async () => {
  const page = await open();
  const answers: string[] = [];
  await page.routeWebSocket("**/api/v1/draw", (socket) => {
    socket.connectToServer().onMessage((message) => {
      if (typeof message === "string" && message.startsWith('{"pinned"')) {
        // Both answers arrive in the other order.
        answers.unshift(message);
        if (answers.length === 2) for (const answer of answers) socket.send(answer);
      } else socket.send(message);
    });
  });
  await page.reload();
  await page.getByRole("textbox", { name: "Prompt" }).fill("two tides");
  await stroke(page);
  await picture(page).waitFor();
  await caughtUp(page);
  await page.getByRole("button", { name: "Pin picture" }).click();
  await soon(() => answers.length).toBe(1);
  const frame = () => picture(page).getAttribute("data-frame");
  const before = await frame();
  await stroke(page, 0.2, 0.8);
  await soon(frame).not.toBe(before);
  await caughtUp(page);
  await page.getByRole("button", { name: "Pin and open large" }).click();
  await page.waitForURL(/[?&]viewing=/);
  const latest = JSON.parse(answers[0]!) as { pinned: { asset: { id: string } } };
  expect(new URL(page.url()).searchParams.get("viewing")).toBe(latest.pinned.asset.id);
  await page.context().close();
});

it("undo, redo, clear and a reload never lose the drawing by accident", async () => {
  const page = await open();
  await surface(page).waitFor();
  const before = await inked(page);
  await stroke(page, 0.2, 0.5);
  const one = await inked(page);
  expect(one).toBeGreaterThan(before);
  await stroke(page, 0.5, 0.9);
  const two = await inked(page);
  await page.keyboard.press("Control+z");
  await expect.poll(() => inked(page)).toBe(one);
  await page.keyboard.press("Control+Shift+z");
  await expect.poll(() => inked(page)).toBe(two);
  await page.getByRole("button", { name: "Clear drawing" }).click();
  await expect.poll(() => inked(page)).toBe(0);
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect.poll(() => inked(page)).toBe(two);
  await page.getByRole("textbox", { name: "Prompt" }).fill("kept over a reload");
  await picture(page).waitFor();
  await page.reload();
  await expect.poll(() => inked(page)).toBeGreaterThan(two * 0.95);
  expect(await page.getByRole("textbox", { name: "Prompt" }).inputValue()).toBe(
    "kept over a reload",
  );
  // A reload requests nothing, because nobody has drawn yet.
  await status(page, "Starts with your first stroke").waitFor();
  await page.context().close();
});

/** The number of drawings that the device has saved. */
const savedDrawings = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const request = indexedDB.open("bottega", 1);
        request.onupgradeneeded = () => request.result.createObjectStore("files");
        request.onerror = () => reject(request.error);
        request.onsuccess = () => {
          const count = request.result.transaction("files").objectStore("files").count();
          count.onsuccess = () => {
            request.result.close();
            resolve(count.result);
          };
        };
      }),
  );

it("a browser that stores no Blob, as WebKit in a private window, keeps the drawing over a reload", async () => {
  const { page } = await studio.openAs(browser);
  keepStrict(page);
  await page.addInitScript(() => {
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = function (value, key) {
      if (value instanceof Blob) throw new DOMException("Blobs are refused here", "DataCloneError");
      return put.call(this, value, key);
    };
  });
  await page.goto("/draw");
  await stroke(page);
  await soon(() => savedDrawings(page)).toBe(1);
  const before = await inked(page);
  await page.reload();
  await soon(() => inked(page)).toBe(before);
});

it("a reload while the drawing is being encoded doesn't lose the last stroke", async () => {
  const { page } = await studio.openAs(browser);
  keepStrict(page);
  const encoding = Promise.withResolvers<void>();
  await page.exposeFunction("onEncoding", () => encoding.resolve());
  await page.addInitScript(() => {
    const { toBlob } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.toBlob = function (done, type, quality) {
      if (type === "image/png") (window as unknown as { onEncoding(): void }).onEncoding();
      else toBlob.call(this, done, type, quality);
    };
  });
  await page.goto("/draw");
  await stroke(page);
  const before = await inked(page);
  await encoding.promise;
  await page.reload();
  // Saved as a JPEG, which softens the edges.
  await soon(() => inked(page)).toBeGreaterThan(before * 0.95);
  await page.context().close();
});

it("a device that can't save the drawing is reported once, with a way to save the picture", async () => {
  const { page } = await studio.openAs(browser);
  keepStrict(page);
  await page.addInitScript(() => {
    IDBObjectStore.prototype.put = () => {
      throw new DOMException("The disk is full", "QuotaExceededError");
    };
  });
  await page.goto("/draw");
  await stroke(page);
  await page.getByText("This drawing is not saved on this device").first().waitFor();
});

it("drawing works by keyboard before the model is known, keys change the brush, and the page is accessible", async () => {
  const { page } = await studio.openAs(browser);
  keepStrict(page);
  const lift = Promise.withResolvers<void>();
  await page.route(/\/api\/v1\/.*models.*task=live/, async (route) => {
    await lift.promise;
    await route.continue();
  });
  await page.goto("/draw");
  await surface(page).focus();
  await page.keyboard.press("]");
  const before = await inked(page);
  await page.keyboard.press("Space");
  for (let i = 0; i < 4; i++) await page.keyboard.press("Shift+ArrowRight");
  await status(page, "Brush down").waitFor();
  await page.keyboard.press("Space");
  await expect.poll(() => inked(page)).toBeGreaterThan(before);
  lift.resolve();
  await page.keyboard.press("e");
  await expect
    .poll(() => page.getByRole("button", { name: "Eraser" }).getAttribute("aria-pressed"))
    .toBe("true");
  await picture(page).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.context().close();
});

it.each([
  [1440, 900],
  [390, 844],
])("the notice of a lost connection covers no tool, at %i wide", async (width, height) => {
  const page = await open({ viewport: { width, height } });
  await surface(page).waitFor();
  await page.context().setOffline(true);
  const notice = page.getByText("Connection lost");
  await notice.waitFor();
  const covered = await notice.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const found = new Set<Element>();
    for (let x = left; x < right; x += 8)
      for (const y of [top + 1, bottom - 1])
        for (const one of document.elementsFromPoint(x, y))
          if (one.matches("button, input, label, canvas")) found.add(one);
    return [...found].map(({ outerHTML }) => outerHTML.slice(0, 80));
  });
  expect(covered).toEqual([]);
  await page.context().close();
});

it("a lost connection keeps the drawing and resumes; the price is shown per second, then the session's cost", async () => {
  const connectionId = await connectKind(studio.api, "fal", fal.values);
  const page = await open();
  await choose(page, /Simulated Klein/);
  await page
    .getByText(/\$0\.001 a second|\$0\.001 a compute second|\$0\.001/)
    .first()
    .waitFor();
  await stroke(page);
  await status(page, "Live").waitFor();
  await picture(page).waitFor();
  await page.getByText(/This session: \$0\.0/).waitFor();
  const before = await inked(page);
  await page.context().setOffline(true);
  await status(page, "Waiting for the server").waitFor();
  await page.context().setOffline(false);
  await status(page, "Live").waitFor();
  const sessions = fal.realtime.sessions.length;
  const { runs } = await studio.api.get<{ runs: { id: string; task: string; state: string }[] }>(
    `/runs?projectId=${studio.api.projectId}`,
  );
  expect(runs[0]).toMatchObject({ task: "live", state: "running" });
  await studio.api.send("POST", `/runs/${runs[0]!.id}/cancel`);
  await status(page, /canceled/i).waitFor();
  expect(await inked(page)).toBe(before);
  await stroke(page, 0.1, 0.3);
  await status(page, "Live").waitFor();
  await until("another session was opened", async () => fal.realtime.sessions.length > sessions);
  await page.getByText(/Earlier: \$0\.0/).waitFor();
  // The provider drops its connection: the page reports it, and nothing restarts by itself.
  fal.realtime.drop();
  await page.getByRole("alert").filter({ hasText: "fal closed the socket" }).waitFor();
  await page.getByText("Your drawing is saved.").waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await status(page, "Live").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await status(page, "Stopped").waitFor();
  await studio.api.send("DELETE", `/connections/${connectionId}`);
  await page.context().close();
});

it("a used-up budget is named, with a link to it", async () => {
  const connectionId = await connectKind(studio.api, "fal", fal.values, "fal two");
  await studio.api.send("PUT", "/admin/budgets", {
    scope: "instance",
    scopeIds: [null],
    period: "total",
    timeZone: "UTC",
    onLimit: "block",
    limitMicros: 1,
  });
  const page = await open();
  await choose(page, /Simulated Klein/);
  await stroke(page);
  await page
    .getByRole("alert")
    .filter({ hasText: /budget of \$0/ })
    .waitFor();
  await takePicture(page, "draw-refused-1440");
  await page
    .getByRole("link", { name: /budget/i })
    .first()
    .waitFor();
  await studio.api.send("PUT", "/admin/budgets", {
    scope: "instance",
    scopeIds: [null],
    period: "total",
    timeZone: "UTC",
    onLimit: "block",
    limitMicros: null,
  });
  await page.getByRole("button", { name: "Try again" }).click();
  await status(page, "Live").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await studio.api.send("DELETE", `/connections/${connectionId}`);
  await page.context().close();
});

it("a viewer sees the canvas and draws nothing", async () => {
  const person = {
    name: "Grace Hopper",
    email: "grace@example.org",
    password: "a staple and a battery",
  };
  const grace = await joinStudio(studio, { ...person, role: "viewer" });
  const { page, context } = await studio.openAs(browser);
  await signInWith(context, studio.url, grace.cookie);
  await page.goto("/draw");
  await page
    .getByRole("button", { name: /Grace|project|Tide/i })
    .first()
    .waitFor();
  const { projects } = (await (await page.request.get("/api/v1/me")).json()) as {
    projects: { id: string; role: string }[];
  };
  expect(projects.find(({ id }) => id === studio.api.projectId)?.role).toBe("viewer");
  await context.close();
});

it("Draw is shown on a phone and on a desktop, light and dark, with much and with nothing", async () => {
  for (const width of [1440, 390] as const) {
    for (const colorScheme of ["light", "dark"] as const) {
      const size =
        width === 390
          ? { viewport: { width, height: 844 }, hasTouch: true, isMobile: true }
          : { viewport: { width, height: 900 } };
      const page = await open({ ...size, colorScheme });
      await surface(page).waitFor();
      await takePicture(page, `draw-empty-${width}-${colorScheme}`);
      if (width === 1440)
        await page.getByRole("textbox", { name: "Prompt" }).fill("a harbour in autumn");
      await stroke(page);
      await picture(page).waitFor();
      await caughtUp(page);
      await page.getByRole("button", { name: "Pin picture" }).click();
      const toast = page.getByText("Pinned the picture and saved it in the library").first();
      const [shown, tools] = await Promise.all([
        toast.boundingBox(),
        page.getByRole("toolbar").boundingBox(),
      ]);
      expect(shown!.y).toBeGreaterThan(tools!.y + tools!.height);
      await page.getByRole("region", { name: "Pinned in this session" }).waitFor();
      await takePicture(page, `draw-much-${width}-${colorScheme}`);
      expect(await findBarriers(page)).toEqual([]);
      await page.context().close();
    }
  }
});
