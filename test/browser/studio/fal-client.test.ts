import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset, Run } from "#contract/entities.ts";
import { type FalSimulator, startFal } from "../../simulators/fal.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { keepStrict } from "../../support/browser/strict-page.ts";
import {
  connectKind,
  type Studio,
  signInWith,
  startStudio,
} from "../../support/browser/studio-in-browser.ts";
import { createFalApp } from "../../support/fal-app/fal-app.ts";
import { until } from "../../support/server/instance.ts";
import { falModel, smallPicture } from "../../support/studio/fal-door.ts";

type App = Awaited<ReturnType<typeof createFalApp>>;
type Pictures = { images: { url: string }[] };

let browser: Browser;
let studio: Studio;
let fal: FalSimulator;
let app: App;
let site: Awaited<ReturnType<App["serve"]>>;
/** The credentials that the app's page sends; by default the key. */
let credentials: string;

beforeAll(async () => {
  [browser, studio, fal, app] = await Promise.all([
    launchBrowser(),
    startStudio(),
    startFal(),
    createFalApp(),
  ]);
  site = await app.serve(() => ({ proxyUrl: `${studio.url}/api/fal/proxy`, credentials }));
  // As in the manual: the app's origin on the connection, and a key with the needed scopes.
  await connectKind(studio.api, "fal", { ...fal.values, appOrigins: site.origin });
  const key = {
    name: "an app",
    projectId: studio.api.projectId,
    scopes: ["runs:write", "assets:write"],
  };
  credentials = (await studio.api.send<{ token: string }>("POST", "/me/keys", key)).token;
  await until("the models are there", async () => {
    const { models } = await studio.api.get<{ models: { modelId: string }[] }>(
      `/models?projectId=${studio.api.projectId}`,
    );
    return models.some(({ modelId }) => modelId === falModel);
  });
});
afterAll(async () => {
  await browser?.close();
  site?.stop();
  await studio?.stop();
  await fal?.stop();
});

async function open(page: Page, url = `${site.origin}/app.html`): Promise<Page> {
  keepStrict(page);
  await page.goto(url);
  return page;
}
const openApp = async (): Promise<Page> => open(await (await browser.newContext()).newPage());
const runOf = async (id: string) =>
  studio.api.get<{ run: Run; apiKey: { name: string } | null; assets: Asset[] }>(`/runs/${id}`);
/** Subscribes like an app: returns the picture's address, the run, and the updates on the way. */
const subscribe = (page: Page, prompt: string, mode: "polling" | "streaming" = "polling") =>
  page.evaluate(
    async ([name, input, how]) => {
      const told: string[] = [];
      const onQueueUpdate = ({ status }: { status: string }): void => void told.push(status);
      const { data, requestId } = await window.fal.subscribe(name, {
        input,
        logs: true,
        mode: how,
        onQueueUpdate,
      });
      return { url: (data as Pictures).images[0]!.url, requestId, told };
    },
    [falModel, { prompt, ...smallPicture }, mode] as const,
  );
/** The width of a picture that the page shows by its address alone. */
const shownWidth = (page: Page, url: string): Promise<number> =>
  page.evaluate(async (src) => {
    const picture = Object.assign(new Image(), { src });
    document.body.append(picture);
    await picture.decode();
    return picture.naturalWidth;
  }, url);

it("a request from another site through fal's client is a run with its price and file, and the page shows the picture", async () => {
  const page = await openApp();
  for (const mode of ["polling", "streaming"] as const) {
    const prompt = `a ferry by ${mode}`;
    const { url, requestId, told } = await subscribe(page, prompt, mode);
    expect([told.at(-1), await shownWidth(page, url)]).toEqual(["COMPLETED", 64]);
    const { run, apiKey, assets } = await runOf(requestId);
    expect(run).toMatchObject({
      state: "succeeded",
      modelId: falModel,
      costMicros: 25_000,
      input: { prompt },
    });
    expect([apiKey?.name, assets.length, new URL(url).pathname.includes(assets[0]!.id)]).toEqual([
      "an app",
      1,
      true,
    ]);
    expect(fal.ledger.postsOf(prompt)).toBe(1);
  }
});

it("a file uploaded by the page is in the library, and a run reads it", async () => {
  const page = await openApp();
  const { url, requestId } = await page.evaluate(async (model) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 48, height: 48 });
    canvas.getContext("2d")!.fillRect(8, 8, 20, 20);
    const bytes = await new Promise<Blob>((resolve) =>
      canvas.toBlob((blob) => resolve(blob!), "image/png"),
    );
    const url = await window.fal.storage.upload(
      new File([bytes], "a sketch.png", { type: "image/png" }),
    );
    const { requestId } = await window.fal.subscribe(model, {
      input: { prompt: "from a sketch", image_url: url },
    });
    // Again, with the file inside the input: the client uploads it by itself.
    await window.fal.subscribe(model, {
      input: { prompt: "from a sketch inside", image_url: bytes as unknown as string },
    });
    return { url, requestId };
  }, `${falModel}/image-to-image`);
  expect(await shownWidth(page, url)).toBe(48);
  const { assets } = await studio.api.get<{ assets: Asset[] }>(
    `/assets?projectId=${studio.api.projectId}`,
  );
  const sketch = assets.find(({ title }) => title === "a sketch.png");
  expect((await runOf(requestId)).run).toMatchObject({
    state: "succeeded",
    input: { image_url: `asset:${sketch?.id}` },
  });
  expect([fal.ledger.postsOf("from a sketch"), fal.ledger.postsOf("from a sketch inside")]).toEqual(
    [1, 1],
  );
});

it("a stream ends with the result", async () => {
  const page = await openApp();
  const { url, requestId } = await page.evaluate(
    async ([model, input]) => {
      const stream = await window.fal.stream(model, { input });
      const done = (await stream.done()) as Pictures;
      return { url: done.images[0]!.url, requestId: stream.requestId };
    },
    [falModel, { prompt: "a streamed ferry", ...smallPicture }] as const,
  );
  expect(await shownWidth(page, url)).toBe(64);
  expect((await runOf(requestId!)).run).toMatchObject({ state: "succeeded", costMicros: 25_000 });
});

/** What an app reads of a refusal. */
const refusalOf = (page: Page, input: object) =>
  page.evaluate(
    ([model, wrong]) =>
      window.fal.subscribe(model, { input: wrong }).then(
        () => undefined,
        ({ name, status, body }) => ({ name, status, detail: body?.detail }),
      ),
    [falModel, input] as const,
  );

it("a page can read why it was refused", async () => {
  const page = await openApp();
  expect(
    await refusalOf(page, { prompt: "a wrong ferry", num_inference_steps: 900 }),
  ).toMatchObject({
    ...{ name: "ValidationError", status: 422, detail: [{ loc: ["body", "num_inference_steps"] }] },
  });
  const key = credentials;
  credentials = "bottega_wrong";
  const stranger = await openApp();
  credentials = key;
  expect(await refusalOf(stranger, { prompt: "a stranger's ferry" })).toMatchObject({
    ...{
      name: "ApiError",
      status: 401,
      detail: expect.stringContaining("This API key is unknown"),
    },
  });
});

it("a page of an unlisted site gets no answer and starts no run", async () => {
  const other = await app.serve(() => ({ proxyUrl: `${studio.url}/api/fal/proxy`, credentials }));
  const page = await open(await (await browser.newContext()).newPage(), `${other.origin}/app.html`);
  expect(await refusalOf(page, { prompt: "an unnamed ferry" })).toMatchObject({
    name: "TypeError",
  });
  other.stop();
  expect(fal.ledger.postsOf("an unnamed ferry")).toBe(0);
});

it("a page of Bottega's own address needs no key, only a session", async () => {
  const own = `${studio.url}/tools/app.html`;
  const openOwn = async (cookie?: string): Promise<Page> => {
    const context = await browser.newContext();
    // As served by a proxy in front of both.
    await context.route(own, (route) =>
      route.fulfill({
        contentType: "text/html",
        body: app.pageWith({ proxyUrl: `/api/fal/proxy?projectId=${studio.api.projectId}` }),
      }),
    );
    if (cookie) await signInWith(context, studio.url, cookie);
    return open(await context.newPage(), own);
  };
  const page = await openOwn(studio.api.cookie);
  const { url, requestId } = await subscribe(page, "a ferry of the house");
  expect(await shownWidth(page, url)).toBe(64);
  expect(await runOf(requestId)).toMatchObject({
    run: { state: "succeeded", costMicros: 25_000 },
    apiKey: null,
  });
  expect(await refusalOf(await openOwn(), { prompt: "a ferry of nobody" })).toMatchObject({
    status: 401,
  });
});
