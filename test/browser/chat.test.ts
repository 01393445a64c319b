import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Locator, Page, WebSocketRoute } from "playwright-core";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Conversation, Message, Run } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { type OpenAiCompatible, startOpenAiCompatible } from "../simulators/openai-compatible.ts";
import { launchBrowser } from "../support/chromium.ts";
import { connectKind, type Studio, startStudio } from "../support/studio-in-browser.ts";

/** How long what should appear may take on a busy machine. */
const waitMs = 10_000;
const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: waitMs });

let browser: Browser;
let studio: Studio;
let simulator: OpenAiCompatible;
let connectionId: string;
let page: Page;
const opened: Page[] = [];

beforeAll(async () => {
  [browser, studio, simulator] = await Promise.all([launchBrowser(), startStudio(), startOpenAiCompatible()]);
  connectionId = await connectKind(studio.api, "openai-compatible", { api: simulator.url, key: simulator.key }, "Studio key");
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.context().close();
});
afterAll(async () => {
  await browser?.close();
  await simulator?.stop();
  await studio?.stop();
});

/** A page of its own browser profile, signed in. */
async function openPage(path: string): Promise<Page> {
  const { page: fresh, context } = await studio.openAs(browser);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  opened.push(fresh);
  fresh.setDefaultTimeout(waitMs);
  await fresh.goto(path);
  await composer(fresh).waitFor();
  return fresh;
}
const composer = (on: Page) => on.getByRole("textbox", { name: "Message", exact: true });
const button = (name: string | RegExp, on = page) => on.getByRole("button", { name, exact: typeof name === "string" });
const thread = (on = page) => on.getByRole("region", { name: "Conversation" });

const textOf = async (shown: Locator): Promise<string> => ((await shown.textContent()) ?? "").trim();

type ChatBody = {
  messages: { role: string; content: { type: string; text?: string }[] }[];
  max_tokens?: number;
  max_completion_tokens?: number;
};

async function say(text: string, on = page): Promise<void> {
  await composer(on).fill(text);
  await composer(on).press("Enter");
}
/** A conversation made over HTTP, with a whole answer of the simulator. */
async function converse(text: string, answer: string): Promise<{ conversation: Conversation; message: Message; run: Run }> {
  const { conversation } = await studio.api.send<{ conversation: Conversation }>("POST", "/conversations", {
    projectId: studio.api.projectId,
  });
  simulator.script({ text: answer });
  const said = await studio.api.send<{ message: Message; run: Run }>("POST", `/conversations/${conversation.id}/messages`, {
    parentId: null,
    text,
    ask: { model: { connectionId, modelId: "sim-chat" } },
  });
  await eventually(() => stateOf(said.run.id)).toBe("succeeded");
  return { conversation, message: said.message, run: said.run };
}
const stateOf = async (runId: string) => (await studio.api.get<{ run: Run }>(`/runs/${runId}`)).run.state;
const messagesOf = async (on = page) => {
  const id = new URL(on.url()).pathname.split("/").at(-1);
  return (await studio.api.get<{ messages: Message[] }>(`/conversations/${id}`)).messages;
};
/** An answer of numbered words, so that one that is missing or doubled is seen. */
const words = Array.from({ length: 60 }, (_, place) => `word${place} `);
const whole = words.join("").trim();

/** Asks something whose answer stops before a word until the gate is opened. */
async function askGated(gate: string, at: number): Promise<void> {
  simulator.script({ text: words, gate: { name: gate, at } });
  page = await openPage("/chat");
  await say("Count for me");
  await page.getByText(`word${at - 1}`).waitFor();
}

it("a question begins a conversation, and the guide's answer comes with its sources, free of charge", async () => {
  page = await openPage("/chat");
  await button(/Choose another/).click();
  await page.getByPlaceholder("Search models").fill("guide");
  await page.getByRole("option", { name: /Guide/ }).click();
  await say("How do I connect a model?");
  await page.waitForURL(/\/chat\/[0-9a-f-]{36}/);
  await button("Answer again").waitFor();
  await page.getByRole("heading", { name: "Sources" }).waitFor();
  await thread()
    .getByText(/^free · /)
    .waitFor();
  expect(await textOf(page.getByRole("navigation", { name: "Conversations" }))).toContain("How do I connect a model?");
});

it("an answer goes on after a reload in the middle, no character twice, none lost", async () => {
  await askGated("reload", 20);
  await page.waitForURL(/\/chat\/[0-9a-f-]{36}/);
  await page.reload();
  await page.getByText("word19").waitFor();
  simulator.open("reload");
  await button("Answer again").waitFor();
  expect(await textOf(thread().locator("p", { hasText: "word0 " }))).toBe(whole);
});

it("a socket that drops in mid-answer is resumed, no character twice, none lost", async () => {
  const sockets: WebSocketRoute[] = [];
  page = await openPage("/chat");
  await page.routeWebSocket("**/api/v1/live", (socket) => {
    sockets.push(socket);
    socket.connectToServer();
  });
  await page.reload();
  simulator.script({ text: words, gate: { name: "drop", at: 25 } });
  await say("Count for me");
  await page.getByText("word24").waitFor();
  await sockets.at(-1)?.close();
  simulator.open("drop");
  await button("Answer again").waitFor();
  expect(sockets.length).toBeGreaterThan(1);
  expect(await textOf(thread().locator("p", { hasText: "word0 " }))).toBe(whole);
});

it("a second tab shows the same answer as it comes", async () => {
  await askGated("tabs", 30);
  const first = page;
  const second = await first.context().newPage();
  await second.goto(first.url());
  await second.getByText("word29").waitFor();
  simulator.open("tabs");
  await button("Answer again", second).waitFor();
  expect(await textOf(thread(second).locator("p", { hasText: "word0 " }))).toBe(whole);
});

it("Escape stops an answer: what came is kept, and Continue goes on from it", async () => {
  await askGated("stop", 3);
  await page.keyboard.press("Escape");
  // The provider still waits at its gate: it is we who stop.
  await page.getByText("You stopped this answer.").waitFor();
  simulator.open("stop");
  expect(await textOf(thread())).toContain("word0 word1 word2");
  simulator.script({ text: "and the rest." });
  await button("Continue").click();
  await page.getByText(/word2 ?and the rest\./).waitFor();
  await button("Answer again").waitFor();
  await page.getByRole("group", { name: "2 of 2 versions" }).waitFor();
  expect((await messagesOf()).filter(({ role }) => role === "assistant")).toHaveLength(2);
});

it("an answer torn in the middle keeps what came and says what to do", async () => {
  simulator.script({ text: words, fault: { kind: "reset", at: 5 } });
  page = await openPage("/chat");
  await say("Tear it");
  const problem = page.getByRole("alert").filter({ hasText: "The answer stopped in the middle." });
  await problem.getByText(/What came is kept\./).waitFor();
  expect(await textOf(thread())).toContain("word0 word1");
  await button("Continue").waitFor();
});

it("answering again makes a branch, and the arrows lead from one to the other", async () => {
  const { conversation } = await converse("Say a colour", "Ochre it is.");
  page = await openPage(`/chat/${conversation.id}`);
  simulator.script({ text: "Umber it is." });
  await button("Answer again").click();
  await page.getByText("Umber it is.").waitFor();
  await page.getByRole("group", { name: "2 of 2 versions" }).waitFor();
  await button("Previous version").click();
  await page.getByText("Ochre it is.").waitFor();
  expect(await page.getByText("Umber it is.").count()).toBe(0);
  // The branch is the conversation's own: a reload shows it again.
  await page.reload();
  await page.getByText("Ochre it is.").waitFor();
});

it("editing a message and asking again makes a branch; nothing is overwritten", async () => {
  const { conversation } = await converse("Say a colour of clay", "Terracotta.");
  page = await openPage(`/chat/${conversation.id}`);
  await thread().getByText("Say a colour of clay").hover();
  await button("Edit").click();
  const editor = page.getByRole("textbox", { name: "Edit your message" });
  await editor.fill("Say a colour of water");
  simulator.script({ text: "Teal." });
  await button("Save and ask").click();
  await page.getByText("Teal.").waitFor();
  await page.getByRole("group", { name: "2 of 2 versions" }).waitFor();
  const texts = (await messagesOf()).flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])));
  expect(texts).toEqual(["Say a colour of clay", "Terracotta.", "Say a colour of water", "Teal."]);
});

it("Up in an empty composer edits the last message, and it can be saved without asking", async () => {
  const { conversation } = await converse("First thought", "An answer.");
  page = await openPage(`/chat/${conversation.id}`);
  await thread().getByText("First thought").waitFor();
  const postsBefore = simulator.posts.length;
  await composer(page).press("ArrowUp");
  await page.getByRole("textbox", { name: "Edit your message" }).fill("Second thought");
  await button("Save without asking").click();
  await thread().getByText("Second thought").waitFor();
  await page.getByRole("group", { name: "2 of 2 versions" }).waitFor();
  expect((await messagesOf()).filter(({ role }) => role === "assistant")).toHaveLength(1);
  expect(simulator.posts).toHaveLength(postsBefore);
});

it("search finds what was said in any conversation, shows the words around it, and opens the place", async () => {
  await converse("Tell me of lighthouses", "The Fresnel lens bends light to the horizon.");
  page = await openPage("/chat");
  await composer(page).blur();
  await page.keyboard.press("/");
  await page.keyboard.type("fresnel");
  const hit = page.getByRole("navigation", { name: "Messages found" }).getByRole("link");
  await hit.getByText("Fresnel").waitFor();
  await hit.click();
  await thread().getByText("The Fresnel lens bends light to the horizon.").waitFor();
  expect(new URL(page.url()).searchParams.get("q")).toBe("fresnel");
});

it("a conversation is renamed, pinned, archived and taken out again", async () => {
  const { conversation } = await converse("Plan the almanac", "Begin with May.");
  page = await openPage(`/chat/${conversation.id}`);
  const menu = page.getByRole("main").getByRole("button", { name: /What to do with/ });
  const list = page.getByRole("navigation", { name: "Conversations" });
  await menu.click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Title" }).fill("Almanac, first plan");
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  await list.getByRole("link", { name: "Almanac, first plan" }).waitFor();
  await menu.click();
  await page.getByRole("menuitem", { name: "Pin" }).click();
  await list.getByRole("heading", { name: "Pinned" }).waitFor();
  await menu.click();
  await page.getByRole("menuitem", { name: "Archive" }).click();
  await eventually(() => list.getByRole("link", { name: "Almanac, first plan" }).count()).toBe(0);
  await page.getByRole("link", { name: "Archived conversations" }).click();
  await page.getByRole("navigation", { name: "Archived" }).getByRole("link", { name: "Almanac, first plan" }).waitFor();
  await menu.click();
  await page.getByRole("menuitem", { name: "Take out of the archive" }).click();
  await page.getByRole("link", { name: "Back to all conversations" }).click();
  await list.getByRole("link", { name: "Almanac, first plan" }).waitFor();
});

it("a conversation moved to the trash comes back with undo", async () => {
  const { conversation } = await converse("A passing thought", "Gone soon.");
  page = await openPage(`/chat/${conversation.id}`);
  await page
    .getByRole("main")
    .getByRole("button", { name: /What to do with/ })
    .click();
  await page.getByRole("menuitem", { name: "Move to the trash" }).click();
  await page.waitForURL(/\/chat(\?|$)/);
  const link = page.getByRole("navigation", { name: "Conversations" }).getByRole("link", { name: "A passing thought" });
  await eventually(() => link.count()).toBe(0);
  await button("Undo").click();
  await link.waitFor();
  await thread().getByText("Gone soon.").waitFor();
});

it("a conversation is its author's alone until shared with the project", async () => {
  const { conversation } = await converse("Shall I share it", "As you like.");
  page = await openPage(`/chat/${conversation.id}`);
  const visibility = async () =>
    (await studio.api.get<{ conversation: Conversation }>(`/conversations/${conversation.id}`)).conversation.visibility;
  expect(await visibility()).toBe("author");
  await button("Share").click();
  await page.getByText("Everyone in the project can read this conversation").waitFor();
  expect(await visibility()).toBe("project");
  await button("Shared").waitFor();
});

it("who a conversation was shared with can read it, and not write in it", async () => {
  const { conversation } = await converse("Read this with me", "Gladly, said the model.");
  await studio.api.send("PATCH", `/conversations/${conversation.id}`, { visibility: "project" });
  const invited = await studio.api.send<{ link: string }>("POST", "/people/invites", { email: "bea@example.org" });
  const token = invited.link.split("/join/")[1] ?? "";
  const joined = await fetch(`${studio.url}/api/v1/invites/${token}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "Bea", password: "another long password" }),
  });
  await studio.api.send("POST", `/projects/${studio.api.projectId}/members`, { email: "bea@example.org", role: "editor" });
  const [name = "", value = ""] = (joined.headers.getSetCookie()[0]?.split(";")[0] ?? "").split(/=(.*)/s);
  const { page: theirs, context } = await studio.openAs(browser);
  opened.push(theirs);
  theirs.setDefaultTimeout(waitMs);
  await context.addCookies([{ name, value, url: studio.url }]);
  await theirs.goto(`/chat/${conversation.id}`);
  await thread(theirs).getByText("Gladly, said the model.").waitFor();
  await theirs.getByText("Someone shared this conversation with the project. You can read it.").waitFor();
  expect(await composer(theirs).count()).toBe(0);
  expect(await button("Answer again", theirs).count()).toBe(0);
});

it("files go in by button, paste and drop; what no model reads is refused with a sentence", async () => {
  const picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: "#b5522d" } })
    .png()
    .toBuffer();
  page = await openPage("/chat");
  const chooser = page.waitForEvent("filechooser");
  await button("Attach files").click();
  await (await chooser).setFiles({ name: "harbour.png", mimeType: "image/png", buffer: picture });
  await button("Take harbour.png away").waitFor();
  const give = (kind: "paste" | "drop", name: string, type: string, content: string) =>
    composer(page).evaluate(
      (area, file) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([file.content], file.name, { type: file.type }));
        const facts = { bubbles: true, cancelable: true };
        area.dispatchEvent(
          file.kind === "paste"
            ? new ClipboardEvent("paste", { ...facts, clipboardData: transfer })
            : new DragEvent("drop", { ...facts, dataTransfer: transfer }),
        );
      },
      { kind, name, type, content },
    );
  await give("paste", "notes.md", "text/markdown", "# Tides\nHigh at noon.");
  await button("Take notes.md away").waitFor();
  await give("drop", "film.mp4", "video/mp4", "not a film");
  await page.getByText("“film.mp4” can't go into a conversation: pictures, text and PDF can.").waitFor();
  await give("drop", "tides.txt", "text/plain", "Low at six.");
  await button("Take tides.txt away").waitFor();
  await button("Take tides.txt away").click();
  // A message waits for its files: what is on its way has the same name as what is there.
  await eventually(() => page.getByRole("progressbar", { name: /Uploading/ }).count()).toBe(0);
  simulator.script({ text: "I see a square." });
  await say("What is on it?");
  await page.getByText("I see a square.").waitFor();
  await thread().getByRole("img", { name: "harbour.png" }).waitFor();
  const body = simulator.posts.at(-1)?.body as ChatBody | undefined;
  const content = body?.messages.at(-1)?.content ?? [];
  expect(content.map(({ type }) => type)).toContain("image_url");
  expect(JSON.stringify(content)).toContain("High at noon.");
  expect(JSON.stringify(content)).not.toContain("Low at six.");
});

it("a pasted novel is kept, and the sentence under it names the limit", async () => {
  page = await openPage("/chat");
  await composer(page).fill("n".repeat(limits.messageCharacters + 1));
  await page.getByText("200,001 of at most 200,000 characters").waitFor();
  expect(await button("Send").isDisabled()).toBe(true);
  await page.reload();
  await composer(page).waitFor();
  expect((await composer(page).inputValue()).length).toBe(limits.messageCharacters + 1);
});

it("a draft is kept for each conversation, over a reload too", async () => {
  const { conversation } = await converse("Where drafts live", "On your device.");
  page = await openPage("/chat");
  await composer(page).fill("for a new one");
  await page.getByRole("navigation", { name: "Conversations" }).getByRole("link", { name: "Where drafts live" }).click();
  await thread().getByText("On your device.").waitFor();
  expect(await composer(page).inputValue()).toBe("");
  await composer(page).fill("for the old one");
  await page.reload();
  await eventually(() => composer(page).inputValue()).toBe("for the old one");
  await page.goto("/chat");
  await eventually(() => composer(page).inputValue()).toBe("for a new one");
  expect(conversation.id).not.toBe("");
});

it("a reply that was lost on the way doubles nothing when it is sent again", async () => {
  page = await openPage("/chat");
  const postsBefore = simulator.posts.length;
  let isLost = true;
  await page.route("**/messages", async (route) => {
    if (!isLost) return route.continue();
    isLost = false;
    await route.fetch();
    await route.abort();
  });
  simulator.script({ text: "Heard once." });
  await say("Do you hear me?");
  await page.getByText("The server could not be reached.").waitFor();
  expect(await composer(page).inputValue()).toBe("Do you hear me?");
  await button("Try again").click();
  await page.getByText("Heard once.").waitFor();
  expect(await messagesOf()).toHaveLength(2);
  expect(simulator.posts).toHaveLength(postsBefore + 1);
});

it("what is sent before the page knows its models goes as soon as it does", async () => {
  page = await openPage("/chat");
  const held = Promise.withResolvers<void>();
  await page.route("**/api/v1/models**", async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.reload();
  simulator.script({ text: "No hurry." });
  await say("I was quick");
  await page.getByText("Sending…").waitFor();
  held.resolve();
  await page.getByText("No hurry.").waitFor();
  expect(await messagesOf()).toHaveLength(2);
});

it("words typed while a message is on its way stay in the composer", async () => {
  const { conversation } = await converse("Are you slow?", "Only the line is.");
  page = await openPage(`/chat/${conversation.id}`);
  await thread().getByText("Only the line is.").waitFor();
  const held = Promise.withResolvers<void>();
  await page.route("**/messages", async (route) => {
    await held.promise;
    await route.continue();
  });
  simulator.script({ text: "There it is." });
  await say("One");
  await thread().getByText("One", { exact: true }).waitFor();
  await composer(page).fill("and two");
  held.resolve();
  await page.getByText("There it is.").waitFor();
  expect(await composer(page).inputValue()).toBe("and two");
});

it("a wrong key is told in words, with what is safe and the way to the connection", async () => {
  simulator.script({ fault: { kind: "status", status: 401 } });
  page = await openPage("/chat");
  await say("Is the key good?");
  const problem = thread().getByRole("alert");
  await problem.getByText("Your message is kept and nothing was charged.").waitFor();
  const link = problem.getByRole("link", { name: "Open the connection Studio key" });
  expect(await link.getAttribute("href")).toBe(`/admin/connections?connection=${connectionId}`);
  await problem.getByRole("button", { name: "Answer again" }).waitFor();
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
});

it("an answer we never heard of is unconfirmed and not sent again by itself", async () => {
  page = await openPage("/chat");
  const postsBefore = simulator.posts.length;
  simulator.script({ fault: { kind: "reset", at: "request" } });
  await say("Did it arrive?");
  await thread().getByText("Unconfirmed: We sent it and never heard back.").waitFor();
  await thread()
    .getByText(/Look at the provider before you make it again/)
    .waitFor();
  expect(simulator.posts).toHaveLength(postsBefore + 1);
});

it("the model picker searches every connection and remembers the model last used", async () => {
  page = await openPage("/chat");
  await button(/Choose another/).click();
  await page.getByPlaceholder("Search models").fill("sim-vis");
  await page.getByRole("option", { name: /owner\/sim-vision/ }).waitFor();
  await eventually(() => page.getByRole("option").count()).toBe(1);
  await page.keyboard.press("Enter");
  await button("Model: owner/sim-vision. Choose another").waitFor();
  await page.reload();
  await button("Model: owner/sim-vision. Choose another").waitFor();
});

it("the system prompt and the model's own settings go in with the next answer", async () => {
  page = await openPage("/chat");
  await button("Settings of the conversation").click();
  await page.getByRole("textbox", { name: "System prompt" }).fill("Answer like a harbour master.");
  await page.getByRole("textbox", { name: "Longest answer" }).fill("321");
  await page.keyboard.press("Escape");
  await button("Settings of the conversation, changed").waitFor();
  simulator.script({ text: "Aye." });
  await say("Who are you?");
  await page.getByText("Aye.").waitFor();
  const body = simulator.posts.at(-1)?.body as ChatBody | undefined;
  expect(body?.messages[0]).toMatchObject({ role: "system", content: "Answer like a harbour master." });
  expect(body?.max_completion_tokens ?? body?.max_tokens).toBe(321);
});

it("the inspector tells the model, tokens, cost, times and run, and shows what the model saw", async () => {
  const { conversation, run } = await converse("What did you see?", "Only this question.");
  page = await openPage(`/chat/${conversation.id}`);
  await button("About this answer").click();
  const inspector = page.getByRole("complementary", { name: "This answer" });
  await inspector.getByText("Studio key").waitFor();
  const words = await textOf(inspector);
  for (const fact of ["sim-chat", " in, ", "price unknown", " to first, ", "1 message of this branch", "Tide almanac"])
    expect(words).toContain(fact);
  expect(await inspector.getByRole("link").first().getAttribute("href")).toBe(`/activity/${run.id}`);
  await button("Show the exact request").click();
  await page.getByRole("dialog").getByText("What did you see?").waitFor();
  await page.keyboard.press("Escape");
  // The address holds the open inspector.
  await page.reload();
  await inspector.getByText("Studio key").waitFor();
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
});

it("reasoning is folded, code can be copied, formulas and tables are set", async () => {
  simulator.script({
    reasoning: ["First the moon, ", "then the sun."],
    text: ["Here:\n\n| Month | Tide |\n|---|---|\n| May | 4.2 m |\n\n```ts\nconst tide = 4.2;\n```\n\n$$\\sqrt{2}$$\n"],
  });
  page = await openPage("/chat");
  await say("Show me");
  await button("Reasoning").click();
  await page.getByText("First the moon, then the sun.").waitFor();
  await page.getByRole("cell", { name: "4.2 m" }).waitFor();
  await page.locator(".katex").waitFor();
  await button("Copy the code").click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("const tide = 4.2;");
  await button("Copy the answer").click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("| May | 4.2 m |");
});

it("the thread stays at its end while an answer comes, unless one has scrolled up", async () => {
  const lines = Array.from({ length: 80 }, (_, place) => `line${place}\n\n`);
  simulator.script({ text: lines, gate: { name: "scroll", at: 40 } });
  page = await openPage("/chat");
  await say("Write a long one");
  await page.getByText("line39").waitFor();
  const left = () => thread().evaluate((view) => Math.round(view.scrollHeight - view.clientHeight - view.scrollTop));
  await eventually(left).toBeLessThan(5);
  await thread().hover();
  await page.mouse.wheel(0, -600);
  await button("To the end").waitFor();
  const top = await thread().evaluate((view) => view.scrollTop);
  simulator.open("scroll");
  await page.getByText("line79").waitFor({ state: "attached" });
  await button("Answer again").waitFor({ state: "attached" });
  expect(await thread().evaluate((view) => view.scrollTop)).toBe(top);
  await button("To the end").click();
  await eventually(left).toBeLessThan(5);
});

it("the beginning and the end of an answer are announced once each", async () => {
  page = await openPage("/chat");
  await page.evaluate(() => {
    const said: string[] = [];
    Object.assign(window, { said });
    new MutationObserver(() => {
      const words = [...document.querySelectorAll('[aria-live="polite"]')].map((region) => region.textContent ?? "").join("");
      if (words && said.at(-1) !== words) said.push(words);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  simulator.script({ text: words });
  await say("Speak up");
  await button("Answer again").waitFor();
  await expect
    .poll(() => page.evaluate(() => (window as unknown as { said: string[] }).said))
    .toEqual(["The answer begins.", "The answer is complete."]);
});

it("c begins a new conversation from the keyboard", async () => {
  const { conversation } = await converse("An old one", "Old words.");
  page = await openPage(`/chat/${conversation.id}`);
  await page.getByText("Old words.").waitFor();
  await thread().focus();
  await page.keyboard.press("c");
  await page.waitForURL(/\/chat(\?|$)/);
  await eventually(() => composer(page).evaluate((area) => area === document.activeElement)).toBe(true);
});
