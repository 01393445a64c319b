import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import {
  type OpenAiCompatible,
  startOpenAiCompatible,
} from "../../simulators/openai-compatible.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { findBarriers, watchPage } from "../../support/browser/strict-page.ts";
import { type Studio, startStudio } from "../../support/browser/studio-in-browser.ts";
import { atUsualPort } from "../../support/server/usual-port.ts";
import { soon } from "../../support/soon.ts";

/** LM Studio's port, which the server checks by itself. */
const lmStudioPort = 1234;
const password = "correct horse battery";

let browser: Browser;
let studio: Studio;
let local: OpenAiCompatible;
let context: BrowserContext;
let page: Page;
let breaches: string[];

beforeAll(async () => {
  // The test's trusted proxy gives each visitor a separate address, so that none is rate limited
  // for another's attempts.
  const env = { FAL_KEY: "planted-key", BOTTEGA_TRUSTED_PROXIES: "127.0.0.1" };
  [browser, studio, local] = await Promise.all([
    launchBrowser(),
    startStudio({ setUp: false, env }),
    atUsualPort(() => startOpenAiCompatible({ port: lmStudioPort, key: null })),
  ]);
});
let visitor = 0;
beforeEach(async () => {
  ({ context, page } = await studio.openSignedOut(browser, {
    extraHTTPHeaders: { "x-forwarded-for": `10.1.0.${++visitor}` },
  }));
  breaches = watchPage(page);
});
afterEach(async () => {
  expect(breaches).toEqual([]);
  await context.close();
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([studio?.stop(), local?.stop()]);
});

const openLink = () => page.goto(`/setup#code=${studio.setupCode}`);
const field = (label: string) => page.getByLabel(label, { exact: true });
const submit = () => page.getByRole("button", { name: /^Create account/ }).click();

async function fillForm(): Promise<void> {
  await field("Your name").fill("Ada Lovelace");
  await field("Email").fill("ada@example.org");
  await field("Password").fill(password);
}

it("the set-up page makes no request that is refused", async () => {
  const refused: string[] = [];
  page.on("response", (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
  });
  await openLink();
  await field("Your name").waitFor();
  await page.waitForLoadState("networkidle");
  expect(refused).toEqual([]);
});

it("before there is an owner, every address leads to the set-up, which asks for the code", async () => {
  await page.goto("/library");
  await page.waitForURL("**/setup");
  await field("Setup code").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  // Without a frame, too, the page follows the system's theme.
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    await soon(theme).toBe(colorScheme);
  }
});

it("the printed link opens the form, and its code is removed from the address bar", async () => {
  await openLink();
  await field("Your name").waitFor();
  expect(new URL(page.url()).hash).toBe("");
  await page.reload();
  await field("Your name").waitFor();
});

it("a wrong code is reported in a sentence, and the form keeps its values", async () => {
  await openLink();
  await fillForm();
  await page.evaluate(() => location.assign("#code=wrong"));
  await page
    .getByText("The setup code is wrong. Open the link that the server printed at its start.")
    .waitFor();
  expect(await field("Setup code").inputValue()).toBe("wrong");
  await field("Setup code").fill(`http://127.0.0.1:4620/setup#code=${studio.setupCode}`);
  await page.keyboard.press("Enter");
  await field("Your name").waitFor();
  expect(
    await Promise.all(["Your name", "Email", "Password"].map((label) => field(label).inputValue())),
  ).toEqual(["Ada Lovelace", "ada@example.org", password]);
});

it("a weak password and an invalid address are reported at their fields, and the form keeps its values", async () => {
  await openLink();
  await fillForm();
  await field("Password").fill("short");
  await submit();
  await page.getByText("This password is too short. Use at least 10 characters.").waitFor();
  await field("Password").fill(password);
  await field("Email").fill("ada at example");
  await submit();
  await page.getByText("This is not an email address.", { exact: true }).waitFor();
  expect(await field("Password").inputValue()).toBe(password);
  expect(await field("First project").inputValue()).toBe("Ada Lovelace’s project");
  expect(await findBarriers(page)).toEqual([]);
});

it("the form survives a reload, except the password", async () => {
  await openLink();
  await fillForm();
  await page.reload();
  await field("Your name").waitFor();
  expect(await field("Your name").inputValue()).toBe("Ada Lovelace");
  expect(await field("Password").inputValue()).toBe("");
});

it("a computer without discovered services says that the built-in models work at once", async () => {
  await page.route("**/api/v1/setup/look-around", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { found: [] } });
  });
  await openLink();
  await page.getByText("The built-in models work without them").waitFor();
});

it("an unencrypted connection is reported over a network, and not on the same machine", async () => {
  await page.goto("/setup");
  await field("Setup code").waitFor();
  expect(await page.getByText("is not encrypted").count()).toBe(0);
  // The same server under a name on the local network.
  await page.route("http://studio.local/**", async (route) => {
    const { pathname, search } = new URL(route.request().url());
    await route.fulfill({
      response: await route.fetch({ url: `${studio.url}${pathname}${search}` }),
    });
  });
  await page.goto("http://studio.local/setup");
  await page.getByText("This connection is not encrypted").waitFor();
});

it("discovered services are offered unticked, and a ticked one that has stopped is reported on Home", async () => {
  await openLink();
  await fillForm();
  const found = page.getByRole("region", { name: "Found on this machine" });
  await found.getByLabel("Server at port 1234").waitFor();
  await found.getByText("key in FAL_KEY").waitFor();
  expect(await found.getByRole("checkbox", { checked: true }).count()).toBe(0);
  await found.getByLabel("Server at port 1234").check();
  await local.stop();
  await page.getByRole("button", { name: "Create account and connect 1 service" }).click();
  await page.waitForURL(`${studio.url}/`);
  await page.getByText("Server at port 1234 could not be connected").waitFor();
  await page.getByText("This server or key is no longer available.").waitFor();
});

it("after the set-up the owner is signed in to a first project, only chosen services are connected, and the code is void", async () => {
  await openLink();
  await page.getByText("This Bottega is already set up").waitFor();
  await page.getByRole("link", { name: "Sign in" }).click();
  await field("Email").fill("ada@example.org");
  await field("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${studio.url}/`);
  const me = await (await context.request.get("/api/v1/me")).json();
  expect(me.user).toMatchObject({ role: "owner", email: "ada@example.org" });
  expect(me.projects.map(({ name }: { name: string }) => name)).toEqual(["Ada Lovelace’s project"]);
  const { connections } = await (await context.request.get("/api/v1/connections")).json();
  expect(connections.map(({ kind }: { kind: string }) => kind)).toEqual(["builtin"]);
  const again = await context.request.post("/api/v1/setup/look-around", {
    data: { code: studio.setupCode },
    headers: { origin: studio.url },
  });
  expect(again.status()).toBe(409);
});
