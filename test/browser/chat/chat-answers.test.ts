import { readFile } from "node:fs/promises";
import type { Locator, Page, WebSocketRoute } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type Chat,
  composer,
  listen,
  say,
  startChat,
  textOf,
  thread,
} from "../../support/browser/chat-in-browser.ts";
import { loseReply } from "../../support/browser/late-answers.ts";
import { button, findInPalette } from "../../support/browser/locators.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import { joinStudio, ownerPassword, signInWith } from "../../support/browser/studio-in-browser.ts";
import { soon } from "../../support/soon.ts";

/** Answers: how they stream, stop, fail, branch and are shown. */
let chat: Chat;

beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat?.stop());

/** An answer of numbered words, so that a missing or doubled one is noticed. */
const words = Array.from({ length: 60 }, (_, place) => `word${place} `);
const whole = words.join("").trim();

/** Requests an answer that stops before a word until the gate is opened. */
async function askGated(gate: string, at: number): Promise<Page> {
  chat.simulator.script({ text: words, gate: { name: gate, at } });
  const page = await chat.openPage("/chat");
  await say(page, "Count for me");
  await page.getByText(`word${at - 1}`).waitFor();
  return page;
}

it("a question starts a conversation, and the guide answers with its sources, free of charge", async () => {
  const page = await chat.openPage("/chat");
  await button(page, /Choose another/).click();
  await page.getByPlaceholder("Search models").fill("guide");
  await page.getByRole("option", { name: /Guide/ }).click();
  await say(page, "How do I connect a model?");
  await page.waitForURL(/\/chat\/[0-9a-f-]{36}/);
  await button(page, "Answer again").waitFor();
  await page.getByRole("heading", { name: "Sources" }).waitFor();
  await thread(page)
    .getByText(/^free · /)
    .waitFor();
  expect(await textOf(page.getByRole("navigation", { name: "Conversations" }))).toContain(
    "How do I connect a model?",
  );
});

it("a person who hasn't chosen a model yet asks a connected one at once, on Home and in Chat", async () => {
  const { page, context } = await chat.studio.openAs(chat.browser);
  const member = { name: "Grace", email: "grace@example.org", password: ownerPassword };
  const { cookie } = await joinStudio(chat.studio, { ...member, role: "editor" });
  await signInWith(context, chat.studio.url, cookie);
  for (const path of ["/", "/chat"]) {
    await page.goto(path);
    await button(page, "Model: sim-chat. Choose another").waitFor();
  }
  chat.simulator.script({ text: "Ask away." });
  await say(page, "May I ask?");
  await thread(page).getByText("Ask away.").waitFor();
  await context.close();
});

it("an answer resumes after a reload in the middle, with no character doubled or lost", async () => {
  const page = await askGated("reload", 20);
  await page.waitForURL(/\/chat\/[0-9a-f-]{36}/);
  await page.reload();
  await page.getByText("word19").waitFor();
  chat.simulator.open("reload");
  await button(page, "Answer again").waitFor();
  expect(await textOf(thread(page).locator("p", { hasText: "word0 " }))).toBe(whole);
});

it("a socket that drops in mid-answer is resumed, with no character doubled or lost", async () => {
  const sockets: WebSocketRoute[] = [];
  const page = await chat.openPage("/chat");
  await page.routeWebSocket("**/api/v1/live", (socket) => {
    sockets.push(socket);
    socket.connectToServer();
  });
  await page.reload();
  chat.simulator.script({ text: words, gate: { name: "drop", at: 25 } });
  await say(page, "Count for me");
  await page.getByText("word24").waitFor();
  await sockets.at(-1)?.close();
  chat.simulator.open("drop");
  await button(page, "Answer again").waitFor();
  await soon(() => sockets.length).toBeGreaterThan(1);
  expect(await textOf(thread(page).locator("p", { hasText: "word0 " }))).toBe(whole);
});

it("a second tab shows the same answer while it streams", async () => {
  const page = await askGated("tabs", 30);
  const first = page;
  const second = await first.context().newPage();
  await second.goto(first.url());
  await second.getByText("word29").waitFor();
  chat.simulator.open("tabs");
  await button(second, "Answer again").waitFor();
  expect(await textOf(thread(second).locator("p", { hasText: "word0 " }))).toBe(whole);
});

it("Escape stops an answer, its partial text is saved, and Continue in the palette extends it", async () => {
  const page = await askGated("stop", 3);
  await page.keyboard.press("Escape");
  // The provider still waits at its gate, so the stop is ours.
  await page.getByText("You stopped this answer.").waitFor();
  chat.simulator.open("stop");
  expect(await textOf(thread(page))).toContain("word0 word1 word2");
  chat.simulator.script({ text: "and the rest." });
  // From the composer, because it is the last answer.
  await (await findInPalette(page, "Continue")).filter({ hasText: "Answer from" }).click();
  await page.getByText(/word2 ?and the rest\./).waitFor();
  await button(page, "Answer again").waitFor();
  await page.getByRole("group", { name: "2 of 2 versions" }).waitFor();
  expect((await chat.messagesOf(page)).filter(({ role }) => role === "assistant")).toHaveLength(2);
});

it("an answer that breaks off saves its partial text and says what to do", async () => {
  chat.simulator.script({ text: words, fault: { kind: "reset", at: 5 } });
  const page = await chat.openPage("/chat");
  await say(page, "Tear it");
  const problem = page.getByRole("alert").filter({ hasText: "The answer was interrupted." });
  await problem.getByText("The partial answer is saved. Continue it, or retry.").waitFor();
  expect(await textOf(thread(page))).toContain("word0 word1");
  await button(page, "Continue").waitFor();
});

it("answering again creates a branch, and the arrows switch between branches", async () => {
  const { conversation } = await chat.converse("Say a color", "Ochre it is.");
  const page = await chat.openPage(`/chat/${conversation.id}`);
  chat.simulator.script({ text: "Umber it is." });
  await button(page, "Answer again").click();
  await page.getByText("Umber it is.").waitFor();
  await page.getByRole("group", { name: "2 of 2 versions" }).waitFor();
  await button(page, "Previous version").click();
  await page.getByText("Ochre it is.").waitFor();
  expect(await page.getByText("Umber it is.").count()).toBe(0);
  // The branch is saved, so a reload shows it again.
  await page.reload();
  await page.getByText("Ochre it is.").waitFor();
});

it("answering again after a lost reply isn't paid twice, even after the person has been elsewhere", async () => {
  const { conversation } = await chat.converse("Is it high water?", "Not yet.");
  const page = await chat.openPage(`/chat/${conversation.id}`);
  await thread(page).getByText("Not yet.").waitFor();
  const lost = loseReply(page, "**/answers");
  chat.simulator.script({ text: "At noon." });
  await button(page, "Answer again").click();
  await lost;
  expect(await chat.messagesOf(page)).toHaveLength(3);
  await page.goto("/usage");
  await page.goto(`/chat/${conversation.id}`);
  const repeated = page.waitForResponse("**/answers");
  // Both answers are to the same question.
  await button(page, "Answer again").last().click();
  expect((await repeated).ok()).toBe(true);
  expect(await chat.messagesOf(page)).toHaveLength(3);
  await thread(page).getByText("At noon.").waitFor();
});

it("answering again makes a new answer once the one of a lost reply is deleted elsewhere", async () => {
  const { conversation } = await chat.converse("Is it low water?", "Not now.");
  const page = await chat.openPage(`/chat/${conversation.id}`);
  await thread(page).getByText("Not now.").waitFor();
  const lost = loseReply(page, "**/answers");
  chat.simulator.script({ text: "At six." });
  await button(page, "Answer again").click();
  await lost;
  await thread(page).getByText("At six.").waitFor();
  const answer = (await chat.messagesOf(page)).at(-1)!;
  await soon(() => chat.stateOf(answer.runId!)).toBe("succeeded");
  await chat.studio.api.send("DELETE", `/messages/${answer.id}`);
  await thread(page).getByText("Not now.").waitFor();
  chat.simulator.script({ text: "At seven." });
  await button(page, "Answer again").click();
  await thread(page).getByText("At seven.").waitFor();
  expect(await thread(page).getByText("At six.").count()).toBe(0);
  await page.getByRole("group", { name: "2 of 2 versions" }).waitFor();
});

it("editing a message and asking again creates a branch and overwrites nothing", async () => {
  const { conversation } = await chat.converse("Say a color of clay", "Terracotta.");
  const page = await chat.openPage(`/chat/${conversation.id}`);
  await thread(page).getByText("Say a color of clay").hover();
  await button(page, "Edit").click();
  const editor = page.getByRole("textbox", { name: "Edit your message" });
  await editor.fill("Say a color of water");
  chat.simulator.script({ text: "Teal." });
  await button(page, "Save and ask").click();
  await page.getByText("Teal.").waitFor();
  await page.getByRole("group", { name: "2 of 2 versions" }).waitFor();
  const texts = (await chat.messagesOf(page)).flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
  );
  expect(texts).toEqual(["Say a color of clay", "Terracotta.", "Say a color of water", "Teal."]);
});

it("Up in an empty composer edits the last message, and it can be saved without asking", async () => {
  const { conversation } = await chat.converse("First thought", "An answer.");
  const page = await chat.openPage(`/chat/${conversation.id}`);
  await thread(page).getByText("First thought").waitFor();
  const postsBefore = chat.simulator.posts.length;
  await composer(page).press("ArrowUp");
  await page.getByRole("textbox", { name: "Edit your message" }).fill("Second thought");
  await button(page, "Save without asking").click();
  await thread(page).getByText("Second thought").waitFor();
  await page.getByRole("group", { name: "2 of 2 versions" }).waitFor();
  expect((await chat.messagesOf(page)).filter(({ role }) => role === "assistant")).toHaveLength(1);
  expect(chat.simulator.posts).toHaveLength(postsBefore);
});

it("a wrong key is reported in a sentence, with what was saved and a link to the connection", async () => {
  chat.simulator.script({ fault: { kind: "status", status: 401 } });
  const page = await chat.openPage("/chat");
  await say(page, "Is the key good?");
  const problem = thread(page).getByRole("alert");
  await problem.getByText("Your message is saved. You were probably not charged.").waitFor();
  const link = problem.getByRole("link", { name: "Open connection Studio key" });
  expect(await link.getAttribute("href")).toBe(
    `/admin/connections?connection=${chat.connectionId}`,
  );
  await problem.getByRole("button", { name: "Retry" }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  // Nothing more is sent with a refused key until a check passes.
  await chat.studio.api.send("POST", `/connections/${chat.connectionId}/check`);
});

it("an answer whose connection broke before any text has failed: it isn't sent again by itself and needs no decision", async () => {
  const page = await chat.openPage("/chat");
  const postsBefore = chat.simulator.posts.length;
  chat.simulator.script({ fault: { kind: "reset", at: "request" } });
  await say(page, "Did it arrive?");
  const problem = thread(page).getByRole("alert");
  await problem.getByText("Your message is saved.").waitFor();
  await problem.getByRole("button", { name: "Retry" }).waitFor();
  expect(await textOf(problem)).not.toMatch(
    /unconfirmed|confirm this|paying again|nothing was charged/i,
  );
  expect(await textOf(thread(page))).not.toContain("0 tokens");
  expect(chat.simulator.posts).toHaveLength(postsBefore + 1);
  const answer = (await chat.messagesOf(page)).at(-1);
  expect(await chat.stateOf(answer?.runId ?? "")).toBe("failed");
});

it("the inspector is closed until it is opened, and shows the model, tokens, cost, times and run, and the model's context", async () => {
  const { conversation, run } = await chat.converse("What did you see?", "Only this question.");
  const page = await chat.openPage(`/chat/${conversation.id}`);
  await button(page, "Answer details").waitFor();
  expect(await page.getByRole("complementary").count()).toBe(0);
  await button(page, "Answer details").click();
  const inspector = page.getByRole("complementary", { name: "Answer details" });
  await inspector.getByText("Studio key").waitFor();
  // Rarely needed figures are folded, and stay as they were left.
  expect(await inspector.getByText("First output").isVisible()).toBe(false);
  await inspector.getByText("Details", { exact: true }).click();
  await inspector.getByText("First output").waitFor();
  const words = await textOf(inspector);
  for (const fact of [
    "sim-chat",
    " in, ",
    "price unknown",
    "First output",
    "1 message of this branch",
    "Tide almanac",
  ])
    expect(words).toContain(fact);
  expect(await inspector.getByRole("link").first().getAttribute("href")).toBe(
    `/activity/${run.id}`,
  );
  await button(page, "Show exact request").click();
  await page.getByRole("dialog").getByText("What did you see?").waitFor();
  await page.keyboard.press("Escape");
  // The open inspector is in the address.
  await page.reload();
  await inspector.getByText("First output").waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

/** The name and text of a button's download. */
async function savedBy(page: Page, label: string): Promise<[string, string]> {
  const [file] = await Promise.all([page.waitForEvent("download"), button(page, label).click()]);
  return [file.suggestedFilename(), await readFile(await file.path(), "utf8")];
}

it("reasoning is folded with its duration, code and tables can be copied and downloaded, formulas are rendered", async () => {
  chat.simulator.script({
    reasoning: ["First the moon, ", "then the sun."],
    gate: { name: "thought", at: 0 },
    text: [
      "Here:\n\n| Month | Tide |\n|---|---|\n| May | 4.2 m |\n\n```ts\nconst tide = 4.2;\n```\n\n$$\\sqrt{2}$$\n",
    ],
  });
  const page = await chat.openPage("/chat");
  const scripts: Promise<string>[] = [];
  page.on("response", (response) => {
    if (response.url().endsWith(".js")) scripts.push(response.text().catch(() => ""));
  });
  const hasKatex = async () => (await Promise.all(scripts)).some((code) => /katex/i.test(code));
  await say(page, "Show me");
  await button(page, /^Thinking for [1-9]\d* s, 6 words$/).waitFor();
  expect([scripts.length > 0, await hasKatex()]).toEqual([true, false]);
  await page.reload();
  await button(page, /^Thinking for \d+ s, 6 words$/).waitFor();
  chat.simulator.open("thought");
  const thought = button(page, /^Thought for [\d.]+ s, 6 words$/);
  await button(page, "Answer again").waitFor();
  const saved = await textOf(thought);
  expect(Number.parseFloat(saved.slice("Thought for ".length))).toBeGreaterThanOrEqual(1);
  await page.reload();
  await thought.click();
  expect(await textOf(thought)).toBe(saved);
  await page.getByText("First the moon, then the sun.").waitFor();
  await page.getByRole("cell", { name: "4.2 m" }).waitFor();
  await page.locator(".katex").waitFor();
  expect(await hasKatex()).toBe(true);
  await button(page, "Copy code").click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("const tide = 4.2;");
  await button(page, "Wrap lines").click();
  await page
    .locator("pre", { hasText: "const tide" })
    .and(page.locator("[class*=wrapped]"))
    .waitFor();
  expect(await savedBy(page, "Download code")).toEqual(["code.ts", "const tide = 4.2;\n"]);
  await button(page, "Copy table").click();
  await soon(() => page.evaluate(() => navigator.clipboard.readText())).toBe(
    "Month\tTide\nMay\t4.2 m",
  );
  expect(await savedBy(page, "Download as CSV")).toEqual([
    "table.csv",
    "\uFEFFMonth,Tide\r\nMay,4.2 m\r\n",
  ]);
  await button(page, "Copy answer").click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("| May | 4.2 m |");
  expect(await findBarriers(page)).toEqual([]);
});

it("a diagram is drawn in a frame without network access; one with an error stays code and says so", async () => {
  const hostile = '<img src=x onerror="parent.hit=1">';
  const drawn = `graph TD\n  A["Low ${hostile}"] --> B[High tide]\n  click B "javascript:parent.hit=1"`;
  chat.simulator.script({
    text: [
      `Here:\n\n\`\`\`mermaid\n${drawn}\n\`\`\`\n\n\`\`\`mermaid\ngraph TD\n  A[[ --\n\`\`\`\n`,
    ],
  });
  const page = await chat.openPage("/chat");
  // Mermaid is in the frame, which only a diagram opens.
  expect(page.frames()).toHaveLength(1);
  await say(page, "Draw me the tide");
  const picture = page.getByRole("img", { name: "Diagram", exact: true });
  await picture.waitFor();
  await soon(() =>
    picture.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 50),
  ).toBe(true);
  await page.getByText("This diagram’s code has an error, so it can’t be drawn.").waitFor();
  const frame = page.frames().find((each) => each.url().endsWith("/diagram.html"))!;
  const reach = await frame.evaluate(async () => {
    const tried = (act: () => unknown) =>
      Promise.resolve()
        .then(act)
        .then(
          () => "yes",
          () => "no",
        );
    return [
      origin,
      await tried(() => document.cookie),
      await tried(() => localStorage.length),
      await tried(() => fetch("/api/v1/me")),
      await tried(() => parent.document.title),
    ];
  });
  expect(reach).toEqual(["null", "no", "no", "no", "no"]);
  const [name, svg] = await savedBy(page, "Download as SVG");
  expect(name).toBe("diagram.svg");
  expect(svg).toMatch(/^<svg[^>]* width="\d+"/);
  expect(svg?.replace(/<[^>]*>/g, "")).toContain("High tide");
  expect(svg).not.toMatch(/onerror|javascript:|<script|<foreignObject/);
  await button(page, "Copy as SVG").click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(svg);
  expect(await page.evaluate(() => "hit" in window)).toBe(false);
  expect(await findBarriers(page)).toEqual([]);
  await button(page, "Show code").click();
  await page.getByText("High tide").waitFor();
  await button(page, "Show diagram").click();
  await picture.waitFor();
});

it("an answer is rated with one press, with optional reasons, and the rating is removed", async () => {
  chat.simulator.script({ text: "The moon pulls." });
  const page = await chat.openPage("/chat");
  await say(page, "Why is there a tide?");
  const [good, bad] = [button(page, "Good answer"), button(page, "Bad answer")];
  await bad.click();
  await page.getByRole("dialog", { name: "What went wrong?" }).waitFor();
  await button(page, "Completeness").click();
  await page.getByRole("textbox", { name: "Reason" }).fill("The sun does, too.");
  expect(await findBarriers(page)).toEqual([]);
  await button(page, "Save reason").click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.reload();
  await soon(() => bad.getAttribute("aria-pressed")).toBe("true");
  await button(page, "Answer details").click();
  const panel = page.getByRole("complementary").filter({ hasText: "Ratings" });
  await panel.getByText("The sun does, too.").waitFor();
  await panel.getByText("Completeness").waitFor();
  await good.click();
  await soon(() => bad.getAttribute("aria-pressed")).toBe("false");
  await button(page, "Remove rating").click();
  await soon(() => good.getAttribute("aria-pressed")).toBe("false");
  await panel.waitFor({ state: "detached" });
});

it("the thread stays at its end during an answer, unless the reader has scrolled up", async () => {
  const lines = Array.from({ length: 80 }, (_, place) => `line${place}\n\n`);
  chat.simulator.script({ text: lines, gate: { name: "scroll", at: 40 } });
  const page = await chat.openPage("/chat");
  await say(page, "Write a long one");
  await page.getByText("line39").waitFor();
  const left = () =>
    thread(page).evaluate((view) =>
      Math.round(view.scrollHeight - view.clientHeight - view.scrollTop),
    );
  await soon(left).toBeLessThan(5);
  await thread(page).hover();
  await page.mouse.wheel(0, -600);
  await button(page, "Scroll to end").waitFor();
  const top = await thread(page).evaluate((view) => view.scrollTop);
  chat.simulator.open("scroll");
  await page.getByText("line79").waitFor({ state: "attached" });
  await button(page, "Answer again").waitFor({ state: "attached" });
  expect(await thread(page).evaluate((view) => view.scrollTop)).toBe(top);
  await button(page, "Scroll to end").click();
  await soon(left).toBeLessThan(5);
});

it("a long answer opens at its end, and its distant parts are laid out only near the view, but can be found", async () => {
  const chapters = Array.from(
    { length: 300 },
    (_, place) => `## Chapter ${place}\n\n${"The keeper counted the ships. ".repeat(4)}`,
  );
  const { conversation } = await chat.converse(
    "Tell me all of it",
    `${chapters.join("\n\n")}\n\nThe end of it.`,
  );
  const page = await chat.openPage(`/chat/${conversation.id}`);
  const isLaidOut = (shown: Locator) =>
    shown.evaluate((element) => element.checkVisibility({ contentVisibilityAuto: true }));
  const isInView = (shown: Locator) =>
    shown.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
  const last = thread(page).getByText("The end of it.");
  await soon(() => isInView(last)).toBe(true);
  const early = thread(page).getByRole("heading", { name: "Chapter 40", exact: true });
  const chaptersThere = thread(page).getByRole("heading", { name: /^Chapter/ });
  expect(await chaptersThere.count()).toBe(300);
  expect(await isLaidOut(early)).toBe(false);
  await early.scrollIntoViewIfNeeded();
  await soon(() => isLaidOut(early)).toBe(true);
  expect(await isInView(early)).toBe(true);
  await button(page, "Scroll to end").click();
  await soon(() => isInView(last)).toBe(true);
});

it("an answer's start and end are announced once each", async () => {
  const page = await chat.openPage("/chat");
  const said = await listen(page);
  chat.simulator.script({ text: words });
  await say(page, "Speak up");
  await button(page, "Answer again").waitFor();
  await expect
    .poll(() => said.jsonValue())
    .toEqual(["The answer started.", "The answer is complete."]);
});

it("the price of the next answer is estimated while typing, and hovering it shows its maximum", async () => {
  const price = (unit: string, micros: string) => ({ unit, micros });
  const setPrices = (prices: { unit: string; micros: string }[] | null) =>
    chat.studio.api.send("PUT", `/connections/${chat.connectionId}/model-price`, {
      modelId: "owner/sim-vision",
      prices,
    });
  await setPrices([price("input token", "3"), price("output token", "15")]);
  const page = await chat.openPage("/chat");
  const foretold = page.getByText(/^about \$0\.0/);
  await foretold.waitFor();
  const before = await textOf(foretold);
  await composer(page).fill("word ".repeat(4_000));
  await soon(async () => (await textOf(foretold)) !== before).toBe(true);
  await foretold.hover();
  await page.getByText(/Costs at most \$0\.\d+: everything the model reads/).waitFor();
  await setPrices(null);
});

it("a conversation whose model became a picture model continues with another, which the composer names", async () => {
  const { conversation } = await chat.converse("Where is the quay?", "In the harbour.");
  const sayTask = (facts: { task: "image" } | null) =>
    chat.studio.api.send("PUT", `/connections/${chat.connectionId}/model-facts`, {
      modelId: "sim-chat",
      facts,
    });
  await sayTask({ task: "image" });
  const page = await chat.openPage(`/chat/${conversation.id}`);

  await button(page, "Model: owner/sim-vision. Choose another").waitFor();
  chat.simulator.script({ text: "By the lighthouse." });
  await say(page, "And the boats?");
  await thread(page).getByText("By the lighthouse.").waitFor();
  expect(chat.simulator.posts.at(-1)).toMatchObject({
    path: "/chat/completions",
    body: { model: "owner/sim-vision" },
  });
  await sayTask(null);
});
