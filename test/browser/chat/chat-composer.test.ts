import type { Locator } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { limits } from "#contract/limits.ts";
import {
  type Chat,
  type ChatBody,
  composer,
  say,
  startChat,
  thread,
} from "../../support/browser/chat-in-browser.ts";
import { holdBack } from "../../support/browser/late-answers.ts";
import { button } from "../../support/browser/locators.ts";
import { savedEntry } from "../../support/browser/saved-entry.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import { soon } from "../../support/soon.ts";

/** The composer of Chat: drafts, attached files, sending, and the choice of models and settings. */
let chat: Chat;

beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat?.stop());

const pixels = (background: string) =>
  sharp({ create: { width: 40, height: 30, channels: 3, background } })
    .png()
    .toBuffer();

it("files are added from the device, the library, by paste and by drop, and a file that no model reads is refused", async () => {
  const picture = await pixels("#b5522d");
  const page = await chat.openPage("/chat");
  const chooser = page.waitForEvent("filechooser");
  await button(page, "Attach files").click();
  await page.getByRole("menuitem", { name: "From this device" }).click();
  await (await chooser).setFiles({ name: "harbour.png", mimeType: "image/png", buffer: picture });
  await button(page, "Remove harbour.png").waitFor();
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
  await button(page, "Remove notes.md").waitFor();
  await give("drop", "letters.woff2", "font/woff2", "not a font");
  await page
    .getByText(
      "“letters.woff2” can’t be attached. Use pictures, audio, videos, text, PDF, Word or PowerPoint files.",
    )
    .waitFor();
  await give("drop", "tides.txt", "text/plain", "Low at six.");
  await button(page, "Remove tides.txt").waitFor();
  await button(page, "Remove tides.txt").click();
  // A message waits for its files: an uploading file has the same name as an uploaded one.
  await soon(() => page.getByRole("progressbar", { name: /Uploading/ }).count()).toBe(0);
  // Uploads are in the library: a file removed here is attached from there.
  await button(page, "Remove harbour.png").click();
  await button(page, "Attach files").click();
  await page.getByRole("menuitem", { name: "From library" }).click();
  const library = page.getByRole("dialog", { name: "Choose from library" });
  await library.getByRole("link", { name: "harbour.png" }).click();
  expect(await findBarriers(page, '[role="dialog"]')).toEqual([]);
  await library.getByRole("button", { name: "Add 1 file" }).click();
  await button(page, "Remove harbour.png").waitFor();
  chat.simulator.script({ text: "I see a square." });
  await say(page, "What is on it?");
  await page.getByText("I see a square.").waitFor();
  const sent = thread(page).getByRole("link", { name: "harbour.png" });
  await sent.click();
  await page.locator("[data-takes-shortcuts]").waitFor();
  expect(new URL(page.url()).pathname).toMatch(/^\/chat\//);
  await page.keyboard.press("Escape");
  await page.locator("[data-takes-shortcuts]").waitFor({ state: "detached" });
  await sent.hover();
  for (const name of ["Keep", "Use as input", "Download"])
    await sent.locator("..").getByRole("button", { name }).waitFor();
  const body = chat.simulator.posts.at(-1)?.body as ChatBody | undefined;
  const content = body?.messages.at(-1)?.content ?? [];
  expect(content.map(({ type }) => type)).toContain("image_url");
  expect(JSON.stringify(content)).toContain("High at noon.");
  expect(JSON.stringify(content)).not.toContain("Low at six.");
});

it("a pasted novel is kept as a draft, and a sentence under it names the limit", async () => {
  const page = await chat.openPage("/chat");
  await composer(page).fill("n".repeat(limits.messageCharacters + 1));
  await page.getByText("200,001 of at most 200,000 characters").waitFor();
  expect(await button(page, "Send").isDisabled()).toBe(true);
  await page.reload();
  await composer(page).waitFor();
  expect((await composer(page).inputValue()).length).toBe(limits.messageCharacters + 1);
});

it("a draft is saved for each conversation and survives a reload", async () => {
  const { conversation } = await chat.converse("Where drafts live", "On your device.");
  const page = await chat.openPage("/chat");
  await composer(page).fill("for a new one");
  await page
    .getByRole("navigation", { name: "Conversations" })
    .getByRole("link", { name: "Where drafts live" })
    .click();
  await thread(page).getByText("On your device.").waitFor();
  expect(await composer(page).inputValue()).toBe("");
  await composer(page).fill("for the old one");
  await page.reload();
  await soon(() => composer(page).inputValue()).toBe("for the old one");
  await page.goto("/chat");
  await soon(() => composer(page).inputValue()).toBe("for a new one");
  expect(conversation.id).not.toBe("");
});

it("an upload ends in the draft that it was started in, and neither changes nor blocks another", async () => {
  const page = await chat.openPage("/chat");
  const { held, release } = await holdBack(page, (request) => /uploads/.test(request.url()));
  const chooser = page.waitForEvent("filechooser");
  await button(page, "Attach files").click();
  await page.getByRole("menuitem", { name: "From this device" }).click();
  await (await chooser).setFiles({
    name: "jetty.png",
    mimeType: "image/png",
    buffer: await pixels("#335577"),
  });
  await soon(() => held.length).toBe(1);
  await page
    .getByRole("navigation", { name: "Conversations" })
    .getByRole("link", { name: "Where drafts live" })
    .click();
  await thread(page).getByText("On your device.").waitFor();
  expect(await page.getByText("jetty.png").count()).toBe(0);
  // The text isn't saved yet when the upload ends.
  await page.clock.install();
  await composer(page).fill("and where do files live?");
  expect(await button(page, "Send").isEnabled()).toBe(true);
  const uploaded = page.waitForResponse((response) => /uploads/.test(response.url()));
  await release();
  await (await uploaded).finished();
  const isSaved = () =>
    page.evaluate(() => Object.values(localStorage).some((value) => value.includes("jetty.png")));
  await soon(isSaved).toBe(true);
  await page.clock.runFor(2_000);
  expect(await composer(page).inputValue()).toBe("and where do files live?");
  await page.goto("/chat");
  await button(page, "Remove jetty.png").waitFor();
});

it("an upload ends in its draft while another screen is open", async () => {
  const page = await chat.openPage("/chat");
  const { held, release } = await holdBack(page, (request) => /uploads/.test(request.url()));
  const chooser = page.waitForEvent("filechooser");
  await button(page, "Attach files").click();
  await page.getByRole("menuitem", { name: "From this device" }).click();
  const quay = { name: "quay.png", mimeType: "image/png", buffer: await pixels("#775533") };
  await (await chooser).setFiles(quay);
  await soon(() => held.length).toBe(1);
  await page.getByRole("link", { name: "Activity" }).first().click();
  await page.getByRole("heading", { name: "Activity" }).first().waitFor();
  const uploaded = page.waitForResponse((response) => /uploads/.test(response.url()));
  await release();
  await (await uploaded).finished();
  await soon(() =>
    page.evaluate(() => Object.values(localStorage).some((value) => value.includes("quay.png"))),
  ).toBe(true);
  await page.goto("/chat");
  await button(page, "Remove quay.png").click();
});

it("a draft sent in one tab is offered in no other, and newer text in another tab stays", async () => {
  const { conversation } = await chat.converse("Two windows", "One draft.");
  const page = await chat.openPage(`/chat/${conversation.id}`);
  const openTab = async (text: string) => {
    const tab = await page.context().newPage();
    await tab.goto(page.url());
    await soon(() => composer(tab).inputValue()).toBe(text);
    return tab;
  };
  await composer(page).fill("typed in");
  const { user } = await chat.studio.api.get<{ user: { id: string } }>("/me");
  const [key] = savedEntry("draft", user.id, "message", null, conversation.id);
  const isSaved = (text: string) =>
    soon(() => page.evaluate((entry) => localStorage.getItem(entry) ?? "", key)).toContain(text);
  await isSaved('"typed in"');
  const [reader, writer] = [await openTab("typed in"), await openTab("typed in")];
  await composer(writer).fill("typed");
  await isSaved('"typed"');
  await composer(page).fill("typed in the first tab");
  chat.simulator.script({ text: "Seen in all." });
  await composer(page).press("Enter");
  await thread(reader).getByText("Seen in all.").waitFor();
  await soon(() => composer(reader).inputValue()).toBe("");
  await isSaved('"typed"');
  expect(await composer(writer).inputValue()).toBe("typed");
  // A frozen tab hears of the sent draft late. Its own text doesn't replace text saved since.
  await composer(page).fill("newer");
  const savedInWriter = () => writer.evaluate((entry) => localStorage.getItem(entry) ?? "", key);
  await soon(savedInWriter).toContain('"newer"');
  // Only the writer hears of it: a tab that shows the newer text would save that again.
  await reader.close();
  await page.goto("/usage");
  const heard = writer.evaluate(
    () =>
      new Promise<void>((resolve) => {
        // The app's channel was opened before this one, so it has the message by then.
        new BroadcastChannel("bottega:sent-drafts").onmessage = () => resolve();
        document.title = "listening";
      }),
  );
  await soon(() => writer.title()).toBe("listening");
  await page.evaluate((sent) => new BroadcastChannel("bottega:sent-drafts").postMessage(sent), {
    slot: "message",
    person: user.id,
    id: conversation.id,
    value: { text: "typed in the first tab", files: [] },
  });
  await heard;
  expect(await savedInWriter()).toContain('"newer"');
  await page.goto(`/chat/${conversation.id}`);
  await soon(() => composer(page).inputValue()).toBe("newer");
  await composer(page).fill("");
  await composer(writer).fill("typed again");
  await isSaved('"typed again"');
  await writer.reload();
  await soon(() => composer(writer).inputValue()).toBe("typed again");
  expect(await composer(page).inputValue()).toBe("");

  await page.goto("/chat");
  await composer(page).fill("a new conversation");
  await soon(() => page.evaluate(() => JSON.stringify(localStorage))).toContain(
    "a new conversation",
  );
  const other = await openTab("a new conversation");
  chat.simulator.script({ text: "Begun once." });
  await composer(page).press("Enter");
  await thread(page).getByText("Begun once.").waitFor();
  await soon(() => composer(other).inputValue()).toBe("");
});

it("a first message whose reply was lost is sent again by itself, without a duplicate", async () => {
  const page = await chat.openPage("/chat");
  const postsBefore = chat.simulator.posts.length;
  let isLost = true;
  await page.route("**/messages", async (route) => {
    if (!isLost) return route.continue();
    isLost = false;
    await route.fetch();
    await route.abort();
  });
  chat.simulator.script({ text: "Heard once." });
  await say(page, "Do you hear me?");
  await page.getByText("Heard once.").waitFor();
  expect(await chat.messagesOf(page)).toHaveLength(2);
  expect(chat.simulator.posts).toHaveLength(postsBefore + 1);
});

it("a first message isn't lost if its conversation or its project is deleted meanwhile", async () => {
  const { api } = chat.studio;
  const page = await chat.openPage("/chat");
  await page.route(
    "**/messages",
    async (route) => {
      const conversation = new URL(route.request().url()).pathname.replace(
        /^.*v1|\/messages$/g,
        "",
      );
      await api.send("DELETE", conversation);
      await api.send("POST", `${conversation}/delete`);
      await route.continue();
    },
    { times: 1 },
  );
  chat.simulator.script({ text: "In another one." });
  await say(page, "Is anyone here?");
  await page.getByText("In another one.").waitFor();
  expect(await chat.messagesOf(page)).toHaveLength(2);

  const { project } = await api.send<{ project: { id: string } }>("POST", "/projects", {
    name: "Ebb",
  });
  const { user } = await api.get<{ user: { id: string } }>("/me");
  const chosen = savedEntry("choice", user.id, "project", project.id);
  await page.evaluate(([key, value]) => localStorage.setItem(key, value), chosen);
  await page.goto("/chat");
  await button(page, "Project: Ebb. Switch project").waitFor();
  await composer(page).fill("Half a thought");
  await api.send("POST", `/projects/${project.id}/delete`, { name: "Ebb" });
  await page
    .getByText("Ebb is no longer available. Your message is now in Tide almanac.")
    .waitFor();
  await soon(() => composer(page).inputValue()).toBe("Half a thought");
  chat.simulator.script({ text: "The other half." });
  await composer(page).press("Enter");
  await page.getByText("The other half.").waitFor();
});

it("a message sent before the page knows its models is sent as soon as it does", async () => {
  const page = await chat.openPage("/chat");
  const held = Promise.withResolvers<void>();
  await page.route("**/api/v1/models**", async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.reload();
  chat.simulator.script({ text: "No hurry." });
  await say(page, "I was quick");
  await page.getByText("Sending…").waitFor();
  held.resolve();
  await page.getByText("No hurry.").waitFor();
  expect(await chat.messagesOf(page)).toHaveLength(2);
});

it("text typed and a file attached while a message is being sent stay in the composer", async () => {
  const { conversation } = await chat.converse("Are you slow?", "Only the line is.");
  const page = await chat.openPage(`/chat/${conversation.id}`);
  await thread(page).getByText("Only the line is.").waitFor();
  const held = Promise.withResolvers<void>();
  await page.route("**/messages", async (route) => {
    await held.promise;
    await route.continue();
  });
  chat.simulator.script({ text: "There it is." });
  await say(page, "One");
  await thread(page).getByText("One", { exact: true }).waitFor();
  await composer(page).fill("and two");
  const chooser = page.waitForEvent("filechooser");
  await button(page, "Attach files").click();
  await page.getByRole("menuitem", { name: "From this device" }).click();
  const uploaded = page.waitForResponse(/\/api\/v1\/uploads/);
  await (await chooser).setFiles({
    name: "tides.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("High at noon.\n"),
  });
  expect((await uploaded).ok()).toBe(true);
  await soon(() => page.getByRole("progressbar", { name: /Uploading/ }).count()).toBe(0);
  held.resolve();
  await page.getByText("There it is.").waitFor();
  expect(await composer(page).inputValue()).toBe("and two");
  await button(page, "Remove tides.txt").waitFor();
});

it("the model picker searches every connection, describes each model, and remembers the last used one", async () => {
  await chat.studio.api.send("PUT", `/connections/${chat.connectionId}/model-facts`, {
    modelId: "owner/sim-vision",
    facts: { contextTokens: 128_000, inputModalities: ["text", "image"] },
  });
  const page = await chat.openPage("/chat");
  await button(page, /Choose another/).click();
  await page.getByPlaceholder("Search models").fill("sim-vis");
  const option = page.getByRole("option", { name: /owner\/sim-vision/ });
  await option.getByText("128K context").waitFor();
  await option.getByRole("img", { name: "Accepts text, pictures" }).waitFor();
  await option.getByText(/ · price unknown/).waitFor();
  await soon(() => page.getByRole("option").count()).toBe(1);
  await page.keyboard.press("Enter");
  await button(page, "Model: owner/sim-vision. Choose another").waitFor();
  await page.reload();
  await button(page, "Model: owner/sim-vision. Choose another").waitFor();
});

it("Tab closes a menu and moves on from its button, and passes through a popover before it closes that", async () => {
  const page = await chat.openPage("/chat");
  const hasFocus = (one: Locator) =>
    soon(() => one.evaluate((element) => element.contains(document.activeElement))).toBe(true);
  const menu = page.getByRole("menu");
  await button(page, "Attach files").press("Enter");
  await hasFocus(menu);
  await page.keyboard.press("Tab");
  await hasFocus(button(page, /Choose another/));
  await menu.waitFor({ state: "detached" });

  const settings = button(page, "Conversation settings");
  const popover = page.getByRole("dialog", { name: "Conversation settings" });
  const [first, last] = [
    popover.getByRole("textbox", { name: "System prompt" }),
    popover.locator("summary", { hasText: "Structured output" }),
  ];
  await settings.press("Enter");
  await last.waitFor();
  await first.focus();
  await page.keyboard.press("Tab");
  await hasFocus(popover);
  await last.focus();
  await page.keyboard.press("Tab");
  await popover.waitFor({ state: "detached" });
  await settings.press("Enter");
  await first.focus();
  await page.keyboard.press("Shift+Tab");
  await hasFocus(settings);
  await popover.waitFor({ state: "detached" });
});

it("text and Enter typed before the model picker's code loads choose a model, and Escape cancels the opening", async () => {
  const page = await chat.openProfile();
  const { promise: loaded, resolve: load } = Promise.withResolvers<void>();
  let isHeld = false;
  await page.route("**/assets/*.js", async (route) => {
    if (isHeld) await loaded;
    await route.continue();
  });
  await page.goto("/chat");
  const picker = button(page, /Choose another/);
  await picker.waitFor();
  isHeld = true;
  await picker.press("Enter");
  await picker.and(page.locator("[aria-expanded=true]")).waitFor();
  await page.keyboard.press("Escape");
  await picker.and(page.locator("[aria-expanded=false]")).waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.type("sim-chat");
  await page.keyboard.press("Enter");
  load();
  await button(page, "Model: sim-chat. Choose another").waitFor();
  await picker.press("Enter");
  const search = page.getByPlaceholder("Search models");
  await page.keyboard.type("sim");
  await soon(() => search.inputValue()).toBe("sim");
  await page.keyboard.press("Escape");
  await search.waitFor({ state: "detached" });
  expect(await picker.evaluate((element) => element === document.activeElement)).toBe(true);
});

it("Enter chooses the first model after a search removed the chosen one and others", async () => {
  const page = await chat.openPage("/chat");
  await button(page, /Choose another/).click();
  await page.getByPlaceholder("Search models").fill("guide");
  await page.getByRole("option", { name: /^Guide/ }).click();
  await button(page, "Model: Guide. Choose another").click();
  const search = page.getByPlaceholder("Search models");
  await search.waitFor();
  await search.fill("sim-vision");
  await soon(() => page.getByRole("option").count()).toBe(1);
  await page.getByRole("option", { selected: true }).waitFor();
  await search.press("Enter");
  await button(page, "Model: owner/sim-vision. Choose another").click();
  await search.fill("no such model");
  await page.getByText("No models match").waitFor();
  // Enter at the moment when the results appear.
  await search.evaluate((field) => {
    const list = field.closest("[cmdk-root]")!;
    new MutationObserver((_, observer) => {
      if (!list.querySelector("[cmdk-item]")) return;
      observer.disconnect();
      const facts = { key: "Enter", bubbles: true, cancelable: true };
      field.dispatchEvent(new KeyboardEvent("keydown", facts));
    }).observe(list, { subtree: true, childList: true });
  });
  await search.fill("sim-chat");
  await button(page, "Model: sim-chat. Choose another").waitFor();
});

it("a conversation continues with its last answer's model until another is chosen", async () => {
  const { conversation } = await chat.converse("Name a knot", "A bowline.");
  const page = await chat.openPage("/chat");
  const pick = async (model: string) => {
    await button(page, /Choose another/).click();
    // A click could hit a row that the search is about to replace.
    await page.getByPlaceholder("Search models").fill(model);
    await page.getByPlaceholder("Search models").press("Enter");
  };
  const shows = (model: string) => button(page, `Model: ${model}. Choose another`).waitFor();
  await pick("sim-vision");
  await shows("owner/sim-vision");
  await page.goto(`/chat/${conversation.id}`);
  await page.getByText("A bowline.").waitFor();
  await shows("sim-chat");
  await pick("sim-vision");
  await shows("owner/sim-vision");
  await button(page, "New conversation").click();
  await shows("owner/sim-vision");
});

it("a new conversation starts with the person's default model, whatever was used last", async () => {
  const setDefault = (chatModel: object | null) =>
    chat.studio.api.send("PATCH", "/me/preferences", { defaults: { chatModel } });
  await setDefault({ connectionId: chat.connectionId, modelId: "owner/sim-vision" });
  onTestFinished(async () => void (await setDefault(null)));
  const page = await chat.openPage("/chat");
  const shows = (model: string) => button(page, `Model: ${model}. Choose another`).waitFor();
  await shows("owner/sim-vision");
  await button(page, /Choose another/).click();
  await page.getByPlaceholder("Search models").fill("sim-chat");
  await page
    .getByRole("option", { name: /sim-chat/ })
    .first()
    .click();
  await shows("sim-chat");
  await page.goto("/");
  await shows("owner/sim-vision");
});

it("the model for conversation titles shows what a title costs", async () => {
  const { api } = chat.studio;
  await api.send("PUT", `/connections/${chat.connectionId}/model-price`, {
    modelId: "sim-chat",
    prices: [
      { unit: "input token", micros: "3" },
      { unit: "output token", micros: "15" },
    ],
  });
  onTestFinished(
    async () => void (await api.send("PATCH", "/me/preferences", { titleModel: null })),
  );
  const page = await chat.openProfile();
  await page.goto("/settings/profile");
  await page.getByText("No model chosen. The title is the start of your first message.").waitFor();
  await button(page, /^(Choose a model|Model: )/).click();
  await page.getByPlaceholder("Search models").fill("sim-chat");
  await page.getByPlaceholder("Search models").press("Enter");
  // 600 input tokens and 12 output tokens.
  await page.getByText(/^About \$0\.002 a title \(.*\)\.$/).waitFor();
  await button(page, "Remove model").click();
  await page.getByText("No model chosen.", { exact: false }).waitFor();
});

it("the system prompt and the model's own settings apply to the next answer", async () => {
  const page = await chat.openPage("/chat");
  await button(page, "Conversation settings").click();
  await page.getByRole("textbox", { name: "System prompt" }).fill("Answer like a harbour master.");
  await page.getByText("More settings").click();
  await page.getByRole("textbox", { name: "Longest answer" }).fill("321");
  await page.keyboard.press("Escape");
  await button(page, "Conversation settings (changed)").waitFor();
  chat.simulator.script({ text: "Aye." });
  await say(page, "Who are you?");
  await page.getByText("Aye.").waitFor();
  const body = chat.simulator.posts.at(-1)?.body as ChatBody | undefined;
  expect(body?.messages[0]).toMatchObject({
    role: "system",
    content: "Answer like a harbour master.",
  });
  expect(body?.max_completion_tokens ?? body?.max_tokens).toBe(321);
});
