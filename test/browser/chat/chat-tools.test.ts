import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type Chat,
  say,
  startChat,
  textOf,
  thread,
} from "../../support/browser/chat-in-browser.ts";
import { button } from "../../support/browser/locators.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import { connectKind } from "../../support/browser/studio-in-browser.ts";

/** Tools: what a model may use is chosen, asked for, shown, and refused. */
let chat: Chat;

beforeAll(async () => {
  chat = await startChat();
  const { url: api, key } = chat.simulator;
  await connectKind(
    chat.studio.api,
    "openai-compatible",
    { api, key, models: '[{"id": "sim-image", "task": "image"}]' },
    "Paid pictures",
  );
});
afterAll(() => chat?.stop());

/** A new conversation whose model may draw with a model that costs. */
async function openWithTools(model: string, name: string) {
  const page = await chat.openPage("/chat");
  await button(page, /^Conversation settings/).click();
  await page.getByLabel("Add a model as a tool").fill(model);
  await button(page, new RegExp(`^${name}`)).click();
  await page.getByRole("checkbox", { name: new RegExp(name) }).waitFor();
  await page.getByRole("checkbox", { name: /Search and read my library/ }).check();
  await page.keyboard.press("Escape");
  return page;
}

it("a model draws with a free model at once, and the picture is in the conversation and in the library", async () => {
  const page = await openWithTools("Pattern", "Pattern \\(procedural\\)");
  chat.simulator.script({
    text: ["I draw it."],
    toolCalls: [{ name: "make_image_pattern_procedural", input: { prompt: "a quiet sea" } }],
  });
  chat.simulator.script({ text: ["There it is."] });
  await say(page, "draw a quiet sea");
  await page.getByText("There it is.").waitFor();
  const used = page.getByRole("list", { name: "Tools used" });
  expect(await textOf(used)).toContain("a quiet sea");
  await used.getByRole("img").waitFor();
  // After a reload it is the same.
  await page.reload();
  await page.getByText("There it is.").waitFor();
  // Not the run's link, which is there before the picture's.
  await used
    .getByRole("link")
    .filter({ has: page.getByRole("img") })
    .click();
  await page.waitForURL(/[?&]viewing=/);
  await page.getByText("a quiet sea").first().waitFor();
});

it("what costs asks first; no is reported to the model, yes makes it", async () => {
  const page = await openWithTools("sim-image", "sim-image");
  const toolCalls = [{ name: "make_image_sim_image", input: { prompt: "a red door" } }];
  chat.simulator.script({ text: ["May I?"], toolCalls });
  await say(page, "draw a door");
  await page.getByText("needs your approval").waitFor();
  expect(await findBarriers(page, '[aria-label="Conversation"]')).toEqual([]);
  chat.simulator.script({ text: ["As you wish."] });
  await button(page, "Decline").click();
  await page.getByText("As you wish.").waitFor();
  await page.getByText("declined").waitFor();

  chat.simulator.script({ text: ["And now?"], toolCalls });
  await say(page, "do it all the same");
  await page.getByText("needs your approval").waitFor();
  // A reload in the middle loses nothing, and begins nothing.
  await page.reload();
  await page.getByText("needs your approval").waitFor();
  chat.simulator.script({});
  chat.simulator.script({ text: ["Done."] });
  await button(page, "Approve").click();
  await page.getByText("Done.").waitFor();
  await thread(page)
    .getByRole("img", { name: /red door/ })
    .waitFor();
});
