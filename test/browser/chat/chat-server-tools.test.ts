import { afterAll, beforeAll, expect, it } from "vitest";
import type { Message, Run } from "#contract/entities.ts";
import { startMcp } from "../../simulators/mcp.ts";
import { type Chat, say, startChat, textOf } from "../../support/browser/chat-in-browser.ts";
import { button } from "../../support/browser/locators.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import { soon } from "../../support/soon.ts";

/** A tool server: connected, checked, selected, requested, used, and lost. */
let chat: Chat;
let server: Awaited<ReturnType<typeof startMcp>>;
const key = "tools-key-1234567890";

beforeAll(async () => {
  [chat, server] = await Promise.all([startChat(), startMcp({ key })]);
});
afterAll(() => Promise.all([chat?.stop(), server?.stop()]));

it("an admin connects a server, a person allows its tool, and the tool's result is shown unchanged", async () => {
  const page = await chat.openProfile();
  await page.goto("/admin/connections?add=mcp");
  await page.getByLabel("Address").fill(server.url);
  await page.getByRole("textbox", { name: /^Key/ }).fill(key);
  await page.getByRole("textbox", { name: /^Name/ }).fill("Notebook");
  await button(page, "Check and connect").click();
  await page.getByText("notebook 2.1: 4 tools.").waitFor();
  await button(page, "Check").click();
  await page.getByRole("status").getByText("notebook 2.1: 4 tools.").first().waitFor();

  await page.goto("/chat");
  await button(page, /^Conversation settings/).click();
  await page.getByText("Notebook, 0 of 4 tools").click();
  await page.getByRole("checkbox", { name: /Add a note/ }).check();
  await page.getByRole("checkbox", { name: /fail/ }).check();
  await page.getByText("Notebook, 2 of 4 tools").waitFor();
  await page.keyboard.press("Escape");
  // The server's switch removes both tools, and restores the same two.
  const notebook = button(page, /^Notebook/);
  const isOn = () => notebook.getAttribute("aria-pressed");
  await soon(isOn).toBe("true");
  await notebook.click();
  await soon(isOn).toBe("false");
  await notebook.click();
  await soon(isOn).toBe("true");
  await button(page, /^Conversation settings/).click();
  await page.getByText("Notebook, 2 of 4 tools").waitFor();
  await page.keyboard.press("Escape");

  chat.simulator.script({
    text: ["I note it."],
    toolCalls: [{ name: "notebook_add_note", input: { text: "buy <b>milk</b>" } }],
  });
  await say(page, "note it");
  await page.getByText("needs your approval").waitFor();
  // Verbatim, before anything is done.
  await page.getByText('"text": "buy <b>milk</b>"').waitFor();
  expect(server.calls).toEqual([]);
  expect(await findBarriers(page, '[aria-label="Conversation"]')).toEqual([]);
  await page.reload();
  chat.simulator.script({ text: ["It is noted."] });
  await button(page, "Always approve").click();
  await page.getByText("It is noted.").waitFor();
  const used = page.getByRole("list", { name: "Tools used" }).first();
  await used.getByText("Used notebook_add_note").click();
  expect(await textOf(used.locator("pre").last())).toBe("Noted: buy <b>milk</b>");

  // It no longer asks. A call without an answer fails, isn't repeated, and the model continues from
  // there.
  server.script({ fault: { kind: "reset" } });
  chat.simulator.script({
    text: ["Again."],
    toolCalls: [{ name: "notebook_add_note", input: { text: "eggs" } }],
  });
  chat.simulator.script({ text: ["It may be there."] });
  await say(page, "and eggs");
  await page.getByText("It may be there.").waitFor();
  await page.getByText("Use notebook_add_note · failed").waitFor();
  expect(server.notes).toEqual(["buy <b>milk</b>", "eggs"]);
  expect(server.calls).toHaveLength(2);

  // Older versions left such a call unconfirmed, for its run's page to decide.
  await page.route(/\/api\/v1\/(conversations|runs)\/[0-9a-f-]{36}$/, async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { run?: Run; runs?: Run[]; messages?: Message[] };
    for (const run of [...(body.runs ?? []), ...(body.run ? [body.run] : [])])
      if (run.task === "tool" && run.state === "failed")
        Object.assign(run, { state: "unconfirmed", finishedAt: null });
    for (const message of body.messages ?? [])
      for (const part of message.parts)
        if (part.type === "tool-result" && part.state === "failed") {
          part.state = "open";
          message.state = "streaming";
        }
    await route.fulfill({ response, json: body });
  });
  await page.reload();
  await page.getByText("Use notebook_add_note · Unconfirmed").waitFor();
  await page.getByRole("link", { name: "Open run" }).click();
  await page.waitForURL("**/activity/*");
});
