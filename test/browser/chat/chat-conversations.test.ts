import { glob, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset, Conversation, Message } from "#contract/entities.ts";
import { conversationExport } from "#contract/export/conversation.ts";
import {
  type Chat,
  composer,
  say,
  startChat,
  textOf,
  thread,
} from "../../support/browser/chat-in-browser.ts";
import { holdBack } from "../../support/browser/late-answers.ts";
import { button } from "../../support/browser/locators.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import { joinStudio, signInWith } from "../../support/browser/studio-in-browser.ts";
import { readZip } from "../../support/read-zip.ts";
import { soon } from "../../support/soon.ts";
import { createTempFolder } from "../../support/temp.ts";

/** Conversations: how they are found, ordered, shared, forked, exported and deleted. */
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
  const back = page.getByRole("link", { name: "Back to all conversations" });
  expect(await back.getAttribute("aria-current")).toBe(null);
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
  const filing = page.getByRole("dialog", { name: "Folder and tags" });
  const list = page.getByRole("dialog", { name: "Tags", exact: true });
  const openTags = async (of: string) => {
    await page.getByRole("link", { name: of, exact: true }).click();
    await page.getByRole("heading", { name: of }).waitFor();
    await page
      .getByRole("main")
      .getByRole("button", { name: /Actions for/ })
      .click();
    await page.getByRole("menuitem", { name: "Folder and tags" }).click();
    await button(filing, "Add tag").click();
  };
  const close = async () => {
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "detached" });
    await button(filing, "Save").click();
    await filing.waitFor({ state: "detached" });
  };
  await openTags("Lamp oil");
  await list.getByRole("combobox").fill("light");
  await list.getByRole("option", { name: "Create “light”" }).click();
  await close();
  // A tag in use is suggested by its first letters, and removed by its chip.
  await openTags("Rope");
  await list.getByRole("combobox").fill("LI");
  await list.getByRole("option", { name: /^light/ }).click();
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "detached" });
  await button(filing, "Remove tag light").click();
  await button(filing, "Add tag").click();
  await list.getByRole("combobox").fill("knots");
  await list.getByRole("option", { name: "Create “knots”" }).click();
  await close();
  await page.getByRole("link", { name: "knots" }).waitFor();
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
  // A name that is saved late doesn't close a dialog that was opened after its own.
  const late = await holdBack(page, (request) => /folders\//.test(request.url()));
  const name = page.getByRole("textbox", { name: "Name" });
  await act("Stores", "Rename folder");
  await name.fill("Shelves");
  await name.press("Enter");
  await soon(() => late.held.length).toBe(1);
  await page.keyboard.press("Escape");
  await name.waitFor({ state: "detached" });
  await button(page, "New folder").click();
  await name.fill("Cellar");
  await late.release();
  await page.getByText("Shelves", { exact: true }).first().waitFor();
  expect(await name.inputValue()).toBe("Cellar");
  await page.keyboard.press("Escape");
  await act("Shelves", "Delete folder");
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
