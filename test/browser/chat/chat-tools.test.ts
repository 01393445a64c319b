import { afterAll, beforeAll, expect, it } from "vitest";
import type { ConversationTools } from "#contract/entities.ts";
import { type OpenAi, startOpenAi } from "../../simulators/openai.ts";
import {
  type Chat,
  composer,
  say,
  startChat,
  textOf,
  thread,
} from "../../support/browser/chat-in-browser.ts";
import { button, findInPalette } from "../../support/browser/locators.ts";
import { takePicture } from "../../support/browser/pictures.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import { connectKind } from "../../support/browser/studio-in-browser.ts";
import { soon } from "../../support/soon.ts";
import { pack } from "../../support/studio/project-archives.ts";

/** Tools: selected, requested, shown and refused. */
let chat: Chat;
let openai: OpenAi;

beforeAll(async () => {
  [chat, openai] = await Promise.all([startChat(), startOpenAi()]);
  const { url: api, key } = chat.simulator;
  const connectionId = await connectKind(
    chat.studio.api,
    "openai-compatible",
    { api, key, models: '[{"id": "sim-image", "task": "image"}]' },
    "Paid pictures",
  );
  await chat.studio.api.send("PUT", `/connections/${connectionId}/model-price`, {
    modelId: "sim-image",
    prices: [{ unit: "image", micros: "40000" }],
  });
});
afterAll(() => Promise.all([chat?.stop(), openai?.stop()]));

/** A new conversation whose model may draw with a paid model. */
async function openWithTools(model: string, name: string) {
  const page = await chat.openPage("/chat");
  await button(page, /^Conversation settings/).click();
  await button(page, "Add a model as a tool").press("Enter");
  // Without a search it lists the models that make something.
  await page.getByRole("option", { name: new RegExp(`^${name}`) }).waitFor();
  expect(await page.getByRole("option", { name: /^Guide/ }).count()).toBe(0);
  await page.keyboard.type(model);
  await page.keyboard.press("Enter");
  await page.getByRole("checkbox", { name: new RegExp(name) }).waitFor();
  await page.getByRole("checkbox", { name: /Search and read my library/ }).check();
  await page.keyboard.press("Escape");
  return page;
}

it("a model draws with a free model at once, and the picture is in the conversation and the library", async () => {
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
  const picture = thread(page).getByRole("link", { name: /a quiet sea/ });
  // Large: its row is as wide as the answer, or as high as a row is meant to be.
  const box = (await picture.boundingBox())!;
  expect(Math.max(box.height / 300, box.width / 620)).toBeGreaterThan(0.95);
  // With a tile's acts on hover.
  await picture.hover();
  await button(page, "Keep").click();
  await button(page, "Keep").and(page.locator('[aria-pressed="true"]')).waitFor();
  expect(await findBarriers(page, '[aria-label="Conversation"]')).toEqual([]);
  // The same after a reload.
  await page.reload();
  await page.getByText("There it is.").waitFor();
  await picture.click();
  await page.waitForURL(/[?&]viewing=/);
  await page.getByText("a quiet sea").first().waitFor();
});

it("a tool that costs money asks first; a refusal is reported to the model, an approval runs it", async () => {
  const page = await openWithTools("sim-image", "sim-image");
  const toolCalls = [{ name: "make_image_sim_image", input: { prompt: "a red door" } }];
  chat.simulator.script({ text: ["May I?"], toolCalls });
  await say(page, "draw a door");
  await page.getByText("needs your approval").waitFor();
  expect(await findBarriers(page, '[aria-label="Conversation"]')).toEqual([]);
  chat.simulator.script({ text: ["As you wish."] });
  // The answer waits for the decision, so the palette offers it in the composer, with its subject
  // and price.
  const decline = await findInPalette(page, "Decline");
  await decline
    .filter({ hasText: "Draw a picture with sim-image: a red door · at most $0.04" })
    .click();
  await page.getByText("As you wish.").waitFor();
  await page.getByText("declined").waitFor();

  chat.simulator.script({ text: ["And now?"], toolCalls });
  await say(page, "do it all the same");
  await page.getByText("needs your approval").waitFor();
  // A reload in the middle loses nothing and starts nothing.
  await page.reload();
  await page.getByText("needs your approval").waitFor();
  chat.simulator.script({});
  chat.simulator.script({ text: ["Done."] });
  await (await findInPalette(page, "Approve")).filter({ hasText: "at most $0.04" }).click();
  await page.getByText("Done.").waitFor();
  await thread(page)
    .getByRole("link", { name: /red door/ })
    .waitFor();
});

it("a switch changes the same setting as the dialog, and each conversation has its own", async () => {
  const page = await openWithTools("sim-image", "sim-image");
  const [library, pictures] = [button(page, /^Library/), button(page, /^Pictures/)];
  const isOn = (one: typeof library) => one.getAttribute("aria-pressed");
  await soon(() => isOn(pictures)).toBe("true");
  expect(await isOn(library)).toBe("true");
  // The switch shows the possible cost.
  expect(await textOf(pictures)).toContain("$0.04");
  await library.click();
  chat.simulator.script({ text: ["Aye."] });
  await say(page, "hello");
  await page.getByText("Aye.").waitFor();

  const toolsOf = async () => {
    const id = new URL(page.url()).pathname.split("/").at(-1);
    const { conversation } = await chat.studio.api.get<{
      conversation: { settings: { tools?: ConversationTools } };
    }>(`/conversations/${id}`);
    return conversation.settings.tools;
  };
  const model = { connectionId: expect.any(String), modelId: "sim-image", allowed: false };
  await soon(toolsOf).toEqual({ models: [model], library: false });
  await pictures.click();
  await soon(toolsOf).toEqual({ models: [], library: false });
  // The same model again, with the keyboard.
  await page.keyboard.press("Space");
  await soon(toolsOf).toEqual({ models: [model], library: false });
  await button(page, /^Conversation settings/).click();
  await page.getByRole("checkbox", { name: /^sim-image/ }).waitFor();
  expect(await page.getByRole("checkbox", { name: /Search and read/ }).isChecked()).toBe(false);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");

  await button(page, "New conversation").first().click();
  await page.waitForURL(/\/chat(\?|$)/);
  await soon(() => isOn(pictures)).toBe("false");
  // A model without tools: the switches show the reason, and nothing changes.
  await button(page, /^Model: /).click();
  await page.getByPlaceholder("Search models").fill("guide");
  await page.getByRole("option", { name: /guide/i }).first().click();
  await soon(() => pictures.getAttribute("aria-disabled")).toBe("true");
  expect(await findBarriers(page)).toEqual([]);
  await pictures.click({ force: true });
  await page
    .getByRole("region", { name: "Notifications" })
    .getByText(/can’t use tools\. Choose another model/)
    .waitFor();
  expect(await isOn(pictures)).toBe("false");
});

const word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

it("a Word document is sent once file search is on, and the answer's source opens it", async () => {
  const values = { api: openai.url, key: openai.key };
  const connectionId = await connectKind(chat.studio.api, "openai", values);
  await chat.studio.api.send("PUT", `/connections/${connectionId}/model-price`, {
    modelId: "gpt-5.5",
    prices: [{ unit: "input token", micros: "1" }],
  });
  const page = await chat.openPage("/chat");
  await button(page, /^Model: /).click();
  await page.getByPlaceholder("Search models").fill("gpt-5.5");
  await page
    .getByRole("option", { name: /gpt-5.5/i })
    .first()
    .click();
  const chooser = page.waitForEvent("filechooser");
  await button(page, "Attach files").click();
  await page.getByRole("menuitem", { name: "From this device" }).click();
  await (await chooser).setFiles({
    name: "boats.docx",
    mimeType: word,
    buffer: await pack({
      entries: new Map([
        [
          "[Content_Types].xml",
          Buffer.from(`<Types><Override ContentType="${word}.main+xml"/></Types>`),
        ],
        ["word/document.xml", Buffer.from("<w:document/>")],
      ]),
    }),
  });
  await button(page, "Remove boats.docx").waitFor();
  await soon(() => page.getByRole("progressbar", { name: /Uploading/ }).count()).toBe(0);
  await composer(page).fill("How long is the dory?");
  await composer(page).press("Enter");
  await page
    .getByText(/can only be searched\. Turn on File search/)
    .first()
    .waitFor();
  const search = button(page, /^File search/);
  await search.click();
  await soon(() => search.getAttribute("aria-pressed")).toBe("true");
  expect(await textOf(search)).toContain("$0.0025");
  openai.script({ text: ["Five metres."] });
  await composer(page).press("Enter");
  await page.getByText("Five metres.").waitFor();
  await takePicture(page, "file-search");
  expect(await findBarriers(page)).toEqual([]);
  await thread(page).getByRole("link", { name: "boats.docx", exact: true }).click();
  await page.waitForURL(/[?&]viewing=/);
});
