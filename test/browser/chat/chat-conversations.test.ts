import { glob, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Locator, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { Asset, Conversation, Message } from "#contract/entities.ts";
import { conversationExport } from "#contract/export/conversation.ts";
import { limits } from "#contract/limits.ts";
import {
  type Chat,
  type ChatBody,
  composer,
  say,
  startChat,
  textOf,
  thread,
} from "../../support/browser/chat-in-browser.ts";
import { button } from "../../support/browser/locators.ts";
import { savedEntry } from "../../support/browser/saved-entry.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import { joinStudio, signInWith } from "../../support/browser/studio-in-browser.ts";
import { readZip } from "../../support/read-zip.ts";
import { soon } from "../../support/soon.ts";
import { createTempFolder } from "../../support/temp.ts";

/** Conversations: messages written before an answer, and how they are found, saved and shared. */
let chat: Chat;

beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat?.stop());

it("search finds text in any conversation, shows it in context, and opens it", async () => {
  await chat.converse(
    "Tell me of lighthouses",
    "## Lenses\n\n- The **Fresnel** [lens](https://example.org) bends `light` to the horizon.",
  );
  const page = await chat.openPage("/chat");
  await composer(page).blur();
  await page.keyboard.press("/");
  await page.keyboard.type("fresnel");
  const hit = page.getByRole("navigation", { name: "Messages found" }).getByRole("link");
  await hit.getByText("Fresnel").waitFor();
  // Found in Markdown, read as text.
  expect(await textOf(hit)).toContain("The Fresnel lens bends light to the horizon.");
  await hit.click();
  await thread(page).getByText("The Fresnel lens bends light to the horizon.").waitFor();
  expect(new URL(page.url()).searchParams.get("q")).toBe("fresnel");
});

it("a message that opens a new conversation ends the search and clears its field", async () => {
  const page = await chat.openPage("/chat");
  const search = page.getByRole("searchbox", { name: "Search all messages" });
  await search.fill("nobody wrote this");
  await page.getByText("No messages contain “nobody wrote this”.").waitFor();
  chat.simulator.script({ text: "Here." });
  await say(page, "Where are you?");
  await thread(page).getByText("Here.", { exact: true }).waitFor();
  await soon(() => search.inputValue()).toBe("");
});

it("a conversation is renamed, pinned, archived and restored", async () => {
  const { conversation } = await chat.converse("Plan the almanac", "Begin with May.");
  const page = await chat.openPage(`/chat/${conversation.id}`);
  const menu = page.getByRole("main").getByRole("button", { name: /Actions for/ });
  const list = page.getByRole("navigation", { name: "Conversations" });
  await menu.click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  // The old title is selected, so typing replaces it.
  await page.getByRole("textbox", { name: "Title" }).waitFor();
  await page.keyboard.type("Almanac, first plan");
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  await list.getByRole("link", { name: "Almanac, first plan" }).waitFor();
  await menu.click();
  await page.getByRole("menuitem", { name: "Pin" }).click();
  await list.getByRole("heading", { name: "Pinned" }).waitFor();
  await menu.click();
  await page.getByRole("menuitem", { name: "Archive" }).click();
  await soon(() => list.getByRole("link", { name: "Almanac, first plan" }).count()).toBe(0);
  await page.getByRole("link", { name: "Archived conversations" }).click();
  await page
    .getByRole("navigation", { name: "Archived" })
    .getByRole("link", { name: "Almanac, first plan" })
    .waitFor();
  await menu.click();
  await page.getByRole("menuitem", { name: "Unarchive" }).click();
  await page.getByRole("link", { name: "Back to all conversations" }).click();
  await list.getByRole("link", { name: "Almanac, first plan" }).waitFor();
});

it("a conversation moved to the trash is restored with undo", async () => {
  const { conversation } = await chat.converse("A passing thought", "Gone soon.");
  const page = await chat.openPage(`/chat/${conversation.id}`);
  await page
    .getByRole("main")
    .getByRole("button", { name: /Actions for/ })
    .click();
  await page.getByRole("menuitem", { name: "Move to trash" }).click();
  await page.waitForURL(/\/chat(\?|$)/);
  const link = page
    .getByRole("navigation", { name: "Conversations" })
    .getByRole("link", { name: "A passing thought" });
  await soon(() => link.count()).toBe(0);
  await button(page, "Undo").click();
  await link.waitFor();
  await thread(page).getByText("Gone soon.").waitFor();
});

it("the trash shows a deleted conversation, restores it, and deletes it for good", async () => {
  const { conversation } = await chat.converse("A thought to weigh", "Weighed.");
  const page = await chat.openPage(`/chat/${conversation.id}`);
  const toTrash = async () => {
    await page
      .getByRole("main")
      .getByRole("button", { name: /Actions for/ })
      .click();
    await page.getByRole("menuitem", { name: "Move to trash" }).click();
    await page.waitForURL(/\/chat(\?|$)/);
    await page.getByRole("link", { name: "Trash", exact: true }).click();
  };
  await toTrash();
  const trash = page.getByRole("navigation", { name: "Conversations in the trash" });
  const row = trash.getByRole("link", { name: "A thought to weigh 30 days left" });
  await row.click();
  await thread(page).getByText("Weighed.").waitFor();
  await page.getByText("It will be deleted permanently in 30 days.", { exact: false }).waitFor();
  await soon(() => composer(page).count()).toBe(0);
  expect(await findBarriers(page)).toEqual([]);
  await button(page.getByRole("main"), "Restore").click();
  await composer(page).waitFor();
  await toTrash();
  await row.waitFor();
  await button(trash, "Delete A thought to weigh permanently").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Its files stay in the library", { exact: false }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await button(dialog, "Delete permanently").click();
  await soon(() => row.count()).toBe(0);
});

it("an answer is forked into a new conversation, which links back to it", async () => {
  await chat.converse("Which lens", "The Fresnel lens, of course.");
  const page = await chat.openPage("/chat");
  await page.getByRole("link", { name: "Which lens" }).click();
  const answer = thread(page).getByRole("article");
  await button(answer, "More actions").click();
  await page.getByRole("menuitem", { name: "Fork from here" }).click();
  const line = page.getByRole("link", { name: "Forked from “Which lens”" });
  await line.waitFor();
  await page.getByRole("heading", { name: "Which lens (2)" }).waitFor();
  await thread(page).getByText("The Fresnel lens, of course.").waitFor();
  await soon(() => composer(page).evaluate((field) => field === document.activeElement)).toBe(true);
  expect(await findBarriers(page)).toEqual([]);
  chat.simulator.script({ text: "Not in this one." });
  await say(page, "And a mirror?");
  await thread(page).getByText("Not in this one.").waitFor();
  // A fork of the fork has what both of them say, and links to the nearer one.
  await button(answer.last(), "More actions").click();
  await page.getByRole("menuitem", { name: "Fork from here" }).click();
  const nearer = page.getByRole("link", { name: "Forked from “Which lens (2)”" });
  await nearer.waitFor();
  for (const words of ["The Fresnel lens, of course.", "Not in this one."])
    await thread(page).getByText(words).waitFor();
  await nearer.click();
  await page.getByRole("heading", { name: "Which lens (2)", exact: true }).waitFor();
  await line.click();
  await page.getByRole("heading", { name: "Which lens", exact: true }).waitFor();
  expect(await thread(page).getByText("Not in this one.").count()).toBe(0);
});

it("a deleted answer takes its replies along, and Undo restores them", async () => {
  const { conversation } = await chat.converse("Prune me", "A first branch.");
  const page = await chat.openPage(`/chat/${conversation.id}`);
  await thread(page).getByText("A first branch.").waitFor();
  chat.simulator.script({ text: "A leaf." });
  await say(page, "And then?");
  await thread(page).getByText("A leaf.").waitFor();
  await soon(() => button(page, "Answer again").count()).toBe(2);
  await thread(page)
    .getByRole("article")
    .first()
    .getByRole("button", { name: "More actions" })
    .click();
  await page.getByRole("menuitem", { name: "Delete answer" }).click();
  await page.getByText("Deleted 3 messages").waitFor();
  const gone = ["A first branch.", "And then?", "A leaf."];
  for (const words of gone)
    await soon(() => thread(page).getByText(words, { exact: true }).count()).toBe(0);
  expect(await chat.messagesOf(page)).toHaveLength(1);
  await button(page, "Undo").click();
  for (const words of gone) await thread(page).getByText(words, { exact: true }).waitFor();
  expect(await chat.messagesOf(page)).toHaveLength(4);
});

const pixels = (background: string) =>
  sharp({ create: { width: 40, height: 30, channels: 3, background } })
    .png()
    .toBuffer();

/** The exported file's name and bytes. */
async function exportAs(page: Page, format: string): Promise<[string, Buffer]> {
  await page
    .getByRole("main")
    .getByRole("button", { name: /Actions for/ })
    .click();
  await page.getByRole("menuitem", { name: "Export conversation" }).click();
  const dialog = page.getByRole("dialog", { name: "Export conversation" });
  await dialog.getByRole("radio", { name: format }).check({ force: true });
  await dialog.getByRole("checkbox", { name: "Include the cost of each answer" }).check();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("link", { name: "Download" }).click(),
  ]);
  return [file.suggestedFilename(), await readFile(await file.path())];
}

it("a conversation is exported as Markdown, as JSON, and as a page that needs nothing else, prints, and names lost files", async () => {
  const { api, dataFolder } = chat.studio;
  const { conversation, message } = await chat.converse("Export me", "Answered with **care**.");
  const saved = await api.upload("harbor.png", await pixels("#b5522d"));
  const lost = await api.upload("lost.png", await pixels("#2a6f7d"));
  await api.send("POST", `/conversations/${conversation.id}/messages`, {
    parentId: (await api.get<{ messages: Message[] }>(`/conversations/${conversation.id}`)).messages
      .filter(({ parentId }) => parentId === message.id)
      .at(0)!.id,
    text: "Two pictures.",
    attachments: [saved.id, lost.id],
  });
  const { asset } = await api.get<{ asset: Asset }>(`/assets/${lost.id}`);
  for await (const path of glob(`${dataFolder}/**/${asset.sha256}`))
    await rm(path, { recursive: true });

  const page = await chat.openPage(`/chat/${conversation.id}`);
  await thread(page).getByText("Two pictures.").waitFor();
  const [markdownName, markdown] = await exportAs(page, "Markdown");
  expect(markdownName).toBe("Export me.md");
  for (const words of ["# Export me", "Answered with **care**.", "harbor.png", "tokens · "])
    expect(markdown.toString()).toContain(words);
  const [jsonName, json] = await exportAs(page, "JSON");
  expect(jsonName).toBe("Export me.json");
  expect(conversationExport.parse(JSON.parse(json.toString())).messages).toHaveLength(3);

  const [zipName, zip] = await exportAs(page, "Page");
  expect(zipName).toBe("Export me.zip");
  const folder = createTempFolder("export");
  for (const [name, bytes] of await readZip(zip)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
  const offline = await page.context().newPage();
  const asked: string[] = [];
  offline.on("request", (request) => asked.push(request.url()));
  await offline.goto(pathToFileURL(join(folder, "index.html")).href);
  await offline.getByRole("heading", { name: "Export me" }).waitFor();
  await offline.getByText("lost.png: this file is missing from the storage.").waitFor();
  const picture = offline.getByRole("img", { name: "harbor.png" });
  await soon(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(40);
  expect(asked.filter((url) => !url.startsWith("file:"))).toEqual([]);
  const looks = () =>
    offline.evaluate(() => {
      const { backgroundColor, fontSize } = getComputedStyle(document.documentElement);
      return [backgroundColor, fontSize];
    });
  const onScreen = await looks();
  await offline.emulateMedia({ media: "print" });
  expect(onScreen).toEqual(["rgb(253, 252, 250)", "16px"]);
  expect(await looks()).toEqual(["rgb(255, 255, 255)", "14px"]);
});

it("a conversation is moved to a folder by dragging or by its menu, and its tags filter the list", async () => {
  await chat.converse("Lamp oil", "A pint.");
  await chat.converse("Rope", "Forty feet.");
  const page = await chat.openPage("/chat");
  await button(page, "New folder").click();
  await page.getByRole("textbox", { name: "Name" }).fill("Stores");
  await button(page, "Create folder").click();
  const folder = page.getByRole("link", { name: "Stores" });
  await folder.waitFor();
  await page.getByRole("link", { name: "Rope" }).dragTo(folder);
  await page.getByRole("link", { name: "Lamp oil" }).click();
  await page
    .getByRole("main")
    .getByRole("button", { name: /Actions for/ })
    .click();
  await page.getByRole("menuitem", { name: "Folder and tags" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Tags" }).fill("light");
  await button(page.getByRole("dialog"), "Save").click();
  const shown = page.getByRole("navigation", { name: "Conversations" }).getByRole("link");
  await folder.click();
  await soon(() => shown.allTextContents()).toEqual(["Rope"]);
  await page.getByRole("link", { name: "light" }).click();
  await soon(() => shown.allTextContents()).toEqual(["Lamp oil"]);
  expect(await findBarriers(page)).toEqual([]);
  const limitedTo = () => new URL(page.url()).search;
  const act = async (of: string, name: string) => {
    await page.getByRole("button", { name: `Actions for ${of}`, exact: true }).click();
    await page.getByRole("menuitem", { name }).click();
  };
  await act("light", "Rename tag");
  await page.getByRole("textbox", { name: "Name" }).fill("lamps");
  await button(page.getByRole("dialog"), "Rename tag").click();
  await soon(limitedTo).toBe("?tag=lamps");
  await act("lamps", "Remove tag");
  await soon(limitedTo).toBe("");
  await folder.click();
  await soon(limitedTo).toMatch(/^\?folder=/);
  await act("Stores", "Delete folder");
  await soon(limitedTo).toBe("");
});

it("a temporary chat is in no list, and is deleted once it is closed", async () => {
  const page = await chat.openPage("/chat");
  await button(page, "Temporary chat").click();
  await page.getByRole("heading", { name: "Temporary chat" }).waitFor();
  chat.simulator.script({ text: "Quietly." });
  await say(page, "Between the two of us");
  await thread(page).getByText("Quietly.").waitFor();
  // Controls for requests that the server would refuse are missing.
  const tools = page.getByRole("group", { name: "Tools", exact: true }).getByRole("button");
  await soon(() => tools.allTextContents()).toEqual([expect.stringContaining("Library")]);
  expect(await button(page, "Attach files").count()).toBe(0);
  expect(await button(page, "Read aloud").count()).toBe(0);
  await thread(page).getByRole("button", { name: "More actions" }).last().click();
  await page.getByRole("menuitem", { name: "Delete" }).waitFor();
  expect(await page.getByRole("menuitem", { name: "Fork from here" }).count()).toBe(0);
  await page.keyboard.press("Escape");
  const list = page.getByRole("navigation", { name: "Conversations" });
  expect(await list.getByText("Between the two of us").count()).toBe(0);
  const address = page.url();
  await button(page, "Close and delete").click();
  await page.getByText("Temporary chat deleted").waitFor();
  const id = new URL(address).pathname.split("/").at(-1);
  await expect(chat.studio.api.get(`/conversations/${id}`)).rejects.toThrow();
});

it("a conversation is private until it is shared with the project", async () => {
  const { conversation } = await chat.converse("Shall I share it", "As you like.");
  const page = await chat.openPage(`/chat/${conversation.id}`);
  const visibility = async () =>
    (await chat.studio.api.get<{ conversation: Conversation }>(`/conversations/${conversation.id}`))
      .conversation.visibility;
  expect(await visibility()).toBe("author");
  await button(page, "Share").click();
  await page.getByText("Everyone in the project can read this conversation").waitFor();
  expect(await visibility()).toBe("project");
  await button(page, "Shared").waitFor();
});

it("a conversation of another project names that project", async () => {
  const { api } = chat.studio;
  const { project } = await api.send<{ project: { id: string } }>("POST", "/projects", {
    name: "Almanac",
  });
  const { conversation } = await api.send<{ conversation: Conversation }>(
    "POST",
    "/conversations",
    { projectId: project.id },
  );
  const page = await chat.openPage(`/chat/${conversation.id}`);
  await page.getByRole("main").getByText("In Almanac").waitFor();
  await page.goto("/chat");
  await composer(page).waitFor();
  expect(await page.getByText("In Almanac").count()).toBe(0);
});

it("a person a conversation is shared with can read it but not write in it", async () => {
  const { conversation } = await chat.converse("Read this with me", "Gladly, said the model.");
  await chat.studio.api.send("PATCH", `/conversations/${conversation.id}`, {
    visibility: "project",
  });
  const person = { name: "Bea", email: "bea@example.org", password: "another long password" };
  const { cookie } = await joinStudio(chat.studio, { ...person, role: "editor" });
  const theirs = await chat.openProfile();
  await signInWith(theirs.context(), chat.studio.url, cookie);
  await theirs.goto(`/chat/${conversation.id}`);
  await thread(theirs).getByText("Gladly, said the model.").waitFor();
  await theirs
    .getByText("Someone shared this conversation with the project. You can read it.")
    .waitFor();
  expect(await composer(theirs).count()).toBe(0);
  expect(await button(theirs, "Answer again").count()).toBe(0);
});

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
  await thread(page).getByRole("img", { name: "harbour.png" }).waitFor();
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

it("text typed before the model picker's code loads is searched, and Escape cancels the opening", async () => {
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
  await page.keyboard.type("owner sim-vis");
  load();
  const search = page.getByPlaceholder("Search models");
  await soon(() => search.inputValue()).toBe("owner sim-vis");
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
  await button(page, "Model: owner/sim-vision. Choose another").waitFor();
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

it("the C key starts a new conversation", async () => {
  const { conversation } = await chat.converse("An old one", "Old words.");
  const page = await chat.openPage(`/chat/${conversation.id}`);
  await page.getByText("Old words.").waitFor();
  await thread(page).focus();
  await page.keyboard.press("c");
  await page.waitForURL(/\/chat(\?|$)/);
  await soon(() => composer(page).evaluate((area) => area === document.activeElement)).toBe(true);
});

it("only the visible conversations of many are rendered, and the last one is reachable", async () => {
  const { api } = chat.studio;
  const titles = Array.from({ length: 130 }, (_, place) => `Talk ${place}`);
  for (const title of titles) {
    const { conversation } = await api.send<{ conversation: Conversation }>(
      "POST",
      "/conversations",
      { projectId: api.projectId },
    );
    await api.send("PATCH", `/conversations/${conversation.id}`, { title });
  }
  const page = await chat.openPage("/chat");
  const list = page.getByRole("navigation", { name: "Conversations" });
  await list.getByRole("link", { name: "Talk 129", exact: true }).waitFor();
  await soon(() => list.getByRole("link").count()).toBeLessThan(60);
  const first = list.getByRole("link", { name: "Talk 0", exact: true });
  await soon(async () => {
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    return first.count();
  }).toBe(1);
  await first.click();
  await page.waitForURL(/\/chat\/[0-9a-f-]{36}/);
  expect(await list.getByRole("link", { name: "Talk 129", exact: true }).count()).toBe(0);
});
