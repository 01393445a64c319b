import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Browser, Page, Request } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { drawn, holdBack } from "../../support/browser/late-answers.ts";
import { findBarriers } from "../../support/browser/strict-page.ts";
import { type Studio, signInWith, startStudio } from "../../support/browser/studio-in-browser.ts";
import { readZip } from "../../support/read-zip.ts";
import { soon } from "../../support/soon.ts";
import { createTempFolder } from "../../support/temp.ts";

const tile = (page: Page, name: string) =>
  page.getByRole("grid").getByRole("link", { name, exact: true });
const bar = () => many.getByRole("region", { name: "Selection" });

/** A library of a hundred thousand files. */
let browser: Browser;
let crowded: Studio;
let many: Page;
let projectId: string;
/** When the first file was uploaded. The copies are a minute apart. */
let createdAt: number;

beforeAll(async () => {
  browser = await launchBrowser();
  const dataFolder = createTempFolder("crowded");
  const first = await startStudio({ dataFolder });
  const { id } = await first.api.upload("one.txt", Buffer.from("One of many.\n"));
  const { asset } = await first.api.get<{ asset: { createdAt: number } }>(`/assets/${id}`);
  createdAt = asset.createdAt;
  projectId = first.api.projectId;
  await first.stop();
  multiplyAsset(join(dataFolder, "bottega.db"), id, 100_000);
  addMembers(join(dataFolder, "bottega.db"), 60);
  // The event loop was blocked and must first process that the stopped server closed its sockets.
  await new Promise(setImmediate);
  crowded = await startStudio({ dataFolder, setUp: false });
  const opened = await crowded.openAs(browser);
  many = opened.page;
  await signInWith(opened.context, crowded.url, first.api.cookie);
});
afterAll(async () => {
  await browser?.close();
  await crowded?.stop();
});

it("a hundred thousand files need fewer than 1,500 elements, also after a jump to the middle and the end", async () => {
  await many.goto("/library");
  await tile(many, "copy 99999").waitFor();
  const slider = many.getByRole("slider", { name: "Date" });
  const elements = () => many.evaluate(() => document.querySelectorAll("*").length);
  expect(await elements()).toBeLessThan(1_500);
  const track = (await slider.boundingBox())!;
  await slider.click({ position: { x: 10, y: track.height / 2 } });
  await many
    .getByRole("link", { name: /^copy (49|50)\d{3}$/ })
    .first()
    .waitFor();
  expect(await elements()).toBeLessThan(1_500);
  await slider.press("?");
  const keys = many.getByRole("dialog", { name: "Keyboard shortcuts" });
  await keys.getByText("Previous and next month").waitFor();
  await many.keyboard.press("Escape");
  await keys.waitFor({ state: "detached" });
  await slider.press("End");
  await tile(many, "copy 0").waitFor();
  expect(await elements()).toBeLessThan(1_500);
  // A new list starts at its top, not at the previous scroll position.
  await many.getByRole("button", { name: "Newest first" }).click();
  await many.getByRole("menuitemcheckbox", { name: "Oldest first" }).click();
  await soon(() => many.getByRole("row").first().getAttribute("aria-rowindex")).toBe("1");
  await tile(many, "copy 1").waitFor();
});

it("a range ends at 1,000 files, all can be selected, and one act on too many says so", async () => {
  await many.goto("/library");
  const slider = many.getByRole("slider", { name: "Date" });
  await tile(many, "copy 99999").click({ modifiers: ["ControlOrMeta"] });
  await slider.press("End");
  await tile(many, "copy 0").click({ modifiers: ["Shift"] });
  await many.getByText("You can select at most 1,000 items").first().waitFor();
  await bar().getByText("1,000 selected").waitFor();
  await bar().getByRole("button", { name: "Select all 100,001" }).click();
  await bar().getByText("100,001 selected").waitFor();
  // "copy 0" is past the first 1,000.
  await tile(many, "copy 0, selected").click();
  await bar().getByText("100,000 selected").waitFor();
  const cell = (name: string) =>
    many.getByRole("gridcell").filter({ has: many.getByRole("link", { name, exact: true }) });
  expect(await cell("copy 0").getAttribute("aria-selected")).toBe("false");
  expect(await cell("copy 1, selected").getAttribute("aria-selected")).toBe("true");
  await tile(many, "copy 1, selected").dragTo(many.getByRole("searchbox"));
  await many.getByText("You can’t drag everything at once").first().waitFor();
  await bar().getByRole("button", { name: "Select all 100,001" }).click();
  await bar().getByText("100,001 selected").waitFor();
  await many.keyboard.press("4");
  await many.getByText("The filter matches 100,001").first().waitFor();
});

it("the filter by person finds a member beyond the first page of names", async () => {
  await many.goto("/library");
  await many.getByRole("button", { name: "Filter", exact: true }).click();
  await many.getByRole("menuitem", { name: "Person…" }).click();
  const dialog = many.getByRole("dialog", { name: "Filter by person" });
  await dialog.getByRole("option", { name: /^Ada Lovelace/ }).waitFor();
  await dialog.getByText("11 more people. Type a name to find them.").waitFor();
  expect(await dialog.getByRole("option", { name: /^Member 59/ }).count()).toBe(0);
  expect(await findBarriers(many)).toEqual([]);
  const search = dialog.getByRole("combobox");
  await search.fill("Novel".repeat(600));
  const none = dialog.getByText(/^No people match/);
  await none.waitFor();
  expect(await none.evaluate((note) => note.scrollWidth - note.clientWidth)).toBe(0);
  expect(await dialog.getByRole("alert").count()).toBe(0);
  await search.fill("ber 59");
  await dialog.getByRole("option", { name: /^Member 59/ }).waitFor();
  await many.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await many.getByRole("button", { name: "Remove filter Member 59" }).waitFor();
});

it("a selection reaches over pages that were never loaded, and keys wait until it is there", async () => {
  // Copies 1 to 300.
  const some = `createdAt=${createdAt + 60_000}..${createdAt + 300 * 60_000}`;
  await many.goto(`/library?${some}`);
  await tile(many, "copy 300").click({ modifiers: ["ControlOrMeta"] });
  await many.keyboard.press("Shift+End");
  await bar().getByText("300 selected").waitFor();

  const rejected = async () => {
    const query = `projectId=${projectId}&pick=rejected`;
    const answer = await many.request.get(`${crowded.url}/api/v1/assets/layout?${query}`);
    return ((await answer.json()) as { count: number }).count;
  };
  await many.reload();
  await tile(many, "copy 300").click({ modifiers: ["ControlOrMeta"] });
  await bar().getByText("1 selected").waitFor();
  const release = await holdPages(many);
  await many.keyboard.press("ControlOrMeta+a");
  await many.keyboard.press("x");
  // The focus is in the grid. Escape waits behind the other key.
  await many.keyboard.press("Escape");
  await bar().getByText("1 selected").waitFor();
  expect(await rejected()).toBe(0);
  release();
  await soon(rejected).toBe(300);
  await bar().waitFor({ state: "hidden" });
  await many.keyboard.press("u");
  await soon(rejected).toBe(0);
  await many.reload();
  await tile(many, "copy 300").click({ modifiers: ["ControlOrMeta"] });
  await bar().getByText("1 selected").waitFor();
  const releaseAgain = await holdPages(many);
  await many.keyboard.press("ControlOrMeta+a");
  await many.keyboard.press("Delete");
  releaseAgain();
  await many.getByText("No matching items").first().waitFor();
  await many.keyboard.press("u");
  await tile(many, "copy 300").waitFor();
});

it("everything but some files is marked, unmarked again, and saved as one zip", async () => {
  // Copies 1 to 1,200, more than are loaded for a selection.
  const some = `createdAt=${createdAt + 60_000}..${createdAt + 1_200 * 60_000}`;
  await many.goto(`/library?${some}`);
  await tile(many, "copy 1200").click({ modifiers: ["ControlOrMeta"] });
  await many.keyboard.press("ControlOrMeta+a");
  await bar().getByText("1,200 selected").waitFor();
  await tile(many, "copy 1199, selected").click();
  await bar().getByText("1,199 selected").waitFor();
  const titles = async () => {
    const query = `projectId=${projectId}&pick=rejected&limit=100`;
    const answer = await many.request.get(`${crowded.url}/api/v1/assets?${query}`);
    return ((await answer.json()) as { assets: { title: string }[] }).assets.map(
      ({ title }) => title,
    );
  };
  await many.keyboard.press("x");
  await soon(async () => (await titles())[0]).toBe("copy 1200");
  expect(await titles()).not.toContain("copy 1199");
  await many.keyboard.press("u");
  await soon(titles).toEqual([]);

  const save = async () => {
    await bar().getByRole("button", { name: "Download" }).click();
    const saving = many.waitForEvent("download");
    await many.getByRole("menuitem", { name: /^As one zip/ }).click();
    const bytes = await (await (await saving).createReadStream()).toArray();
    // Beside each file is its recipe.
    const names = [...(await readZip(Buffer.concat(bytes))).keys()];
    return names.filter((name) => name.endsWith(".txt"));
  };
  const names = await save();
  expect(names).toHaveLength(1_199);
  expect(names).not.toContain("copy 1199.txt");
  // The same of files that are named one by one, in a request that no address could hold.
  await many.keyboard.press("Escape");
  await tile(many, "copy 1200").click({ modifiers: ["ControlOrMeta"] });
  await many.keyboard.press("Shift+End");
  await bar().getByText("1,000 selected").waitFor();
  expect(await save()).toHaveLength(1_000);
});

it("the refusal of a zip is shown, and saves nothing", async () => {
  await many.goto("/library");
  await tile(many, "copy 99999").click({ modifiers: ["ControlOrMeta"] });
  // As if the file had been deleted while the request was on its way.
  await many.route(/\/assets\/archive/, (route) =>
    route.continue({
      postData: new URLSearchParams({
        json: JSON.stringify({ ids: ["0199aaaa-0000-7000-8000-000000000001"] }),
      }).toString(),
    }),
  );
  await bar().getByRole("button", { name: "Download" }).click();
  await many.getByRole("menuitem", { name: /^As one zip/ }).click();
  await many.getByText("Some of these files are no longer in this project.").waitFor();
  expect(await many.locator("iframe").count()).toBe(0);
  await many.unroute(/\/assets\/archive/);
});

it("the viewer shows the file that was asked for last, and a closed one stays closed", async () => {
  const viewer = many.locator("[data-takes-shortcuts]");
  const isPage = (request: Request) => /\/assets\?.*cursor=/.test(request.url());
  /** Presses keys while the last page of the gallery loads, and then lets it arrive. */
  const pressWhileLoading = async (...keys: string[]) => {
    await many.goto("/library");
    await tile(many, "copy 99999").click();
    await viewer.getByText("1 of 100,001").first().waitFor();
    const late = await holdBack(many, isPage);
    await many.keyboard.press("End");
    await soon(() => late.held.length).toBe(1);
    for (const key of keys) await many.keyboard.press(key);
    const arrived = many.waitForResponse((response) => isPage(response.request()));
    await late.release();
    await (await arrived).finished();
    await drawn(many);
  };
  await pressWhileLoading("Home");
  await many.keyboard.press("ArrowRight");
  await viewer.getByText("2 of 100,001").first().waitFor();

  const viewed: string[] = [];
  await pressWhileLoading("Escape");
  await viewer.waitFor({ state: "detached" });
  many.on("framenavigated", (frame) => {
    const [, assetId] = /\/library\/([^/?]+)/.exec(frame.url()) ?? [];
    if (assetId) viewed.push(assetId);
  });
  const idOf = async (name: string) => (await tile(many, name).getAttribute("data-asset"))!;
  const shown = [await idOf("copy 99998"), await idOf("copy 99997")];
  await tile(many, "copy 99998").click();
  await viewer.getByText("2 of 100,001").first().waitFor();
  // The address follows when the key rests, and after any change that was due before.
  await many.keyboard.press("ArrowRight");
  await soon(() => viewed.at(-1)).toBe(shown[1]);
  expect(viewed).toEqual(shown);
});

/** Delays each page of the gallery until the returned function is called. */
async function holdPages(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(/\/api\/v1\/assets\?.*cursor=/, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

/**
 * Copies an asset's row, each copy a minute newer than the previous one, like a library after years
 * of use.
 */
function multiplyAsset(file: string, assetId: string, count: number): void {
  const db = new DatabaseSync(file);
  const row = db.prepare("select * from asset where id = ?").get(assetId) as Record<
    string,
    string | number | null
  >;
  const { row: _, ...columns } = row;
  const names = Object.keys(columns);
  const insert = db.prepare(
    `insert into asset (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`,
  );
  db.exec("begin");
  for (let place = 0; place < count; place++) {
    const at = Number(row.created_at) + place * 60_000;
    const time = at.toString(16).padStart(12, "0");
    const id = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${place.toString(16).padStart(12, "0")}`;
    const copy = { ...columns, id, title: `copy ${place}`, search: "", created_at: at };
    insert.run(...names.map((name) => copy[name as keyof typeof copy] ?? null));
  }
  db.exec("commit");
  db.close();
}

/** Adds members to the only project. */
function addMembers(file: string, count: number): void {
  const db = new DatabaseSync(file);
  const copies = (table: string, change: (place: number) => Record<string, string>) => {
    const row = db.prepare(`select * from ${table}`).get() as Record<string, string>;
    const names = Object.keys(row);
    const insert = db.prepare(
      `insert into ${table} (${names.map((name) => `"${name}"`).join(", ")}) values (${names.map(() => "?").join(", ")})`,
    );
    for (let place = 0; place < count; place++) {
      const copy = { ...row, ...change(place) };
      insert.run(...names.map((name) => copy[name] ?? null));
    }
  };
  const idOf = (place: number) => `00000000-0000-7000-8000-${String(place).padStart(12, "0")}`;
  const named = (place: number) => `Member ${String(place).padStart(2, "0")}`;
  copies('"user"', (place) => ({
    id: idOf(place),
    name: named(place),
    email: `member${place}@example.org`,
    role: "member",
  }));
  copies("project_member", (place) => ({
    user_id: idOf(place),
    name: named(place),
    role: "editor",
  }));
  db.close();
}
