import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Conversation } from "#contract/entities.ts";
import {
  type Chat,
  listen,
  say,
  startChat,
  textOf,
  thread,
} from "../../support/browser/chat-in-browser.ts";
import { button } from "../../support/browser/locators.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import { connectKind } from "../../support/browser/studio-in-browser.ts";
import { soon } from "../../support/soon.ts";

/**
 * An answer with tools, saved as several messages and read as one: in each of its states, and for
 * each reader.
 */
let chat: Chat;
let pictures: string;

beforeAll(async () => {
  chat = await startChat();
  const { url: api, key } = chat.simulator;
  const values = { api, key, models: '[{"id": "sim-image", "task": "image"}]' };
  pictures = await connectKind(chat.studio.api, "openai-compatible", values, "Paid pictures");
  const setPrices = (
    connectionId: string,
    modelId: string,
    prices: { unit: string; micros: string }[],
  ) => chat.studio.api.send("PUT", `/connections/${connectionId}/model-price`, { modelId, prices });
  await setPrices(pictures, "sim-image", [{ unit: "image", micros: "40000" }]);
  const words = [
    { unit: "input token", micros: "3" },
    { unit: "output token", micros: "15" },
  ];
  await setPrices(chat.connectionId, "sim-chat", words);
  await setPrices(chat.connectionId, "owner/sim-vision", words);
});
afterAll(() => chat?.stop());

/** Opens a conversation whose model may draw. */
async function openWithTool(allowed: boolean): Promise<Page> {
  const { api } = chat.studio;
  const tools = {
    models: [{ connectionId: pictures, modelId: "sim-image", allowed }],
    library: true,
  };
  const { conversation } = await api.send<{ conversation: Conversation }>(
    "POST",
    "/conversations",
    {
      projectId: api.projectId,
      settings: { tools },
    },
  );
  return chat.openPage(`/chat/${conversation.id}`);
}
const usage = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };
/** Scripts a round with text and a picture request. */
const askFor = (text: string, prompt: string) =>
  chat.simulator.script({
    text: [text],
    toolCalls: [{ name: "make_image_sim_image", input: { prompt } }],
    usage,
  });
/** Scripts the next picture. */
const draw = () => chat.simulator.script({});
const end = (text: string) => chat.simulator.script({ text: [text], usage });
const answers = (page: Page): Locator => thread(page).getByRole("article");
const picturesPaid = () =>
  chat.simulator.posts.filter(({ path }) => path.includes("images")).length;
/** The roles in the last answer's request. */
const lastAsked = () =>
  (chat.simulator.posts.at(-1)!.body as { messages: { role: string }[] }).messages.map(
    ({ role }) => role,
  );

/** The conversation's pictures. */
const made = (page: Page) => thread(page).locator("a[data-asset]");

it("three rounds with two pictures are one answer, with one header, one footer, and the sum of the costs", async () => {
  const page = await openWithTool(true);
  const feet = await page.evaluateHandle(() => {
    const seen: number[] = [];
    new MutationObserver(() => {
      const count = document.querySelectorAll('article [aria-label="Copy answer"]').length;
      if (seen.at(-1) !== count) seen.push(count);
    }).observe(document.body, { subtree: true, childList: true });
    return seen;
  });
  askFor("First a door.", "a red door");
  draw();
  askFor("Now a window.", "a blue window");
  draw();
  end("Both are drawn.");
  await say(page, "draw both");
  await button(page, "Answer again").waitFor();
  // No footer appears and disappears between two rounds.
  expect(await feet.jsonValue()).toEqual([0, 1]);
  await soon(() => answers(page).count()).toBe(1);
  await soon(() => textOf(answers(page))).toMatch(
    /First a door\..*Drew a picture · \$0\.04.*Now a window\..*Drew a picture · \$0\.04.*Both are drawn\./s,
  );
  for (const name of ["Answer again", "Copy answer", "Answer details", "Read aloud"])
    expect(await button(page, name).count()).toBe(1);
  await soon(() => made(page).count()).toBe(2);
  expect(await findBarriers(page, '[aria-label="Conversation"]')).toEqual([]);

  const sum = button(page, /^300 tokens · \$0\.094 · /);
  await sum.click();
  const parts = page.getByRole("list", { name: "Cost breakdown" }).getByRole("listitem");
  await soon(() => parts.count()).toBe(5);
  await soon(() => textOf(parts.nth(0))).toMatch(/sim-vision100 tokens · \$0\.0045/);
  await soon(() => textOf(parts.nth(1))).toMatch(/Drew a picture\$0\.04/);
  expect(await findBarriers(page, '[aria-label="Conversation"]')).toEqual([]);
  await parts.nth(2).getByRole("button").click();
  const inspector = page.getByRole("complementary", { name: "Answer details" });
  await inspector.getByText("Details", { exact: true }).click();
  await inspector.getByText("2 of 3").waitFor();
  await inspector.getByText("$0.094", { exact: true }).waitFor();

  await button(page, "Copy answer").click();
  await soon(() => page.evaluate(() => navigator.clipboard.readText())).toBe(
    "First a door.\n\nNow a window.\n\nBoth are drawn.",
  );

  // The request is folded but available.
  await answers(page).getByText("Drew a picture").first().click();
  await answers(page).getByText("a red door", { exact: true }).waitFor();

  // A searched round is highlighted and in view.
  const [, , , second] = await chat.messagesOf(page);
  await page.goto(`${page.url().split("?")[0]}?message=${second!.id}`);
  const found = thread(page).locator(`[data-message="${second!.id}"]`);
  await found.getByText("Now a window.").waitFor();
  await soon(() => found.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe(
    "solid",
  );
  await soon(() => answers(page).count()).toBe(1);
});

it("a round in progress is the same after a reload and in a second tab, and can be stopped and continued", async () => {
  const page = await openWithTool(true);
  askFor("First a door.", "a red door");
  draw();
  chat.simulator.script({ text: ["Now ", "a long ", "tale"], gate: { name: "middle", at: 2 } });
  await say(page, "draw and tell");
  await page.getByText("Now a long").waitFor();
  await page.reload();
  await page.getByText("Now a long").waitFor();
  await soon(() => answers(page).count()).toBe(1);
  await soon(() => answers(page).getAttribute("aria-busy")).toBe("true");
  expect(await button(page, "Answer again").count()).toBe(0);
  const second = await page.context().newPage();
  await second.goto(page.url());
  await second.getByText("Now a long").waitFor();

  await page.keyboard.press("Escape");
  await page.getByText("You stopped this answer.").waitFor();
  chat.simulator.open("middle");
  await soon(() => textOf(answers(page))).toMatch(/First a door\..*Drew a picture.*Now a long/s);
  await button(second, "Continue").waitFor();
  end("tale of a door.");
  const paid = picturesPaid();
  await button(page, "Continue").click();
  await page.getByText(/Now a long ?tale of a door\./).waitFor();
  await page.getByRole("group", { name: "2 of 2 versions" }).waitFor();
  expect(picturesPaid()).toBe(paid);
  // Both versions begin with the same round.
  await button(page, "Previous version").click();
  await page.getByText("You stopped this answer.").waitFor();
  await soon(() => textOf(answers(page))).toMatch(/First a door\..*Drew a picture.*Now a long/s);
  await page.getByRole("group", { name: "1 of 2 versions" }).waitFor();
});

it("a question waits inside the answer; a failed round is continued alone, and the footer restarts the whole answer", async () => {
  const page = await openWithTool(false);
  askFor("May I?", "a red door");
  await say(page, "draw a door");
  await page.getByText("needs your approval").waitFor();
  await soon(() => answers(page).count()).toBe(1);
  await soon(() => answers(page).getAttribute("aria-busy")).toBe("true");
  expect(await button(page, "Answer again").count()).toBe(0);
  expect(await findBarriers(page, '[aria-label="Conversation"]')).toEqual([]);
  draw();
  chat.simulator.script({ fault: { kind: "status", status: 400 } });
  await button(page, "Approve").click();
  const problem = thread(page).getByRole("alert");
  await button(problem, "Retry from here").waitFor();
  await soon(() => answers(page).count()).toBe(1);
  await soon(() => textOf(answers(page))).toContain("Drew a picture · $0.04");
  expect(await findBarriers(page, '[aria-label="Conversation"]')).toEqual([]);
  const paid = picturesPaid();
  end("There it is.");
  await button(problem, "Retry from here").click();
  await page.getByText("There it is.").waitFor();
  await page.getByRole("group", { name: "2 of 2 versions" }).waitFor();
  expect(picturesPaid()).toBe(paid);
  expect(lastAsked().slice(-2)).toEqual(["assistant", "tool"]);

  end("Another way: no picture.");
  await button(page, "Answer again").click();
  await page.getByText("Another way: no picture.").waitFor();
  expect(lastAsked().at(-1)).toBe("user");
  await page.getByRole("group", { name: "3 of 3 versions" }).waitFor();
  await button(page, "Previous version").click();
  await page.getByText("There it is.").waitFor();
  await soon(() => made(page).count()).toBe(1);
  await button(page, "Previous version").click();
  await button(page, "Retry from here").waitFor();
});

it("a tool that is stopped at work ends the answer visibly, and the answer continues from there on request", async () => {
  const page = await openWithTool(true);
  askFor("First a door.", "a red door");
  chat.simulator.script({ gate: { name: "brush", at: "head" } });
  await say(page, "draw a door");
  await answers(page).getByText("Drawing a picture").waitFor();
  await chat.simulator.reached("brush");
  // The picture would be saved if it arrived before the server knew.
  const told = page.waitForResponse((response) => response.url().endsWith("/cancel"));
  await page.keyboard.press("Escape");
  await told;
  chat.simulator.open("brush");
  const problem = thread(page).getByRole("alert").filter({ hasText: "You stopped a tool" });
  await problem.waitFor();
  await answers(page).getByText("Draw a picture with sim-image · stopped").waitFor();
  await soon(() => answers(page).getAttribute("aria-busy")).toBe(null);
  expect(await button(page, "Answer again").count()).toBe(1);
  expect(await findBarriers(page, '[aria-label="Conversation"]')).toEqual([]);
  end("No picture then.");
  await button(problem, "Continue").click();
  await page.getByText("No picture then.").waitFor();
  await soon(() => answers(page).count()).toBe(1);
  await soon(() => problem.count()).toBe(0);
  expect(await page.getByRole("group", { name: /versions/ }).count()).toBe(0);
});

it("several rounds are announced as one answer, and a wait for approval is announced in between", async () => {
  const page = await openWithTool(false);
  const said = await listen(page);
  askFor("May I?", "a red door");
  await say(page, "draw a door");
  await page.getByText("needs your approval").waitFor();
  draw();
  end("There it is.");
  await button(page, "Approve").click();
  await button(page, "Answer again").waitFor();
  await soon(() => said.jsonValue()).toEqual([
    "The answer started.",
    "The answer is waiting for approval.",
    "The answer is complete.",
  ]);
});
