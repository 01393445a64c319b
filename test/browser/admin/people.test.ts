import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { holdBack } from "../../support/browser/late-answers.ts";
import { button, field } from "../../support/browser/locators.ts";
import { findBarriers, keepStrict } from "../../support/browser/strict-page.ts";
import {
  joinStudio,
  ownerPassword,
  type Studio,
  startStudio,
} from "../../support/browser/studio-in-browser.ts";
import { readZip } from "../../support/read-zip.ts";
import { soon } from "../../support/soon.ts";

const password = "a staple and a battery";

let browser: Browser;
let studio: Studio;
let visitor = 0;

beforeAll(async () => {
  // Behind a trusted proxy each visitor has a separate address, so that none is rate limited for
  // another's attempts.
  [browser, studio] = await Promise.all([
    launchBrowser(),
    startStudio({ env: { BOTTEGA_TRUSTED_PROXIES: "127.0.0.1" } }),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await studio?.stop();
});

const visit = () => ({ extraHTTPHeaders: { "x-forwarded-for": `10.2.0.${++visitor}` } });
/** Opens a separate browser profile: signed in as the owner, or not at all. */
async function open(path: string, as: "owner" | "nobody" = "owner"): Promise<Page> {
  const { page } = await (as === "owner"
    ? studio.openAs(browser, visit())
    : studio.openSignedOut(browser, visit()));
  keepStrict(page);
  await page.goto(path);
  return page;
}
const row = (page: Page, name: string) =>
  page.getByRole("listitem").filter({ has: page.getByText(name, { exact: true }) });

async function signIn(page: Page, email: string, secret: string): Promise<void> {
  await field(page, "Email").fill(email);
  await field(page, "Password").fill(secret);
  await button(page, "Sign in").click();
}

const addPerson = (name: string, email: string) =>
  joinStudio(studio, { name, email, password }, visit().extraHTTPHeaders);

it("a wrong sign-in doesn't say whether the address or the password is wrong, and keeps the address", async () => {
  const page = await open("/login", "nobody");
  await signIn(page, "ada@example.org", "not the password");
  await page.getByText("The email address or the password is wrong.").waitFor();
  expect(await field(page, "Email").inputValue()).toBe("ada@example.org");
  expect(await findBarriers(page)).toEqual([]);
});

it("a signed-out person who opens an address returns to it after signing in", async () => {
  const page = await open("/settings/security?from=here", "nobody");
  await page.waitForURL("**/login?next=**");
  await signIn(page, "ada@example.org", ownerPassword);
  await page.waitForURL("**/settings/security?from=here");
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
});

it("a person whose session ended signs in, returns to the same place, and finds their draft", async () => {
  const { projectId } = studio.api;
  const { conversation } = await studio.api.send<{ conversation: { id: string } }>(
    "POST",
    "/conversations",
    { projectId },
  );
  const page = await open(`/chat/${conversation.id}`);
  const composer = page.getByRole("textbox", { name: "Message", exact: true });
  await composer.fill("Which tide was it?");
  await page.context().clearCookies();
  // By keyboard, because any other request of the page might have led to the sign-in earlier.
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/login?next=%2Fchat%2F${conversation.id}**`);
  await signIn(page, "ada@example.org", ownerPassword);
  await page.waitForURL(`**/chat/${conversation.id}`);
  expect(await composer.inputValue()).toBe("Which tide was it?");
});

it("a sign-in never leads to another site", async () => {
  const page = await open("/login?next=//evil.example/", "nobody");
  await signIn(page, "ada@example.org", ownerPassword);
  await page.waitForURL(`${studio.url}/`);
});

it("an admin adds a person with a link that is shown once and works once", async () => {
  const page = await open("/admin/people");
  await button(page, "Add person").click();
  const dialog = page.getByRole("dialog");
  await button(dialog, "Create link").click();
  await dialog.getByText("Enter their email address.").waitFor();
  await field(page, "Email").fill("grace@example.org");
  expect(await findBarriers(page)).toEqual([]);
  await dialog.getByRole("checkbox", { name: "Tide almanac" }).uncheck();
  await button(dialog, "Create link").click();
  const link = await field(page, "One-time link").inputValue();
  expect(link).toMatch(new RegExp(`^${studio.url}/join/[\\w-]{27}$`));
  await button(page, "Done").click();
  await page.getByText("Join as Member").waitFor();
  expect(await page.content()).not.toContain(link);

  const guest = await open(link, "nobody");
  await guest.getByText("You were added as grace@example.org").waitFor();
  await field(guest, "Your name").fill("Grace Hopper");
  await field(guest, "Password").fill("short");
  await button(guest, "Create account").click();
  await guest.getByText("This password is too short").waitFor();
  await field(guest, "Password").fill(password);
  await button(guest, "Create account").click();
  await guest.waitForURL(`${studio.url}/`);
  await button(guest, "Project: Grace Hopper’s project. Switch project").waitFor();

  await guest.goto(link);
  await guest.getByText("This link no longer works").waitFor();
  await page.reload();
  await row(page, "Grace Hopper").getByText("grace@example.org").waitFor();
});

it("people are listed page by page, and the server searches all of them", async () => {
  await addPerson("Barbara Liskov", "barbara@example.org");
  await addPerson("Zora Neale Hurston", "zora@example.org");
  const page = await open("/");
  await page.route(/\/api\/v1\/people(\?|$)/, (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set("limit", "1");
    return route.continue({ url: url.href });
  });
  await page.goto("/admin/people");
  const list = page.getByRole("list", { name: "People" });
  await list.getByText("Ada Lovelace").waitFor();
  expect(await list.getByRole("listitem").count()).toBe(1);
  await button(page, "Show more").click();
  await list.getByText("Barbara Liskov").waitFor();
  expect(await list.getByText("Zora Neale Hurston").count()).toBe(0);
  expect(await findBarriers(page)).toEqual([]);

  const search = page.getByRole("searchbox", { name: "Search people" });
  await search.fill("ZORA@");
  await list.getByText("Zora Neale Hurston").waitFor();
  await list.getByText("Barbara Liskov").waitFor({ state: "detached" });
  await search.fill("nobody has this");
  await page.getByText("Nobody has this name or email address.").waitFor();
});

it("a revoked link no longer works", async () => {
  const { link } = await studio.api.send<{ link: string }>("POST", "/people/invites", {
    email: "late@example.org",
    role: "member",
  });
  const page = await open("/admin/people");
  await button(page, "Revoke the link for late@example.org").click();
  await page.getByText("Revoked the link for late@example.org").waitFor();
  const guest = await open(link, "nobody");
  await guest.getByText("This link no longer works").waitFor();
});

it("an admin sets a person's role", async () => {
  await addPerson("Katherine Johnson", "katherine@example.org");
  const page = await open("/admin/people");
  await page.getByRole("combobox", { name: "Role of Katherine Johnson" }).click();
  await page.getByRole("option", { name: /^Admin/ }).click();
  await page.getByText("Katherine Johnson is now Admin").waitFor();
  await page.reload();
  await page
    .getByRole("combobox", { name: "Role of Katherine Johnson" })
    .getByText("Admin")
    .waitFor();
});

it("the last owner can't step down, and the list says so and still shows the owner", async () => {
  const page = await open("/admin/people");
  await page.getByRole("combobox", { name: "Role of Ada Lovelace" }).click();
  await page.getByRole("option", { name: /^Member/ }).click();
  await page
    .getByText("The last owner can’t be removed. Make another person an owner first.")
    .waitFor();
  await page.getByRole("combobox", { name: "Role of Ada Lovelace" }).getByText("Owner").waitFor();
});

it("a suspended person is signed out at once, transfers nothing, and can be restored", async () => {
  await addPerson("Alan Turing", "alan@example.org");
  const theirs = await open("/login", "nobody");
  await signIn(theirs, "alan@example.org", password);
  await theirs.waitForURL(`${studio.url}/`);

  const page = await open("/admin/people");
  await button(page, "Actions for Alan Turing").click();
  await page.getByRole("menuitem", { name: "Suspend" }).click();
  await button(page.getByRole("dialog"), "Suspend").click();
  await row(page, "Alan Turing").getByText("Suspended").waitFor();
  await theirs.waitForURL("**/login**");
  await signIn(theirs, "alan@example.org", password);
  await theirs.getByText("The email address or the password is wrong.").waitFor();

  await button(page, "Actions for Alan Turing").click();
  await page.getByRole("menuitem", { name: "Restore" }).click();
  await page.getByText("Alan Turing can sign in again").waitFor();
  await button(theirs, "Sign in").click();
  await theirs.waitForURL(`${studio.url}/`);
});

it("a suspended person's projects are transferred to an active one", async () => {
  const { id: userId } = await addPerson("Emmy Noether", "emmy@example.org");
  await studio.api.send("PATCH", `/people/${userId}`, { status: "suspended" });
  const page = await open("/admin/people");
  await button(page, "Actions for Emmy Noether").click();
  await page.getByRole("menuitem", { name: "Hand over projects" }).click();
  const dialog = page.getByRole("dialog");
  await button(dialog, "Hand over").click();
  await dialog.getByText("Choose a person.").waitFor();
  await dialog.getByRole("combobox", { name: "To" }).click();
  await page.getByRole("option", { name: /^Ada Lovelace/ }).click();
  await button(dialog, "Hand over").click();
  await page.getByText("Handed over 1 project to Ada Lovelace").waitFor();
  await row(page, "Emmy Noether").getByText("no project").waitFor();
  const { projects } = await studio.api.get<{ projects: { name: string }[] }>("/projects");
  expect(projects.map(({ name }) => name)).toContain("Emmy Noether’s project");
});

it("a password link sets a new password, signs in, and ends the old one", async () => {
  await addPerson("Mary Shelley", "mary@example.org");
  const page = await open("/admin/people");
  await button(page, "Actions for Mary Shelley").click();
  await page.getByRole("menuitem", { name: "Password reset link" }).click();
  const link = await field(page, "One-time link").inputValue();
  const theirs = await open(link, "nobody");
  await theirs.getByText("For Mary Shelley, mary@example.org.").waitFor();
  await field(theirs, "New password").fill("frankenstein 1818");
  await button(theirs, "Set password").click();
  await theirs.waitForURL(`${studio.url}/`);
  const other = await open("/login", "nobody");
  await signIn(other, "mary@example.org", password);
  await other.getByText("The email address or the password is wrong.").waitFor();
});

it("a member sees no admin screens", async () => {
  await addPerson("Rosalind Franklin", "rosalind@example.org");
  const page = await open("/login?next=/admin/people", "nobody");
  await signIn(page, "rosalind@example.org", password);
  await page.getByText("Page not found").waitFor();
  expect(await page.getByRole("link", { name: "Admin" }).count()).toBe(0);
});

it("a new project is created from the switcher and opened at once", async () => {
  const page = await open("/settings/profile");
  await button(page, /^Project: .*Switch project$/).click();
  await page.getByRole("menuitem", { name: "New project" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Lighthouse posters");
  await button(page, "Create project").click();
  await page.waitForURL("**/projects/**");
  await page.getByRole("heading", { name: "Lighthouse posters", level: 1 }).waitFor();
  await button(page, "Project: Lighthouse posters. Switch project").waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

it("a manager renames a project and edits its description", async () => {
  const page = await open(`/projects/${studio.api.projectId}`);
  await field(page, "Name").fill("Tide almanac 1927");
  await field(page, "Description").fill("A year of tides in letterpress.");
  await field(page, "Instructions").fill("Answer as a printer would.");
  await button(page, "Save").click();
  await page.getByText("Project saved").waitFor();
  await button(page, "Project: Tide almanac 1927. Switch project").waitFor();
  await page.reload();
  await page.getByText("A year of tides in letterpress.").waitFor();
});

it("a manager invites a member by address, who joins, sets their role, and removes them; a viewer only reads", async () => {
  await addPerson("Lise Meitner", "lise@example.org");
  const page = await open(`/projects/${studio.api.projectId}`);
  for (const email of ["nobody@example.org", "lise@example.org"]) {
    await field(page, "Email").fill(email);
    await button(page, "Invite").click();
    await page.getByText(`Invited ${email}`).waitFor();
  }
  await button(page, "Revoke the invitation of nobody@example.org").click();
  await page.getByText("Revoked the invitation of nobody@example.org").waitFor();

  const theirs = await open("/login", "nobody");
  await signIn(theirs, "lise@example.org", password);
  await button(theirs, "Review").click();
  await theirs.getByText(/invites you to .* as an editor/).waitFor();
  expect(await findBarriers(theirs)).toEqual([]);
  await button(theirs, "Join").click();
  await theirs.getByText(/^Joined /).waitFor();

  await page.reload();
  await page.getByRole("combobox", { name: "Role of Lise Meitner" }).click();
  await page.getByRole("option", { name: /^Viewer/ }).click();

  await theirs.goto(`${studio.url}/projects/${studio.api.projectId}`);
  await theirs.getByText("You are a viewer here.").waitFor();
  expect(
    await theirs.getByRole("button", { name: /^(Save|Invite|Archive project)$/ }).count(),
  ).toBe(0);
  expect(await theirs.getByRole("link", { name: "Export project" }).count()).toBe(0);

  await button(page, "Remove Lise Meitner from the project").click();
  await button(page.getByRole("dialog"), "Remove member").click();
  await page.getByText("Removed Lise Meitner from the project").waitFor();
  await theirs.reload();
  await theirs.getByText("Page not found").waitFor();

  await studio.api.send("POST", `/projects/${studio.api.projectId}/members`, {
    email: "lise@example.org",
    role: "editor",
  });
  await theirs.goto(studio.url);
  await button(theirs, "Review").click();
  await button(theirs, "Join").click();
  await theirs.getByText(/^Joined /).waitFor();
  await theirs.goto(`${studio.url}/projects/${studio.api.projectId}`);
  await button(theirs, "Leave project").click();
  const dialog = theirs.getByRole("dialog");
  await dialog.getByText(/^You lose access at once/).waitFor();
  expect(await findBarriers(theirs)).toEqual([]);
  await button(dialog, "Leave project").click();
  await theirs.getByText(/^Left /).waitFor();
  await theirs.waitForURL(`${studio.url}/`);
});

it("a manager exports a project as one file", async () => {
  await studio.api.upload("tides.txt", Buffer.from("Twelve arches."));
  const page = await open(`/projects/${studio.api.projectId}`);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export project" }).click(),
  ]);
  const entries = await readZip(await readFile(await download.path()));
  expect(entries.get("assets.jsonl")?.toString()).toContain("tides.txt");
  expect(await findBarriers(page)).toEqual([]);
});

it("an archived project is listed apart in the switcher, and restored with undo", async () => {
  const { project } = await studio.api.send<{ project: { id: string } }>("POST", "/projects", {
    name: "Old posters",
  });
  const page = await open(`/projects/${project.id}`);
  await button(page, "Archive project").click();
  await page.getByText("This project is archived").waitFor();
  await button(page, /^Project: .*Switch project$/).click();
  await page.getByText("Archived", { exact: true }).first().waitFor();
  await page.keyboard.press("Escape");
  await button(page, "Undo").click();
  await button(page, "Archive project").waitFor();
});

it("sessions are listed with their device, the current one is marked, and another one is ended", async () => {
  const other = await open("/login", "nobody");
  await signIn(other, "ada@example.org", ownerPassword);
  await other.waitForURL(`${studio.url}/`);
  const address = `10.2.0.${visitor}`;
  const page = await open("/settings/security");
  const theirs = page.getByRole("listitem").filter({ hasText: `from ${address}` });
  await theirs.getByText("Chrome on Linux").waitFor();
  expect(await page.getByText("this device").count()).toBe(1);
  await button(theirs, /^Sign out /).click();
  await page.getByText("Signed out 1 session").waitFor();
  await other.waitForURL("**/login**");
});

it("a new password leaves this tab alone and ends every other session", async () => {
  await addPerson("Hedy Lamarr", "hedy@example.org");
  const [here, there] = [
    await open("/login?next=/settings/security", "nobody"),
    await open("/login", "nobody"),
  ];
  for (const page of [here, there]) await signIn(page, "hedy@example.org", password);
  await there.waitForURL(`${studio.url}/`);
  await field(here, "Current password").fill("not this one");
  await field(here, "New password").fill("frequency hopping");
  await button(here, "Change password").click();
  await here.getByText("The password is wrong.").waitFor();
  expect(await field(here, "New password").inputValue()).toBe("frequency hopping");
  await field(here, "Current password").fill(password);
  await button(here, "Change password").click();
  await here.getByText("Password changed").waitFor();
  await there.waitForURL("**/login**");
  await here.goto("/settings/profile");
  expect(await field(here, "Name").inputValue()).toBe("Hedy Lamarr");
});

it("a person changes their name and time zone, and dates follow", async () => {
  await addPerson("Ada Byron", "byron@example.org");
  const page = await open("/login?next=/settings/profile", "nobody");
  await signIn(page, "byron@example.org", password);
  await field(page, "Name").fill("Ada King");
  await button(page, "Save").click();
  await page.getByText("Profile saved").waitFor();
  await button(page, "Ada King, your account").waitFor();
  await page.getByRole("combobox", { name: "Format" }).click();
  await page.getByRole("option", { name: "German (Germany)" }).click();
  await page.getByText("1.204,50").waitFor();
  await page.getByRole("combobox", { name: "Time zone" }).click();
  // Every date on the page changes, so the page reloads.
  const isLoaded = page.waitForEvent("load");
  await page.getByRole("option", { name: "Asia/Tokyo" }).click();
  await isLoaded;
  await page.getByText("This device is in").waitFor();
  await page.getByRole("combobox", { name: "Time zone" }).getByText("Asia/Tokyo").waitFor();
});

it("a time zone is searched and chosen by keyboard alone, by part of its name", async () => {
  await addPerson("Jules Verne", "verne@example.org");
  const page = await open("/login?next=/settings/profile", "nobody");
  await signIn(page, "verne@example.org", password);
  const zone = page.getByRole("combobox", { name: "Time zone", exact: true });
  await zone.focus();
  await page.keyboard.press("Enter");
  const search = page.getByRole("combobox", { name: "Search time zones" });
  await expect.poll(() => search.evaluate((box) => box === document.activeElement)).toBe(true);
  await page.keyboard.type("nowhere");
  await page.getByText("No time zones match.").waitFor();
  await page.keyboard.press("Escape");
  await search.waitFor({ state: "detached" });
  await expect.poll(() => zone.evaluate((box) => box === document.activeElement)).toBe(true);
  await page.keyboard.press("Enter");
  await search.waitFor();
  await page.keyboard.type("new york");
  await expect.poll(() => page.getByRole("option").allTextContents()).toEqual(["America/New York"]);
  const isLoaded = page.waitForEvent("load");
  await page.keyboard.press("Enter");
  await isLoaded;
  await zone.getByText("America/New York").waitFor();
});

it("a time zone's list opens at the chosen one, and typing searches it, by either name of a city", async () => {
  const page = await open("/settings/profile");
  const zone = page.getByRole("combobox", { name: "Time zone", exact: true });
  await zone.click();
  const chosen = page.getByRole("option", { selected: true });
  await chosen.and(page.locator("[data-highlighted]")).waitFor();
  const list = page.getByRole("listbox");
  const isInSight = async () => {
    const [box, around] = [(await chosen.boundingBox())!, (await list.boundingBox())!];
    return box.y >= around.y && box.y + box.height <= around.y + around.height;
  };
  await expect.poll(isInSight).toBe(true);
  const popup = page.getByRole("dialog");
  const height = (await popup.boundingBox())!.height;
  await page.keyboard.type("kyiv");
  await expect.poll(() => page.getByRole("option").count()).toBe(1);
  expect(await page.getByRole("option").textContent()).toMatch(/Europe\/K(iev|yiv)/);
  expect((await popup.boundingBox())!.height).toBe(height);
  // A slow browser: letters arrive in every step from the closed button to the list with its
  // search.
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 8 });
  for (const isFirst of [false, true]) {
    if (isFirst) await page.reload();
    else await page.keyboard.press("Escape");
    await popup.waitFor({ state: "detached" });
    await zone.focus();
    await page.keyboard.type("tokyo", { delay: 60 });
    await expect.poll(() => page.getByRole("option").allTextContents()).toEqual(["Asia/Tokyo"]);
  }
  // Before the list has faded, the next search is a new one.
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await session.send("Animation.enable");
  await session.send("Animation.setPlaybackRate", { playbackRate: 0.01 });
  await page.keyboard.press("Escape");
  await page.keyboard.type("new york");
  await expect.poll(() => page.getByRole("option").allTextContents()).toEqual(["America/New York"]);
});

it("text typed before a list's code loads is searched, with its spaces, and Escape cancels the opening", async () => {
  const page = await open("/settings/profile");
  const zone = page.getByRole("combobox", { name: "Time zone", exact: true });
  const format = page.getByRole("combobox", { name: "Format" });
  const holdCode = async () => {
    await zone.waitFor();
    return holdBack(page, (request) => request.resourceType() === "script");
  };
  const code = await holdCode();
  await zone.press("Enter");
  await page.keyboard.press("Escape");
  await format.press("ArrowDown");
  await page.keyboard.type("German (G");
  await soon(() => code.held.length).toBeGreaterThan(1);
  await code.release();
  await page
    .getByRole("option", { name: "German (Germany)" })
    .and(page.locator(":focus"))
    .waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  await page.keyboard.press("Escape");

  await page.reload();
  const again = await holdCode();
  await zone.press("Enter");
  await page.keyboard.type("new york");
  await soon(() => again.held.length).toBeGreaterThan(0);
  await again.release();
  await expect.poll(() => page.getByRole("option").allTextContents()).toEqual(["America/New York"]);
});

it("Escape before a plain list has the focus clears the text typed ahead", async () => {
  const page = await open("/settings/profile");
  const format = page.getByRole("combobox", { name: "Format" });
  /** Opens the list and presses Escape, unless the list has the focus by then. */
  const escapes = async () => {
    await format.focus();
    const isEarly = page.evaluate(
      () =>
        new Promise<boolean>((end) => {
          const observer = new MutationObserver(() => {
            const { activeElement: at } = document;
            const isClosing = at?.role === "combobox" && at.ariaExpanded === "true";
            if (!isClosing && at?.role !== "option") return;
            observer.disconnect();
            if (isClosing)
              at.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
            end(isClosing);
          });
          observer.observe(document.body, { subtree: true, childList: true, attributes: true });
        }),
    );
    await page.keyboard.press("G");
    return isEarly;
  };
  while (!(await escapes())) await page.reload();
  await format.and(page.locator("[aria-expanded=false]")).waitFor();
  await page.getByRole("listbox").waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  await page.getByRole("option", { selected: true }).and(page.locator(":focus")).waitFor();
});

it("a list is opened and used by keyboard alone, and the focus returns to it", async () => {
  const page = await open("/settings/profile");
  const format = page.getByRole("combobox", { name: "Format" });
  const isFocused = () => format.evaluate((box) => box === document.activeElement);
  for (const key of ["ArrowDown", "Enter", " "]) {
    await page.reload();
    await format.focus();
    await page.keyboard.press(key);
    await page.getByRole("option", { selected: true }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("listbox").waitFor({ state: "detached" });
    await expect.poll(isFocused).toBe(true);
  }
  await page.keyboard.press("ArrowDown");
  await page.getByRole("option", { name: "German (Germany)" }).waitFor();
  await page.keyboard.type("German (G");
  await page
    .getByRole("option", { name: "German (Germany)" })
    .and(page.locator(":focus"))
    .waitFor();
  await page.keyboard.press("Enter");
  await format.getByText("German (Germany)").waitFor();
});

it("theme and density apply at once and last", async () => {
  const page = await open("/settings/appearance");
  const root = page.locator("html");
  await page.getByRole("radio", { name: "Dark" }).check();
  await page.getByRole("radio", { name: "Compact" }).check();
  expect(await root.getAttribute("data-theme")).toBe("dark");
  expect(await root.getAttribute("data-density")).toBe("compact");
  await page.reload();
  await page.getByRole("radio", { name: "Dark", checked: true }).waitFor();
  expect(await root.getAttribute("data-theme")).toBe("dark");
});

it("an invitation names several projects, and its person lands in the first with the others listed", async () => {
  await studio.api.send("POST", "/projects", { name: "Harbour walks" });
  const page = await open("/admin/people");
  await button(page, "Add person").first().click();
  await field(page, "Email").fill("lin@example.org");
  const projects = page.getByRole("dialog").getByRole("group", { name: "Projects" });
  expect(await projects.getByRole("checkbox", { name: "Tide almanac" }).isChecked()).toBe(true);
  await projects.getByRole("checkbox", { name: "Harbour walks" }).check();
  expect(await findBarriers(page)).toEqual([]);
  await button(page, "Create link").click();
  const link = await field(page, "One-time link").inputValue();
  const joining = await open(new URL(link).pathname, "nobody");
  await joining.getByText(/to the projects Tide almanac.*, Harbour walks/).waitFor();
  await field(joining, "Your name").fill("Lin");
  await field(joining, "Password").fill(password);
  await button(joining, "Create account").click();
  await joining.getByText("Saved and billed to Tide almanac").waitFor();
  const { projects: theirs } = (await (await joining.request.get("/api/v1/me")).json()) as {
    projects: { name: string; role: string }[];
  };
  expect(theirs.map(({ name, role }) => `${name}, ${role}`)).toEqual([
    expect.stringMatching(/^Tide almanac.*, editor$/),
    "Harbour walks, editor",
    "Lin’s project, manager",
  ]);
});

it("nobody can invite to a project that they don't manage", async () => {
  const invite = (projectId: string) =>
    studio.api.send("POST", "/people/invites", {
      email: "kay@example.org",
      projectIds: [projectId],
    });
  await expect(invite("01a203d5-b161-700a-b052-5bdd39a9b636")).rejects.toThrow("404");
});

it("an admin deletes a person after reading what will be deleted, and restores a deleted project", async () => {
  await addPerson("Lena Marsh", "lena@example.org");
  await studio.api.send("POST", "/projects", { name: "Old almanac" });
  const page = await open("/admin/people");
  await button(row(page, "Lena Marsh"), "Actions for Lena Marsh").click();
  await page.getByRole("menuitem", { name: "Delete person" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Project “Lena Marsh’s project”").waitFor();
  expect(await button(dialog, "Delete person").isDisabled()).toBe(true);
  expect(await findBarriers(page)).toEqual([]);
  await field(dialog, "Type the email address").fill("lena@example.org");
  await button(dialog, "Delete person").click();
  await page.getByText("Deleted Lena Marsh").waitFor();
  await soon(() => row(page, "Lena Marsh").count()).toBe(0);

  await page.goto("/admin/projects");
  await button(page, "Delete Old almanac").click();
  await field(dialog, "Type the project’s name").fill("Old almanac");
  expect(await findBarriers(page)).toEqual([]);
  await button(dialog, "Delete project").click();
  await button(page, "Restore Old almanac").click();
  await button(page, "Delete Old almanac").waitFor();
  expect(await findBarriers(page)).toEqual([]);
});
