import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { Message } from "#contract/entities.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import { composer, rememberModel, say, thread } from "../../support/browser/chat-in-browser.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { findBarriers, keepStrict } from "../../support/browser/strict-page.ts";
import { connectKind, type Studio, startStudio } from "../../support/browser/studio-in-browser.ts";
import { startServer } from "../../support/server/server-process.ts";
import { soon } from "../../support/soon.ts";
import { createTempFolder } from "../../support/temp.ts";

/** The network fails, or the server restarts, in the middle of a conversation. */
let browser: Browser;
let studio: Studio;
let simulator: Awaited<ReturnType<typeof startOpenAiCompatible>>;
let connectionId: string;
let stopServer: () => Promise<unknown>;
const dataFolder = createTempFolder("server-away");

beforeAll(async () => {
  [browser, studio, simulator] = await Promise.all([
    launchBrowser(),
    startStudio({ dataFolder }),
    startOpenAiCompatible({ defaults: { text: "At noon." } }),
  ]);
  stopServer = () => studio.stop();
  connectionId = await connectKind(studio.api, "openai-compatible", {
    api: simulator.url,
    key: simulator.key,
  });
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([stopServer(), simulator?.stop()]);
});

const port = () => new URL(studio.url).port;
async function startAgain(): Promise<void> {
  const server = await startServer({ dataFolder, env: { PORT: port() } });
  stopServer = () => server.stop();
}
beforeEach(async () => {
  // A test that failed without its server must not leave the others without one.
  const isHere = await fetch(`${studio.url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!isHere) await startAgain();
});

/** A conversation with one answer, in a separate profile. */
async function converse(words: string): Promise<Page> {
  const { page } = await studio.openAs(browser, { isNew: true });
  keepStrict(page);
  await rememberModel(page, studio.api, { connectionId, modelId: "sim-chat" });
  await page.goto("/chat");
  await say(page, words);
  await thread(page).getByText("At noon.").waitFor();
  // A message written before the answer has ended waits for its end.
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
  return page;
}
const unsent = (page: Page) => thread(page).getByText("Not sent yet.", { exact: false });
const idOf = (page: Page) => new URL(page.url()).pathname.split("/").at(-1);
const said = async (page: Page): Promise<string[]> => {
  const { messages } = await studio.api.get<{ messages: Message[] }>(
    `/conversations/${idOf(page)}`,
  );
  return messages
    .filter(({ role }) => role === "user")
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])));
};

it("a message written offline stays in the thread, says that it isn't sent, and is sent once by itself", async () => {
  const page = await converse("When is high tide?");
  const context = page.context();
  await context.setOffline(true);
  await say(page, "And low tide?");
  await unsent(page).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await thread(page).getByText("At noon.").waitFor();
  await composer(page).fill("And the day after");
  await context.setOffline(false);
  await unsent(page).waitFor({ state: "detached" });
  await soon(() => thread(page).getByText("At noon.").count()).toBe(2);
  expect(await composer(page).inputValue()).toBe("And the day after");
  expect(await said(page)).toEqual(["When is high tide?", "And low tide?"]);
});

it("a message whose reply was lost appears once, also in a second tab", async () => {
  const page = await converse("When is dawn?");
  const second = await page.context().newPage();
  await second.goto(page.url());
  await thread(second).getByText("At noon.").waitFor();
  let replies = 0;
  await page.route("**/messages", async (route) => {
    if (replies++ > 0) return route.continue();
    await route.fetch();
    await route.abort("connectionreset");
  });
  await say(page, "And dusk?");
  await soon(() => replies).toBeGreaterThan(1);
  await unsent(page).waitFor({ state: "detached" });
  for (const tab of [page, second])
    await soon(() => thread(tab).getByText("And dusk?").count()).toBe(1);
  expect(await said(page)).toEqual(["When is dawn?", "And dusk?"]);
});

it("a first message whose conversation was created without a reply uses that conversation, not a second", async () => {
  const { page } = await studio.openAs(browser, { isNew: true });
  keepStrict(page);
  await rememberModel(page, studio.api, { connectionId, modelId: "sim-chat" });
  await page.goto("/chat");
  let creations = 0;
  await page.route("**/api/v1/conversations", async (route) => {
    if (route.request().method() !== "POST" || creations++ > 0) return route.continue();
    await route.fetch();
    await route.abort("connectionreset");
  });
  await say(page, "When does the tram leave?");
  await thread(page).getByText("At noon.").waitFor();
  expect(creations).toBe(2);
  const { projectId } = studio.api;
  const { conversations } = await studio.api.get<{ conversations: { title: string }[] }>(
    `/conversations?projectId=${projectId}`,
  );
  const titles = conversations.map(({ title }) => title);
  expect(titles.filter((title) => title === "When does the tram leave?" || title === "")).toEqual([
    "When does the tram leave?",
  ]);
});

it("a waiting message can be moved back into the composer, with the text typed since", async () => {
  const page = await converse("When does the ferry go?");
  await page.context().setOffline(true);
  await say(page, "And back?");
  await unsent(page).waitFor();
  await composer(page).fill("By noon?");
  await thread(page).getByRole("button", { name: "Edit", exact: true }).last().click();
  await soon(() => composer(page).inputValue()).toBe("And back?\nBy noon?");
  await page.context().setOffline(false);
  expect(await said(page)).toEqual(["When does the ferry go?"]);
});

it("a waiting message of a conversation that was left is in its draft, with the text typed since", async () => {
  const page = await converse("When does the museum open?");
  const address = page.url();
  await page.context().setOffline(true);
  await say(page, "And close?");
  await unsent(page).waitFor();
  await composer(page).fill("On Sundays");
  await page
    .getByRole("main")
    .getByRole("button", { name: "New conversation" })
    .or(page.getByRole("button", { name: "New conversation" }))
    .first()
    .click();
  await soon(() => composer(page).inputValue()).toBe("");
  await page.goBack();
  await soon(() => page.url()).toBe(address);
  await soon(() => composer(page).inputValue()).toBe("And close?\nOn Sundays");
});

it("the conversation stays on screen while the server is stopped, nothing moves, and the message is sent after the start", async () => {
  const page = await converse("When does the market open?");
  const top = await thread(page).evaluate((element) => element.getBoundingClientRect().top);
  await stopServer();
  await say(page, "And close?");
  await unsent(page).waitFor();
  await page.getByText("Connection lost").waitFor();
  expect(await thread(page).evaluate((element) => element.getBoundingClientRect().top)).toBe(top);
  expect(await findBarriers(page)).toEqual([]);
  await startAgain();
  await unsent(page).waitFor({ state: "detached" });
  await page.getByText("Connection lost").waitFor({ state: "detached" });
  await soon(() => thread(page).getByText("At noon.").count()).toBe(2);
  expect(await said(page)).toEqual(["When does the market open?", "And close?"]);
});

it("a connection lost in mid-answer is reported at once, and the answer and the draft resume with the connection", async () => {
  const page = await converse("When does the library open?");
  simulator.script({ text: ["At ", "ten."], gate: { name: "ten", at: 1 } });
  await say(page, "And close?");
  await thread(page).getByText("At", { exact: true }).waitFor();
  // With a stopped clock no retry is due, so only the browser's network events can be noticed.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.context().setOffline(true);
  await page.getByText("Connection lost").waitFor();
  await composer(page).fill("And on Sundays?");
  await page.context().setOffline(false);
  await page.getByText("Connection lost").waitFor({ state: "detached" });
  await page.clock.resume();
  simulator.open("ten");
  await thread(page).getByText("At ten.", { exact: true }).waitFor();
  await soon(() => composer(page).inputValue()).toBe("And on Sundays?");
  await page.getByRole("button", { name: "Send" }).click();
  await soon(() => said(page)).toEqual([
    "When does the library open?",
    "And close?",
    "And on Sundays?",
  ]);
});

it("an answer that ends while the server is stopped is shown as ended once the server is back", async () => {
  const page = await converse("When does the harbor open?");
  simulator.script({ text: ["At ", "dusk."], gate: { name: "dusk", at: 1 } });
  await say(page, "And close?");
  await thread(page).getByText("At", { exact: true }).waitFor();
  // A stopping server's last act is to report the end, and nobody can ask it anything afterwards.
  let refusedAt = Number.POSITIVE_INFINITY;
  await page.route("**/api/v1/conversations/**", async (route) => {
    refusedAt = performance.now();
    await route.abort("connectionrefused");
  });
  simulator.open("dusk");
  // It asks again after 1 s and after 2 s, then gives up.
  await soon(() => performance.now() - refusedAt).toBeGreaterThan(3_000);
  await stopServer();
  await page.getByText("Connection lost").waitFor();
  await page.unroute("**/api/v1/conversations/**");
  await startAgain();
  await page.getByText("Connection lost").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Send" }).waitFor();
});

it("a screen whose code failed to load opens by itself once the server answers", async () => {
  const page = await converse("When is the concert?");
  await stopServer();
  await page.getByRole("navigation").getByRole("link", { name: "Library" }).first().click();
  await page.getByText("The server could not be reached.").waitFor();
  await startAgain();
  await page.getByRole("heading", { level: 1, name: "Library" }).waitFor();
});

it.each([
  ["/create", "main"],
  ["/library", "main h2"],
  ["/chat", "textarea"],
])(
  "a file dropped on %s without a server is held with the reason, and uploaded once after the start",
  async (path, onto) => {
    const name = `tide${path.replace("/", "-")}.txt`;
    const { page } = await studio.openAs(browser, { isNew: true });
    keepStrict(page);
    await page.goto(path);
    await page.locator(onto).first().waitFor();
    await page.waitForLoadState("networkidle");
    await stopServer();
    await page
      .locator(onto)
      .first()
      .evaluate((element, name) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(["High at noon."], name, { type: "text/plain" }));
        element.dispatchEvent(
          new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }),
        );
      }, name);
    const held = page.getByText(
      "The server could not be reached. The upload continues automatically.",
    );
    await held.waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await startAgain();
    await held.waitFor({ state: "detached" });
    await soon(async () => {
      const { assets } = await studio.api.get<{ assets: { title: string }[] }>(
        `/assets?projectId=${studio.api.projectId}`,
      );
      return assets.filter(({ title }) => title === name).length;
    }).toBe(1);
  },
);

it("a form filled in Create stays while the server is stopped, and runs once it is back", async () => {
  const { page } = await studio.openAs(browser, { isNew: true });
  keepStrict(page);
  await page.goto("/create");
  const prompt = page.getByRole("textbox", { name: /^Prompt/ });
  await prompt.fill("a lighthouse at low tide");
  const make = page.getByRole("button", { name: /^Make \d/ });
  // The button appears before the model's form.
  await soon(() => make.first().isEnabled()).toBe(true);
  await stopServer();
  await make.first().click();
  await page.getByText("The server could not be reached.").waitFor();
  expect(await prompt.inputValue()).toBe("a lighthouse at low tide");
  expect(await findBarriers(page)).toEqual([]);
  await startAgain();
  await page.getByText("Connection lost").waitFor({ state: "detached" });
  await make.first().click();
  await soon(async () => {
    const { runs } = await studio.api.get<{ runs: { input: { prompt?: string } }[] }>(
      `/runs?projectId=${studio.api.projectId}`,
    );
    return runs.filter(({ input }) => input.prompt === "a lighthouse at low tide").length;
  }).toBe(1);
});

const surface = (page: Page) => page.getByRole("application", { name: "Drawing" });
async function stroke(page: Page, from: number, to: number): Promise<void> {
  const box = (await surface(page).boundingBox())!;
  await page.mouse.move(box.x + box.width * from, box.y + box.height * from);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * to, box.y + box.height * to, { steps: 6 });
  await page.mouse.up();
}
/** The number of the newest frame on screen, and whether it shows the whole drawing. */
const frameOn = (page: Page) =>
  page.getByRole("img", { name: /^Live picture of/ }).evaluate((picture) => ({
    id: (picture as HTMLElement).dataset.frame,
    isBehind: picture.ariaBusy === "true",
  }));
const drawStatus = (page: Page, words: string | RegExp) =>
  page.getByRole("status").filter({ hasText: words });

it.each(["the server is stopped", "the network is gone"])(
  "a drawing made while %s waits, says so, and is sent once both are back",
  async (how) => {
    const { page, context } = await studio.openAs(browser);
    keepStrict(page);
    await page.goto("/draw");
    await page.getByRole("textbox", { name: "Prompt" }).fill("a lighthouse");
    await stroke(page, 0.2, 0.4);
    await drawStatus(page, "Live").waitFor();
    await soon(async () => (await frameOn(page)).isBehind).toBe(false);
    if (how === "the server is stopped") await stopServer();
    else await context.setOffline(true);
    await stroke(page, 0.5, 0.8);
    await drawStatus(page, "Waiting for the server. Your drawing is saved").waitFor();
    await soon(async () => (await frameOn(page)).isBehind).toBe(true);
    // The toast may be gone before a busy machine has reported the click.
    await Promise.all([
      page.getByText("The server could not be reached.").first().waitFor(),
      page.getByRole("button", { name: "Pin picture" }).click(),
    ]);
    await soon(() => page.getByRole("button", { name: "Pin picture" }).isEnabled()).toBe(true);
    expect(await findBarriers(page)).toEqual([]);
    if (how === "the server is stopped") await startAgain();
    else await context.setOffline(false);
    await drawStatus(page, "Live").waitFor();
    await soon(async () => (await frameOn(page)).isBehind).toBe(false);
    await page.getByRole("button", { name: "Pin picture" }).click();
    await page.getByText("Pinned the picture and saved it in the library").first().waitFor();
  },
);

it.each(["the server is stopped", "the network is gone"])(
  "an invitation created and accepted while %s is refused in a sentence, keeps the form, and works afterwards",
  async (how) => {
    const email = `${how.split(" ")[1]}@example.org`;
    const goAway = async (page: Page) =>
      how === "the server is stopped" ? stopServer() : page.context().setOffline(true);
    const comeBack = async (page: Page) => {
      if (how === "the server is stopped") await startAgain();
      else await page.context().setOffline(false);
    };
    const { page } = await studio.openAs(browser);
    keepStrict(page);
    await page.goto("/admin/people");
    await page.getByRole("button", { name: "Add person" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: /email/i }).fill(email);
    await goAway(page);
    const submit = dialog.getByRole("button", { name: "Create link" });
    await submit.click();
    await dialog.getByText("The server could not be reached.").waitFor();
    expect(await dialog.getByRole("textbox", { name: /email/i }).inputValue()).toBe(email);
    expect(await findBarriers(page)).toEqual([]);
    await comeBack(page);
    await submit.click();
    const link = await page.getByRole("textbox", { name: /link/i }).inputValue();

    const { page: guest } = await studio.openSignedOut(browser);
    keepStrict(guest);
    await guest.goto(link);
    await guest.getByRole("textbox", { name: /name/i }).fill("Grace Hopper");
    await guest.getByLabel(/^Password/).fill("a staple and a battery");
    await goAway(guest);
    const join = guest.getByRole("button", { name: "Create account" });
    await join.click();
    await guest.getByText("The server could not be reached.").waitFor();
    expect(await guest.getByRole("textbox", { name: /name/i }).inputValue()).toBe("Grace Hopper");
    expect(await findBarriers(guest)).toEqual([]);
    await comeBack(guest);
    await join.click();
    await guest.getByRole("navigation").first().waitFor();

    for (const name of [`Harbor ${how}`, `Pier ${how}`]) {
      const { project } = await studio.api.send<{ project: { id: string } }>("POST", "/projects", {
        name,
      });
      await studio.api.send("POST", `/projects/${project.id}/members`, { email, role: "editor" });
    }
    await guest.goto("/");
    await guest.getByRole("button", { name: "Review", exact: true }).click();
    const accept = guest.getByRole("button", { name: "Join", exact: true });
    await accept.first().click();
    await guest
      .getByText(/^Joined /)
      .first()
      .waitFor();
    await soon(() => accept.count()).toBe(1);
    await goAway(guest);
    await accept.click();
    await guest.getByText("The server could not be reached.").first().waitFor();
    await accept.waitFor();
    await comeBack(guest);
    await accept.click();
    await soon(() => accept.count()).toBe(0);
  },
);
