import { afterAll, beforeAll, expect, it } from "vitest";
import type { Conversation, Message, Run } from "#contract/entities.ts";
import {
  type OpenAiCompatible,
  startOpenAiCompatible,
} from "../../simulators/openai-compatible.ts";
import {
  type Chat,
  composer,
  say,
  startChat,
  textOf,
  thread,
} from "../../support/browser/chat-in-browser.ts";
import { button, findInPalette } from "../../support/browser/locators.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import { connectKind } from "../../support/browser/studio-in-browser.ts";
import { soon } from "../../support/soon.ts";

/** Long conversations: how full the context is, and what a person does about it. */
let chat: Chat;
let small: OpenAiCompatible;
let connectionId: string;

beforeAll(async () => {
  chat = await startChat();
  small = await startOpenAiCompatible({
    models: [
      { id: "small", object: "model", created: 1, owned_by: "simulator", context_length: 1_000 },
    ],
  });
  connectionId = await connectKind(
    chat.studio.api,
    "openai-compatible",
    { api: small.url, key: small.key },
    "Small context",
  );
});
afterAll(async () => {
  await chat?.stop();
  await small?.stop();
});

/** Opens three messages with their answers, for which the provider counted 600 tokens. */
async function openLong() {
  const { api } = chat.studio;
  const { conversation } = await api.send<{ conversation: Conversation }>(
    "POST",
    "/conversations",
    { projectId: api.projectId },
  );
  let parentId: string | null = null;
  for (const [index, word] of ["First", "Second", "Third"].entries()) {
    const prompt = 100 + index * 200;
    small.script({
      text: `${word} answer.`,
      usage: { prompt_tokens: prompt, completion_tokens: 100, total_tokens: prompt + 100 },
    });
    const said: { answer: Message; run: Run } = await api.send(
      "POST",
      `/conversations/${conversation.id}/messages`,
      {
        parentId,
        text: `${word} question about the tides of the northern sea`,
        ask: { model: { connectionId, modelId: "small" } },
      },
    );
    await soon(async () => (await api.get<{ run: Run }>(`/runs/${said.run.id}`)).run.state).toBe(
      "succeeded",
    );
    parentId = said.answer.id;
  }
  const page = await chat.openPage(`/chat/${conversation.id}`);
  await thread(page).getByText("Third answer.").waitFor();
  return page;
}
const sentRoles = () =>
  (small.posts.at(-1)!.body as { messages: { role: string }[] }).messages.map(({ role }) => role);

it("a message that doesn't fit isn't sent: the oldest messages are left out visibly, and sent again on request", async () => {
  const page = await openLong();
  await button(page, /^Context 85% full\. .+ uses 600 of 1,000 context tokens/).waitFor();
  const asked = small.posts.length;
  const long = "and of the moon ".repeat(50);
  await say(page, long);
  await page.getByText(/small has a context window of 1,000 tokens/).waitFor();
  expect(await composer(page).inputValue()).toBe(long);
  expect(small.posts).toHaveLength(asked);
  await page.getByText("Does not fit").waitFor();

  await button(page, "Choose context").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: /Third question/ }).check();
  expect(await findBarriers(page, '[role="dialog"]')).toEqual([]);
  await (await findInPalette(page, "Leave out 4 messages")).click();
  await page.getByText("4 earlier messages are not sent", { exact: true }).waitFor();
  expect(await thread(page).getByText("First question").count()).toBe(0);

  small.script({ text: "Now it fits." });
  await composer(page).press("Enter");
  await page.getByText("Now it fits.").waitFor();
  expect(sentRoles()).toEqual(["user", "assistant", "user"]);

  // The same after a reload; left-out messages can be read, and sent again.
  await page.reload();
  await page.getByText("4 earlier messages are not sent", { exact: true }).waitFor();
  await button(page, "Show them").click();
  await thread(page).getByText("First question").waitFor();
  expect(await findBarriers(page, '[aria-label="Conversation"]')).toEqual([]);
  await button(page, "Send them again").click();
  await soon(() => page.getByText("earlier messages are not sent").count()).toBe(0);
  await thread(page).getByText("First question").waitFor();
});

it("a summary streams visibly, replaces the messages it covers, and is edited by hand", async () => {
  const page = await openLong();
  await button(page, /of 1,000 context tokens/).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: "Summarize" }).check();
  await dialog.getByRole("radio", { name: /Third question/ }).check();
  small.script({ text: ["They spoke ", "of tides."], gate: { name: "half", at: 1 } });
  await button(dialog, /^Summarize 4 messages/).click();
  await page.getByText("Until it finishes, all messages are sent").waitFor();
  small.open("half");
  await page.getByText("This summary replaces 4 earlier messages").waitFor();
  await page.getByText("They spoke of tides.").waitFor();
  await page.getByText("Summary by small").waitFor();

  await button(page, "Edit summary").click();
  await page.getByRole("textbox", { name: "Summary" }).fill("We spoke of tides, twice.");
  await button(page, "Save summary").click();
  await page.getByText("We spoke of tides, twice.").waitFor();
  small.script({ text: "I remember." });
  await say(page, "do you remember?");
  await page.getByText("I remember.").waitFor();
  expect(JSON.stringify(small.posts.at(-1)!.body)).toContain("We spoke of tides, twice.");
  expect(JSON.stringify(small.posts.at(-1)!.body)).not.toContain("First question");
  expect(await textOf(thread(page))).not.toContain("First question");
});

it("going back to before a message creates a branch and loses nothing", async () => {
  const page = await openLong();
  await button(page, /of 1,000 context tokens/).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: "Go back" }).check();
  await dialog.getByRole("radio", { name: /Second question/ }).check();
  await button(dialog, "Start branch").click();
  await soon(() => thread(page).getByText("Second question").count()).toBe(0);
  small.script({ text: "Another second." });
  await say(page, "something else");
  await page.getByText("Another second.").waitFor();
  expect(sentRoles()).toEqual(["user", "assistant", "user"]);
  await button(page, "Previous version").first().click();
  await thread(page).getByText("Third answer.").waitFor();
});
