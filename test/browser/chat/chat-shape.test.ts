import { afterAll, beforeAll, expect, it } from "vitest";
import { type Chat, say, startChat, thread } from "../../support/browser/chat-in-browser.ts";
import { button } from "../../support/browser/locators.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";

/**
 * Structured answers: the schema is checked when it is pasted, and each answer is checked against
 * it.
 */
let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat?.stop());

const schema = {
  type: "object",
  properties: { sea: { type: "string" }, tides: { type: "array", items: { type: "number" } } },
  required: ["sea"],
};

it("an invalid schema is reported with its line; a matching answer is a tree, and another says where it differs", async () => {
  const page = await chat.openPage("/chat");
  await button(page, /^Conversation settings/).click();
  await page.getByText("Structured output").click();
  const editor = page.getByLabel("JSON Schema");
  await editor.fill('{\n  "type": "strin"\n}');
  await page.getByText("Line 2: A type is one of").waitFor();
  await editor.fill('{\n  "type": ');
  await page.getByText("Line 2 is not JSON.").waitFor();
  await editor.fill(JSON.stringify(schema, null, 2));
  await button(page, "Remove schema").waitFor();
  expect(await findBarriers(page, '[role="dialog"]')).toEqual([]);
  await page.keyboard.press("Escape");

  chat.simulator.script({ text: '{"sea": "North", "tides": [1.5, 2]}' });
  await say(page, "which sea?");
  await page.getByText("Matches its schema").waitFor();
  expect(chat.simulator.posts.at(-1)!.body).toMatchObject({
    response_format: { json_schema: { schema } },
  });
  await thread(page).getByText("North", { exact: true }).waitFor();
  expect(await findBarriers(page, '[aria-label="Conversation"]')).toEqual([]);

  chat.simulator.script({ text: '{"tides": ["high"]}' });
  await say(page, "and now?");
  await page.getByText("Does not match its schema").waitFor();
  await page.getByText(/tides\.0: It is of type string, and has to be "number"/).waitFor();
  await page.reload();
  await page.getByText("Does not match its schema").waitFor();
});
