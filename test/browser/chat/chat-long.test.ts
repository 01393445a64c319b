import type { Locator, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Conversation, Message } from "#contract/entities.ts";
import {
  type Chat,
  composer,
  say,
  startChat,
  thread,
} from "../../support/browser/chat-in-browser.ts";
import { drawn, holdBack } from "../../support/browser/late-answers.ts";
import { button } from "../../support/browser/locators.ts";
import { soon } from "../../support/soon.ts";

/**
 * A long conversation: only its visible rows are in the page, and its messages load where a person
 * looks.
 */
let chat: Chat;
let conversationId: string;
const ids: string[] = [];
const count = 160;

beforeAll(async () => {
  chat = await startChat();
  const { api } = chat.studio;
  const { conversation } = await api.send<{ conversation: Conversation }>(
    "POST",
    "/conversations",
    { projectId: api.projectId },
  );
  conversationId = conversation.id;
  for (let place = 0; place < count; place++) {
    const { message } = await api.send<{ message: Message }>(
      "POST",
      `/conversations/${conversationId}/messages`,
      {
        parentId: ids.at(-1) ?? null,
        text: `Entry ${place} of the log. ${"The lamp was trimmed. ".repeat(place % 12)}`,
      },
    );
    ids.push(message.id);
  }
});
afterAll(() => chat?.stop());

const entry = (page: Page, place: number) => thread(page).getByText(`Entry ${place} of the log.`);
const isInView = (page: Page, place: number) =>
  entry(page, place).evaluateAll((found) =>
    found.some((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    }),
  );
/** The page's requests about its conversation since then, by their purpose. */
function listenToRequests(page: Page): string[] {
  const asked: string[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    const [, part] = /conversations\/[0-9a-f-]{36}(\/messages)?$/.exec(pathname) ?? [];
    if (request.method() !== "GET" || !pathname.includes(conversationId)) return;
    asked.push(part ? `${searchParams.get("ids")?.split(",").length} messages` : "all of it");
  });
  return asked;
}

it("a long conversation opens at its end with only the visible rows, and its first message loads when scrolled to", async () => {
  const page = await chat.openPage(`/chat/${conversationId}`);
  await soon(() => isInView(page, count - 1)).toBe(true);
  const rows = thread(page).locator("[data-message]");
  expect(await rows.count()).toBeLessThan(60);
  expect(await entry(page, 0).count()).toBe(0);
  await thread(page).evaluate((view) => view.scrollTo(0, 0));
  await entry(page, 0).waitFor();
  await soon(() => isInView(page, 0)).toBe(true);
  expect(await rows.count()).toBeLessThan(60);
  await button(page, "Scroll to end").click();
  await soon(() => isInView(page, count - 1)).toBe(true);
});

it("Home and End go to the first and last message, however many between them were never measured", async () => {
  const page = await chat.openPage(`/chat/${conversationId}`);
  await soon(() => isInView(page, count - 1)).toBe(true);
  await thread(page).focus();
  await page.keyboard.press("Home");
  await soon(() => isInView(page, 0)).toBe(true);
  await page.keyboard.press("End");
  await soon(() => isInView(page, count - 1)).toBe(true);
});

it("a reload restores the reading position at the same height, and a thread that was at its end stays there", async () => {
  const page = await chat.openPage(`/chat/${conversationId}`);
  await entry(page, count - 1).waitFor();
  await thread(page).focus();
  for (let pages = 0; pages < 6; pages++) await page.keyboard.press("PageUp");
  // The row being read: its position settles once the rows above it are measured.
  const topOf = (place: number) =>
    entry(page, place).evaluateAll(([element]) =>
      element ? Math.round(element.getBoundingClientRect().top) : Number.NaN,
    );
  await soon(() => button(page, "Scroll to end").isVisible()).toBe(true);
  let read = -1;
  let before = Number.NaN;
  // The browser may still be scrolling there.
  await soon(async () => {
    const last = { read, before };
    for (read = count - 1; read > 0; read--) if (await isInView(page, read)) break;
    before = await topOf(read);
    return read === last.read && before === last.before;
  }).toBe(true);
  await page.reload();
  await entry(page, read).waitFor();
  await soon(async () => Math.abs((await topOf(read)) - before) <= 1).toBe(true);
  await button(page, "Scroll to end").click();
  await soon(() => isInView(page, count - 1)).toBe(true);
  await page.reload();
  await soon(() => isInView(page, count - 1)).toBe(true);
});

it("a link to an old message shows it highlighted, with the thread around it", async () => {
  const page = await chat.openPage(`/chat/${conversationId}?message=${ids[30]}`);
  await soon(() => isInView(page, 30)).toBe(true);
  await entry(page, 31).waitFor();
  await entry(page, 29).waitFor();
  // Rows above have other heights than estimated, but the row stays in place.
  await soon(() => isInView(page, 30)).toBe(true);
});

it("a selection survives scrolling and is copied whole", async () => {
  const page = await chat.openPage(`/chat/${conversationId}?message=${ids[40]}`);
  await soon(() => isInView(page, 40)).toBe(true);
  // Not the linked row, which stays by itself.
  await entry(page, 41).evaluate((element) =>
    getSelection()?.setBaseAndExtent(element, 0, element, element.childNodes.length),
  );
  await thread(page).evaluate((view) => view.scrollTo(0, view.scrollHeight));
  await soon(() => isInView(page, count - 1)).toBe(true);
  expect(await page.evaluate(() => String(getSelection()))).toContain("Entry 41 of the log.");
});

it("an answer in another tab is loaded alone, without its conversation", async () => {
  const [page, other] = [
    await chat.openPage(`/chat/${conversationId}`),
    await chat.openPage(`/chat/${conversationId}`),
  ];
  await soon(() => isInView(other, count - 1)).toBe(true);
  const asked = listenToRequests(other);
  chat.simulator.script({ text: "The lamp burns." });
  await say(page, "Does it burn?");
  await thread(other).getByText("The lamp burns.").waitFor();
  await thread(page).getByText("The lamp burns.").waitFor();
  await button(other, "Answer again").waitFor();
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter((what) => what !== "1 messages" && what !== "2 messages")).toEqual([]);
});

it("Ctrl-F searches the whole conversation, with next and previous, until Escape, and a second Ctrl-F opens the browser's search", async () => {
  const page = await chat.openPage(`/chat/${conversationId}`);
  await soon(() => isInView(page, count - 1)).toBe(true);
  await page.keyboard.press("Control+f");
  const field = page.getByRole("searchbox", { name: "Find in conversation" });
  await field.fill("ENTRY 12");
  // 12 and 120 to 129.
  const bar = page.getByRole("search");
  await bar.getByText(/^\d+ of 11$/).waitFor();
  await bar.getByText("11 of 11", { exact: true }).waitFor();
  await field.press("Enter");
  await bar.getByText("1 of 11", { exact: true }).waitFor();
  await soon(() => isInView(page, 12)).toBe(true);
  await field.press("Enter");
  await soon(() => isInView(page, 120)).toBe(true);
  await field.press("Shift+Enter");
  await soon(() => isInView(page, 12)).toBe(true);
  await field.fill("entry 12 of");
  await bar.getByText("1 of 1", { exact: true }).waitFor();
  await soon(() => isInView(page, 12)).toBe(true);
  const marked = () =>
    page.evaluate(() => [...(CSS.highlights.get("found") ?? [])].map((range) => String(range)));
  await soon(marked).toEqual(["Entry 12 of"]);
  const outlined = () =>
    thread(page)
      .locator("[data-row], [data-row] *")
      .evaluateAll(
        (all) => all.filter((one) => getComputedStyle(one).outlineStyle !== "none").length,
      );
  await soon(outlined).toBe(1);
  /** Whether the page prevents the browser's own handling of these keys. */
  const isTaken = async (target: Locator) => {
    const taken = page.evaluate(
      () =>
        new Promise<boolean>((resolve) => {
          const onKey = (event: KeyboardEvent) => {
            if (event.key !== "f") return;
            removeEventListener("keydown", onKey, true);
            setTimeout(() => resolve(event.defaultPrevented));
          };
          addEventListener("keydown", onKey, true);
        }),
    );
    await target.press("Control+f");
    return taken;
  };
  expect([await isTaken(field), await isTaken(composer(page))]).toEqual([false, true]);
  await soon(() => field.evaluate((input) => input === document.activeElement)).toBe(true);
  await field.press("Escape");
  await field.waitFor({ state: "detached" });
  await soon(marked).toEqual([]);
  await soon(outlined).toBe(0);
  expect(await isInView(page, 12)).toBe(true);
  // The focus returns to where it was.
  await soon(() => composer(page).evaluate((area) => area === document.activeElement)).toBe(true);
  await composer(page).blur();
  await page.keyboard.press("Control+f");
  await button(page.getByRole("search"), "Close search").click();
  await field.waitFor({ state: "detached" });
  expect(await thread(page).evaluate((area) => area.matches(":focus-visible"))).toBe(false);
});

it("text typed before the search's code loads is searched, and Escape cancels the opening", async () => {
  const page = await chat.openPage(`/chat/${conversationId}`);
  await soon(() => isInView(page, count - 1)).toBe(true);
  const field = page.getByRole("searchbox", { name: "Find in conversation" });
  const code = await holdBack(page, (request) => request.resourceType() === "script");
  await composer(page).focus();
  await page.keyboard.press("Control+f");
  await page.keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
  expect(await composer(page).evaluate((area) => area === document.activeElement)).toBe(true);
  await page.keyboard.press("Control+f");
  await page.keyboard.type("entry 12 ");
  await soon(() => code.held.length).toBeGreaterThan(0);
  await code.release();
  await page.getByRole("button", { name: "Close search" }).waitFor();
  await page.keyboard.type("of");
  await soon(() => field.inputValue()).toBe("entry 12 of");
  await soon(() => isInView(page, 12)).toBe(true);
  expect(await composer(page).inputValue()).toBe("");
});

it("a conversation's menu searches it too, for people without a keyboard", async () => {
  const page = await chat.openPage(`/chat/${conversationId}`);
  await page.setViewportSize({ width: 390, height: 844 });
  await soon(() => isInView(page, count - 1)).toBe(true);
  await page.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Find in conversation" }).click();
  const field = page.getByRole("searchbox", { name: "Find in conversation" });
  await soon(() => field.evaluate((input) => input === document.activeElement)).toBe(true);
  await field.fill("entry 12 of");
  await soon(() => isInView(page, 12)).toBe(true);
  // Rows loaded around it afterwards don't move it away.
  await soon(() => entry(page, 13).count()).toBe(1);
  await drawn(page);
  expect(await isInView(page, 12)).toBe(true);
  // A message higher than the view is shown from its start, below the search.
  await page.setViewportSize({ width: 390, height: 420 });
  await field.fill("entry 11 of");
  const isFramed = (element: Element) => {
    const message = element.closest("[data-message]")!;
    return [message, ...message.querySelectorAll("*")].some(
      (part) => getComputedStyle(part).outlineStyle === "solid",
    );
  };
  await soon(() => entry(page, 11).evaluate(isFramed)).toBe(true);
  const belowSearchPx = async () => {
    const bar = await page.getByRole("search").boundingBox();
    const found = await entry(page, 11).boundingBox();
    return found && bar ? found.y - bar.y - bar.height : Number.NaN;
  };
  expect(await belowSearchPx()).toBeGreaterThanOrEqual(0);
  expect(await belowSearchPx()).toBeLessThan(40);
});

it("the viewer over a long conversation without visible files uses the film strip's space", async () => {
  const tide = sharp({ create: { width: 64, height: 48, channels: 3, background: "#2a6f7d" } });
  const { id } = await chat.studio.api.upload("low tide.png", await tide.png().toBuffer());
  const page = await chat.openPage("/chat");
  const { held, release } = await holdBack(page, (request) => request.url().endsWith(`/${id}`));
  await page.goto(`/chat/${conversationId}?viewing=${id}`);
  await soon(() => held.length).toBeGreaterThan(0);
  // Below the open viewer, nothing has a role.
  await page.getByText(`Entry ${count - 1} of the log.`).waitFor();
  await drawn(page);
  await release();
  const keep = button(page, /^Keep/);
  await keep.waitFor();
  const { y, height } = (await keep.boundingBox())!;
  expect(page.viewportSize()!.height - y - height).toBeLessThan(40);
});
