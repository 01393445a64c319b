import type { Browser, Page, Request } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { Asset, Run } from "#contract/entities.ts";
import { launchBrowser } from "../../support/browser/chromium.ts";
import { drawn, holdBack } from "../../support/browser/late-answers.ts";
import { findBarriers, watchPage } from "../../support/browser/strict-page.ts";
import {
  builtinConnection,
  type Studio,
  startStudio,
} from "../../support/browser/studio-in-browser.ts";
import { centerOf, fingerOn, phone as phoneProfile } from "../../support/browser/touch.ts";
import { intoPng, madeByModel, manifestStore } from "../../support/content-credentials.ts";
import { until } from "../../support/server/instance.ts";
import { soon } from "../../support/soon.ts";
import { buildWav } from "../../support/wav.ts";

/** The library, action by action, with the built-in models. */
let browser: Browser;
let studio: Studio;
let builtin: string;
let page: Page;
/** Each page's violations and errors. */
const breaches: string[][] = [];

beforeAll(async () => {
  [browser, studio] = await Promise.all([launchBrowser(), startStudio()]);
  builtin = await builtinConnection(studio.api);
  for (const color of ["teal", "tomato", "gold", "navy", "plum"])
    await uploadPicture(`${color}.png`, color, color === "gold");
  await studio.api.upload("notes.txt", Buffer.from("Twelve arches, <b>one</b> for each month.\n"));
  await makePicture("quiet hills at dusk", 11);
  page = await openPage("/library");
});
afterAll(async () => {
  await browser?.close();
  await studio?.stop();
});

async function openPage(
  path: string,
  options: Parameters<Studio["openAs"]>[1] = {},
): Promise<Page> {
  const { page: fresh } = await studio.openAs(browser, { acceptDownloads: true, ...options });
  breaches.push(watchPage(fresh));
  await fresh.goto(path);
  // Not by role: below the open viewer it has none.
  await fresh.locator("main").waitFor();
  return fresh;
}

async function uploadPicture(name: string, background: string, isSigned = false): Promise<string> {
  const picture = sharp({ create: { width: 320, height: 240, channels: 3, background } });
  const png = await picture.png().toBuffer();
  const signed = isSigned ? intoPng(png, { store: manifestStore(madeByModel) }) : png;
  return (await studio.api.upload(name, signed)).id;
}
async function makePicture(prompt: string, seed: number): Promise<Asset> {
  const { runs } = await studio.api.send<{ runs: Run[] }>("POST", "/runs", {
    projectId: studio.api.projectId,
    models: [{ connectionId: builtin, modelId: "pattern" }],
    task: "image",
    input: { prompt, seed, image_size: { width: 96, height: 64 } },
  });
  return until("the picture is made", async () => (await runOf(runs[0]!.id)).assets[0]);
}
const runOf = (id: string) => studio.api.get<{ run: Run; assets: Asset[] }>(`/runs/${id}`);
const list = async (query = "") =>
  (
    await studio.api.get<{ assets: Asset[] }>(
      `/assets?projectId=${studio.api.projectId}&limit=200${query}`,
    )
  ).assets;
const find = async (title: string, query = ""): Promise<Asset> => {
  const found = (await list(query)).find(
    (asset) => asset.title === title || asset.promptText === title,
  );
  if (!found) throw new Error(`There is no ${title}.`);
  return found;
};

/** A tile's name includes its selected state. */
const tile = (name: string, on = page) =>
  on.getByRole("grid").getByRole("link", { name, exact: true });
const selected = (name: string, on = page) =>
  on.getByRole("grid").getByRole("link", { name: `${name}, selected`, exact: true });
const tiles = (on = page) => on.getByRole("grid").getByRole("link");
const button = (name: string, on = page) => on.getByRole("button", { name, exact: true });
const viewer = (on = page) => on.locator("[data-takes-shortcuts]");
const bar = (on = page) => on.getByRole("region", { name: "Selection" });
const placeLink = (name: string, on = page) =>
  on.getByRole("navigation", { name: "Places" }).getByRole("link", { name });

/** Chooses through a menu and its submenus. */
async function choose(menu: string, ...names: string[]): Promise<void> {
  await button(menu).click();
  for (const name of names)
    await page
      .getByRole("menuitem", { name, exact: true })
      .or(page.getByRole("menuitemcheckbox", { name, exact: true }))
      .click();
}

/** The checkbox exists while the mouse is over its tile. */
async function check(name: string): Promise<void> {
  await tile(name).hover();
  await page.getByRole("checkbox", { name: `Select ${name}` }).click();
}

async function openLibrary(search = "", on = page): Promise<void> {
  await on.goto(`/library${search}`);
  await tiles(on).first().waitFor();
}

it("everything made or uploaded is in the gallery by day, and each place shows its own files", async () => {
  await openLibrary();
  await page.getByRole("heading", { name: /^Today/ }).waitFor();
  await soon(() => tiles().count()).toBe(7);
  await placeLink("Uploads").click();
  await soon(() => tiles().count()).toBe(6);
  expect(page.url()).toContain("view=uploads");
  await placeLink("Kept").click();
  await page.getByRole("heading", { name: "No kept items yet" }).waitFor();
  await page.getByRole("link", { name: "Show all" }).click();
  await soon(() => tiles().count()).toBe(7);
});

it("words and a kind filter the gallery, and the address keeps them", async () => {
  await openLibrary();
  await page.getByRole("searchbox", { name: /^Search/ }).fill("hills");
  await soon(() => tiles().count()).toBe(1);
  await tile("quiet hills at dusk").waitFor();
  await page.getByRole("searchbox", { name: /^Search/ }).fill("");
  await soon(() => tiles().count()).toBe(7);
  await choose("Filter", "Kind", "Text");
  await soon(() => tiles().count()).toBe(1);
  await page.reload();
  await tile("notes.txt").waitFor();
  expect(await tiles().count()).toBe(1);
  await button("Remove filter Text").click();
  await soon(() => tiles().count()).toBe(7);
});

it("a link to the library switches to its project, and one to another's says so", async () => {
  const { projectId } = studio.api;
  const { project } = await studio.api.send<{ project: { id: string } }>("POST", "/projects", {
    name: "Bridges",
  });
  const fresh = await openPage("/library");
  onTestFinished(() => fresh.context().close());
  const current = (name: string) => fresh.getByRole("button", { name: `Project: ${name}.` });
  const named = () => new URL(fresh.url()).searchParams.get("project");
  await tile("notes.txt", fresh).waitFor();
  await soon(named).toBe(projectId);
  await fresh.goto(`/library?project=${project.id}`);
  await fresh.getByRole("heading", { name: "No items yet" }).waitFor();
  await fresh.goto(`/library?kind=text&project=${project.id}`);
  await current("Bridges").waitFor();
  await fresh.getByRole("heading", { name: "No matching items" }).waitFor();
  await fresh.goto(`/library?kind=text&project=${projectId}`);
  await tile("notes.txt", fresh).waitFor();
  // Switching changes the address and keeps the filter.
  await fresh.getByRole("button", { name: /^Project: / }).click();
  await fresh.getByRole("menuitemcheckbox", { name: "Bridges" }).click();
  await fresh.getByRole("heading", { name: "No matching items" }).waitFor();
  await soon(named).toBe(project.id);
  await fresh.goto(`/library?kind=text&project=${builtin}`);
  await fresh.getByRole("heading", { name: "You can’t open this project" }).waitFor();
  await current("Bridges").waitFor();
  expect(await findBarriers(fresh)).toEqual([]);
  await fresh.getByRole("link", { name: "Show all" }).click();
  await fresh.getByRole("heading", { name: "No items yet" }).waitFor();
});

it("each filter is a chip, in the address and after a reload, and its cross removes it", async () => {
  const { projectId } = studio.api;
  const { id, runId } = await find("quiet hills at dusk");
  const { members } = await studio.api.get<{ members: { userId: string; name: string }[] }>(
    `/projects/${projectId}/members`,
  );
  await studio.api.send("POST", "/assets/update", {
    projectId,
    ids: [id],
    action: "tag",
    tags: ["dusk"],
  });
  const { tags } = await studio.api.get<{ tags: { id: string }[] }>(`/tags?projectId=${projectId}`);
  const { task } = (await runOf(runId!)).run;
  const filters: Record<string, [value: string, chip: string]> = {
    kind: ["image", "Pictures"],
    pick: ["none", "No mark"],
    source: ["made", "Made here"],
    task: [task, "Picture"],
    state: ["succeeded", "Done"],
    model: [`${builtin}/pattern`, "Pattern (procedural)"],
    createdBy: [members[0]!.userId, members[0]!.name],
    aspect: ["landscape", "Landscape"],
    tags: [tags[0]!.id, "dusk"],
    used: ["false", "Not used as input"],
    createdAt: ["86400000..", expect.stringMatching(/^Date: since Jan [12], 1970$/)],
    rating: ["..0", "Rating: no stars"],
    costMicros: ["..0", "Cost: free"],
    bytes: ["..1000000", "File size: up to 1 MB"],
    pixels: ["..1000000", "Dimensions: up to 1 MP"],
  };
  const rest = { q: "hills", sort: "title", order: "asc", project: projectId };
  const values = Object.entries(filters).map(([key, [value]]) => [key, value]);
  await openLibrary(`?${new URLSearchParams([...values, ...Object.entries(rest)])}`);
  const crosses = page.getByRole("button", { name: /^Remove filter / });
  const chips = async () =>
    (
      await crosses.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label") ?? ""))
    ).map((label) => label.replace("Remove filter ", ""));
  const expected = Object.values(filters).map(([, chip]) => chip);
  await soon(chips).toEqual(expect.arrayContaining(expected));
  expect((await chips()).length).toBe(expected.length);
  await page.reload();
  await soon(chips).toEqual(expect.arrayContaining(expected));
  await soon(() => tiles().count()).toBe(1);
  await button("Title, A to Z").waitFor();
  for (let left = expected.length; left > 0; left -= 1) {
    await crosses.first().click();
    await soon(() => crosses.count()).toBe(left - 1);
  }
  await soon(() => Object.fromEntries(new URL(page.url()).searchParams)).toEqual(rest);
  await page.getByRole("searchbox", { name: /^Search/ }).fill("");
  await soon(() => new URL(page.url()).searchParams.has("q")).toBe(false);
  await soon(() => tiles().first().getAttribute("aria-label")).toBe("gold.png");
  await soon(() => tiles().count()).toBe(7);
});

it("a link to a filter that is gone says so, and offers to remove the filter", async () => {
  const gone = "0195d82a-5f73-71bb-b403-0ce0fbe00178";
  for (const [filter, sentence] of [
    [`createdBy=${gone}`, "This person is no longer in the project."],
    [`connection=${gone}`, "This connection was removed, or you don’t have access."],
    [`model=${gone}/glyph`, "glyph has made nothing here that you can see."],
    [`tags=${gone}`, "This tag was deleted, or you don’t have access."],
    [`similar=${gone}`, "The item to compare with was deleted, or you don’t have access."],
  ] as const) {
    await page.goto(`/library?kind=text&${filter}`);
    await page.getByText(sentence).waitFor();
    await button("Remove filter").click();
    await tile("notes.txt").waitFor();
    await button("Remove filter Text").waitFor();
  }
  await page.goto(`/library?collection=${gone}`);
  await page.getByRole("heading", { name: "This collection no longer exists" }).waitFor();
  await page.getByRole("link", { name: "Show all" }).click();
  await soon(() => tiles().count()).toBe(7);
});

it("a picture finds its smaller and recompressed copy, and no other picture", async () => {
  const { id, title, promptText } = await find("quiet hills at dusk");
  const file = await page.context().request.get(`${studio.url}/api/v1/assets/${id}/file`);
  const copy = sharp(await file.body())
    .resize(72)
    .jpeg({ quality: 60 });
  const copyId = (await studio.api.upload("copy.jpg", await copy.toBuffer())).id;
  await page.goto(`/library/${id}`);
  await viewer().waitFor();
  await button("More actions").click();
  await page.getByRole("menuitem", { name: "Find similar" }).click();
  // The gallery below the viewer had both, with all others.
  await soon(() => tiles().count()).toBe(2);
  await tile("copy.jpg").waitFor();
  expect(new URL(page.url()).searchParams.get("similar")).toBe(id);
  await button(`Remove filter Similar to ${title || promptText}`).click();
  await soon(() => tiles().count()).toBe(8);
  for (const action of ["trash", "delete"])
    await studio.api.send("POST", "/assets/update", {
      projectId: studio.api.projectId,
      ids: [copyId],
      action,
    });
});

it("a date range filters the gallery, a sort orders it, and the address keeps both", async () => {
  await openLibrary();
  await choose("Filter", "Dimensions", "Set range…");
  await page.getByLabel("From", { exact: true }).fill("0.05");
  await page.getByLabel("To", { exact: true }).fill("0.01");
  await button("Set filter").click();
  await page.getByText("This is less than the start of the range.").waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(await page.getByText("This is less than the start of the range.").count()).toBe(1);
  await page.getByLabel("To", { exact: true }).fill("");
  await button("Set filter").click();
  await soon(() => tiles().count()).toBe(5);
  await choose("Newest first", "Oldest first");
  await soon(() => tiles().first().getAttribute("aria-label")).toBe("teal.png");
  await page.reload();
  await soon(() => tiles().first().getAttribute("aria-label")).toBe("teal.png");
  await choose("Oldest first", "More", "Largest files");
  await soon(() => page.getByRole("heading", { name: /^Today/ }).count()).toBe(0);
  await choose("Largest files", "More", "Most used as input");
  await choose("Most used as input", "More", "Connection, A to Z");
  await button("Connection, A to Z").waitFor();
  expect(new URL(page.url()).searchParams.get("sort")).toBe("connection");
  await button("Remove filter Dimensions: 0.05 MP or more").click();
  await soon(() => tiles().count()).toBe(7);
});

it("a duration finds the sounds that last as long, and is a chip", async () => {
  const two = { samples: Buffer.alloc(2 * 2 * 8_000), samplesPerSecond: 8_000 };
  const { id } = await studio.api.upload("two.wav", buildWav({ ...two, channels: 1, bits: 16 }));
  await openLibrary();
  await choose("Filter", "Duration", "Set range…");
  await page.getByLabel("From", { exact: true }).fill("3");
  await button("Set filter").click();
  await page.getByRole("heading", { name: "No matching items" }).waitFor();
  await button("Remove filter Duration: 0:03 or more").click();
  await choose("Filter", "Duration", "Set range…");
  await page.getByLabel("From", { exact: true }).fill("1.5");
  await page.getByLabel("To", { exact: true }).fill("2.5");
  await button("Set filter").click();
  await soon(() => tiles().count()).toBe(1);
  await tile("two.wav").waitFor();
  await page.reload();
  await tile("two.wav").waitFor();
  for (const action of ["trash", "delete"])
    await studio.api.send("POST", "/assets/update", {
      projectId: studio.api.projectId,
      ids: [id],
      action,
    });
});

it("a filter that can't be loaded says so, and loads on request", async () => {
  await openLibrary();
  const isLayout = /\/assets\/layout.*kind=text/;
  await page.route(isLayout, (route) => route.abort());
  await choose("Filter", "Kind", "Text");
  await button("Try again").waitFor();
  expect(await tiles().count()).toBe(0);
  await page.unroute(isLayout);
  await button("Try again").click();
  await soon(() => tiles().count()).toBe(1);
});

it("a model and a mark filter the gallery, and groups have headings", async () => {
  await openLibrary();
  await choose("Filter", "Model or connection…");
  await page.getByRole("combobox").fill("patt");
  await page.getByRole("option", { name: /Pattern.*1$/ }).click();
  await soon(() => tiles().count()).toBe(1);
  await choose("Filter", "State", "Failed");
  await page.getByRole("heading", { name: "No matching items" }).waitFor();
  await button("Remove filter Failed").click();
  await soon(() => tiles().count()).toBe(1);
  await button("Remove filter Pattern (procedural)").click();
  await choose("Newest first", "Group by", "Model");
  await page.getByRole("heading", { name: "Without a model 6" }).waitFor();
  await page.getByRole("heading", { name: "Pattern (procedural) 1" }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await choose("Newest first", "Group by", "Batch");
  await page.getByRole("heading", { name: "quiet hills at dusk 1" }).waitFor();
  await page.getByRole("heading", { name: "Uploads 6" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Uploads 6" }).waitFor();
});

it("keys mark the selected files, U undoes it, and rejected files go to the trash together", async () => {
  await openLibrary();
  await check("teal.png");
  await check("tomato.png");
  await page.keyboard.press("x");
  await soon(async () => (await list("&pick=rejected")).length).toBe(2);
  await page.keyboard.press("4");
  await soon(async () => (await list("&rating=4..")).length).toBe(2);
  await page.keyboard.press("u");
  await soon(async () => (await list("&rating=4..")).length).toBe(0);
  await page.keyboard.press("Delete");
  await soon(async () => (await list("&trash=true")).length).toBe(2);
  await button("Undo").click();
  await soon(async () => (await list("&trash=true")).length).toBe(0);
  // The toast has undone the last act, so U undoes the one before.
  await page.keyboard.press("u");
  await soon(async () => (await list("&pick=rejected")).length).toBe(0);
  await check("teal.png");
  await check("tomato.png");
  await page.keyboard.press("x");
  await soon(async () => (await list("&pick=rejected")).length).toBe(2);
  // Pressed twice, U undoes the last act first, even if its answer isn't there yet.
  await page.keyboard.press("p");
  await soon(async () => (await list("&pick=kept")).length).toBe(2);
  // The answer to P may still be on its way to the page, and doesn't count.
  const sent = new Set<Request>();
  let answers = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/assets/update")) sent.add(request);
  });
  page.on("response", (response) => {
    if (sent.has(response.request())) answers += 1;
  });
  const late = await holdBack(page, (request) => request.url().endsWith("/assets/update"));
  await page.keyboard.press("x");
  await soon(() => late.held.length).toBe(1);
  await page.keyboard.press("u");
  await page.keyboard.press("u");
  await late.release();
  await soon(() => answers).toBe(3);
  expect(await list("&pick=kept")).toEqual([]);
  await soon(async () => (await list("&pick=rejected")).length).toBe(2);
  await openLibrary("?pick=rejected");
  await soon(() => tiles().count()).toBe(2);
  await button("Move rejects to trash").click();
  await soon(async () => (await list("&trash=true")).length).toBe(2);
  await button("Undo").click();
  await soon(async () => (await list("&trash=true")).length).toBe(0);
  for (const name of ["teal.png", "tomato.png"])
    await studio.api.send("PATCH", `/assets/${(await find(name)).id}`, { pick: "none" });
});

it("an act that ends late leaves what was selected since", async () => {
  await openLibrary();
  await check("teal.png");
  await check("tomato.png");
  const late = await holdBack(page, (request) => request.url().endsWith("/assets/update"));
  await page.keyboard.press("Delete");
  await soon(() => late.held.length).toBe(1);
  await check("plum.png");
  await bar().getByText("3 selected").waitFor();
  await late.release();
  await soon(() => tiles().count()).toBe(5);
  await bar().getByText("1 selected").waitFor();
  await selected("plum.png").waitFor();
  await button("Undo").click();
  await soon(async () => (await list("&trash=true")).length).toBe(0);
});

it("Ctrl-A while another filter loads selects what that filter shows, and a key waits for it", async () => {
  await openLibrary();
  const late = await holdBack(page, (request) => /\/assets\/layout.*kind=text/.test(request.url()));
  await choose("Filter", "Kind", "Text");
  await soon(() => late.held.length).toBe(1);
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("3");
  await late.release();
  await bar().getByText("1 selected").waitFor();
  await selected("notes.txt").waitFor();
  await soon(async () => (await list("&rating=3..")).map(({ title }) => title)).toEqual([
    "notes.txt",
  ]);
  await page.keyboard.press("u");
  await soon(async () => (await list("&rating=3..")).length).toBe(0);
});

it("the slash key focuses the search, and the slider sizes the tiles", async () => {
  await openLibrary();
  await page.keyboard.press("/");
  const search = page.getByRole("searchbox", { name: /^Search/ });
  await soon(() => search.evaluate((field) => field === document.activeElement)).toBe(true);
  const height = async () => (await tiles().first().boundingBox())?.height ?? 0;
  const before = await height();
  await button("Tile size").click();
  await page.getByRole("slider", { name: "Tile size" }).fill("240");
  await soon(async () => (await height()) > before * 1.2).toBe(true);
  await page.getByRole("slider", { name: "Tile size" }).fill("148");
});

it("several files are selected, kept, downloaded as one zip, moved to the trash and restored", async () => {
  await openLibrary();
  await tile("teal.png").click({ modifiers: ["ControlOrMeta"] });
  await tile("tomato.png").click({ modifiers: ["ControlOrMeta"] });
  await check("gold.png");
  await bar().getByText("3 selected").waitFor();

  await bar().getByRole("button", { name: "Keep", exact: true }).click();
  await bar().getByRole("button", { name: "Remove mark" }).waitFor();
  await soon(async () => (await list("&pick=kept")).map(({ title }) => title).sort()).toEqual([
    "gold.png",
    "teal.png",
    "tomato.png",
  ]);

  await bar().getByRole("button", { name: "Download" }).click();
  const saving = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: /^As one zip/ }).click();
  const archive = await (await saving).createReadStream();
  const bytes = Buffer.concat(await archive.toArray());
  for (const name of ["teal.png", "tomato.png", "gold.png"])
    expect(bytes.includes(name)).toBe(true);
  expect(bytes.includes("plum.png")).toBe(false);

  await bar().getByRole("button", { name: "Move to trash" }).click();
  await page.getByText("3 items moved to trash").first().waitFor();
  await soon(() => tiles().count()).toBe(4);
  await button("Undo").last().click();
  await soon(() => tiles().count()).toBe(7);
  expect((await list("&trash=true")).length).toBe(0);
});

it("several files are downloaded one after the other, tagged and collected", async () => {
  await openLibrary();
  await tile("navy.png").click({ modifiers: ["ControlOrMeta"] });
  await tile("plum.png").click({ modifiers: ["ControlOrMeta"] });
  const names: string[] = [];
  page.on("download", (download) => names.push(download.suggestedFilename()));
  await bar().getByRole("button", { name: "Download" }).click();
  await page.getByRole("menuitem", { name: "As 2 files" }).click();
  await soon(() => [...names].sort()).toEqual(["navy.png", "plum.png"]);
  page.removeAllListeners("download");

  await bar().getByRole("button", { name: "Tag" }).click();
  await page.getByRole("combobox").fill("harbor");
  await page.getByRole("option", { name: "Create “harbor”" }).click();
  await page.getByRole("option", { name: /^On all\s*harbor\s*2$/ }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("combobox").waitFor({ state: "detached" });
  await bar().getByRole("button", { name: "Add to collection" }).click();
  await page.getByRole("combobox").fill("Harbor book");
  await page.getByRole("option", { name: "Create “Harbor book”" }).click();
  await page.getByText("2 items added to Harbor book").first().waitFor();
  await page.getByRole("combobox").waitFor({ state: "detached" });
});

it("files in the trash are restored, or deleted for good after a confirmation", async () => {
  const doomed = await uploadPicture("doomed.png", "black");
  const saved = await uploadPicture("saved.png", "white");
  await studio.api.send("POST", "/assets/update", {
    projectId: studio.api.projectId,
    ids: [doomed, saved],
    action: "trash",
  });
  await openLibrary("?view=trash");
  await check("saved.png");
  await bar().getByRole("button", { name: "Restore" }).click();
  await soon(() => tiles().count()).toBe(1);
  await tile("doomed.png").click();
  await page.getByText(/You can restore it for 30 more days/).waitFor();
  await button("Delete permanently").click();
  const question = page.getByRole("dialog", { name: "Delete 1 item permanently?" });
  await question.getByRole("button", { name: "Cancel" }).click();
  await question.waitFor({ state: "detached" });
  expect((await list("&trash=true")).length).toBe(1);
  await button("Delete permanently").click();
  await question.getByRole("button", { name: "Delete permanently" }).click();
  await page.getByRole("heading", { name: "The trash is empty" }).waitFor();
  await find("saved.png");
  await studio.api.send("POST", "/assets/update", {
    projectId: studio.api.projectId,
    ids: [saved],
    action: "trash",
  });
});

it("arrows move, Space selects, Shift extends and Ctrl-A selects everything", async () => {
  await openLibrary();
  await tiles().first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Space");
  await bar().getByText("1 selected").waitFor();
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Shift+ArrowRight");
  await bar().getByText("3 selected").waitFor();
  await page.keyboard.press("ControlOrMeta+a");
  await bar().getByText("7 selected").waitFor();
  await page.keyboard.press("Escape");
  await bar().waitFor({ state: "detached" });
});

it("selected files are dragged out as addresses and as one zip", async () => {
  await openLibrary();
  await tile("navy.png").click({ modifiers: ["ControlOrMeta"] });
  await tile("plum.png").click({ modifiers: ["ControlOrMeta"] });
  const carried = await selected("plum.png").evaluate((link) => {
    const dataTransfer = new DataTransfer();
    link.dispatchEvent(new DragEvent("dragstart", { bubbles: true, dataTransfer }));
    return {
      list: dataTransfer.getData("text/uri-list"),
      download: dataTransfer.getData("DownloadURL"),
    };
  });
  const ids = [(await find("navy.png")).id, (await find("plum.png")).id];
  for (const id of ids) expect(carried.list).toContain(`${studio.url}/api/v1/assets/${id}/file`);
  expect(carried.download).toMatch(/^application\/zip:bottega\.zip:http:/);
  const alone = await tile("gold.png").evaluate((link) => {
    const dataTransfer = new DataTransfer();
    link.dispatchEvent(new DragEvent("dragstart", { bubbles: true, dataTransfer }));
    return dataTransfer.getData("DownloadURL");
  });
  expect(alone).toBe(
    `image/png:gold.png:${studio.url}/api/v1/assets/${(await find("gold.png")).id}/file?download=1`,
  );
});

it("dropped and pasted files are uploaded, and a refused one says why", async () => {
  await openLibrary();
  await page.getByRole("grid").evaluate((grid) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["Dropped words.\n"], "dropped.txt", { type: "text/plain" }));
    dataTransfer.items.add(new File([], "nothing.png", { type: "image/png" }));
    const startOfPng = new Uint8Array([
      137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0,
      0, 0,
    ]);
    dataTransfer.items.add(new File([startOfPng], "broken.png", { type: "image/png" }));
    for (const type of ["dragenter", "dragover", "drop"])
      grid.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
  });
  await tile("dropped.txt").waitFor();
  const uploads = page.getByRole("region", { name: "2 files could not be uploaded" });
  await uploads.getByText("This file is empty.").waitFor();
  await uploads.getByText("nothing.png").waitFor();
  await uploads.getByText("broken.png").waitFor();
  // Another try wouldn't help either.
  expect(await uploads.getByRole("button", { name: /^Retry / }).count()).toBe(0);
  await uploads.getByRole("button", { name: "Close uploads" }).click();

  await page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File(["Pasted words.\n"], "pasted.txt", { type: "text/plain" }));
    document.body.dispatchEvent(
      new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData }),
    );
  });
  await tile("pasted.txt").waitFor();
  const ids = [(await find("dropped.txt")).id, (await find("pasted.txt")).id];
  await studio.api.send("POST", "/assets/update", {
    projectId: studio.api.projectId,
    ids,
    action: "trash",
  });
});

it("a file shows its recipe; make again gives the same hash, vary gives another seed", async () => {
  const original = await find("quiet hills at dusk");
  await openLibrary(`?open=${original.id}`);
  const recipe = page.getByRole("complementary", { name: "quiet hills at dusk" });
  await recipe.getByText("Pattern (procedural)").waitFor();
  await recipe.getByText("96 × 64").waitFor();
  await recipe.getByText("11", { exact: true }).waitFor();
  await recipe.getByText("free", { exact: true }).waitFor();

  await recipe.getByRole("button", { name: /^Make again, free/ }).click();
  await page.getByText("Made again: an identical file").waitFor();
  await soon(
    async () => (await list()).filter(({ sha256 }) => sha256 === original.sha256).length,
  ).toBe(2);

  await recipe.getByRole("button", { name: /^Vary 4, free/ }).click();
  await page.getByText("Made 4 variations").waitFor();
  const made = (await list()).filter(({ promptText }) => promptText === original.promptText);
  expect(made.length).toBe(6);
  const varied = made.find(({ sha256 }) => sha256 !== original.sha256)!;
  expect((await runOf(varied.runId!)).run.input.seed).not.toBe(11);
  await page.getByRole("link", { name: "Show result" }).click();
  await page.waitForURL(/\/library\/[0-9a-f-]+/);
  await viewer().waitFor();
  await page.keyboard.press("i");
  await viewer().getByText("Lineage").waitFor();
});

it("a file is used as an input of Create, and continued in a new conversation", async () => {
  const { id } = await find("teal.png");
  await openLibrary(`?open=${id}`);
  await page.getByRole("link", { name: "Use as input" }).click();
  await page.waitForURL("**/create*");
  await page.getByText("teal.png").first().waitFor();
  await openLibrary(`?open=${id}`);
  await page.getByRole("link", { name: "Continue in chat" }).click();
  await page.waitForURL("**/chat*");
  await button("Remove teal.png").click();
});

it("a title, a mark and a rating survive a reload", async () => {
  const { id } = await find("plum.png");
  await openLibrary(`?open=${id}`);
  await button("Rename").click();
  const name = page.getByRole("textbox", { name: "Name" });
  await soon(() => name.evaluate((field) => field === document.activeElement)).toBe(true);
  // What is typed replaces the old name.
  await page.keyboard.type("Plum, second proof");
  await page.getByRole("textbox", { name: "Name" }).press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await button("Reject").click();
  await page.getByRole("radio", { name: "4 stars" }).click({ force: true });
  await soon(async () => (await find("Plum, second proof")).rating).toBe(4);
  await page.reload();
  await page.getByRole("complementary", { name: "Plum, second proof" }).waitFor();
  expect(await button("Reject").getAttribute("aria-pressed")).toBe("true");
  expect(await page.getByRole("radio", { name: "4 stars" }).isChecked()).toBe(true);
});

it("the wheel zooms at the pointer, and dragging moves the picture", async () => {
  const { id } = await find("gold.png");
  await page.goto(`/library/${id}`);
  const view = viewer().locator("[data-kind=image]");
  const percent = page.getByRole("button", { name: /^[\d,]+%$/ });
  const place = () => view.locator("div:not([inert]) > img").last().boundingBox();
  await view.hover();
  await page.mouse.wheel(0, -300);
  await soon(() => percent.textContent()).toBe("172%");
  for (let i = 0; i < 4; i++) await page.mouse.wheel(0, -300);
  await soon(() => percent.textContent()).toMatch(/^1,?488%$/);
  const frame = (await view.boundingBox())!;
  const [x, y] = [frame.x + frame.width / 2, frame.y + frame.height / 2];
  const before = (await place())!;
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 70, y + 40, { steps: 4 });
  await page.mouse.up();
  await soon(async () => (await place())!.x - before.x).toBe(70);
  expect((await place())!.y - before.y).toBe(40);
});

it("two fingers zoom the picture on a phone", async () => {
  const { id } = await find("gold.png");
  const phone = await openPage(`/library/${id}`, phoneProfile);
  onTestFinished(() => phone.context().close());
  const frame = (await viewer(phone).locator("[data-kind=image]").boundingBox())!;
  const [x, y] = [frame.x + frame.width / 2, frame.y + frame.height / 2];
  const session = await phone.context().newCDPSession(phone);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...apart: number[]) =>
    session.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: apart.flatMap((distance) => [
        { x: x - distance, y, id: 1 },
        { x: x + distance, y, id: 2 },
      ]),
    });
  await touch("touchStart", 50);
  for (const distance of [60, 80, 100]) await touch("touchMove", distance);
  await touch("touchEnd");
  const percent = phone.getByRole("button", { name: /^\d+%$/ });
  await soon(async () => Number.parseInt((await percent.textContent())!, 10)).toBeGreaterThan(180);
});

it("a text file is shown as text, whatever it contains", async () => {
  const { id } = await find("notes.txt");
  await page.goto(`/library/${id}`);
  await page.getByText("Twelve arches, <b>one</b> for each month.").waitFor();
  await page.goto("/library/0195d82a-5f73-71bb-b403-0ce0fbe00178");
  await page.getByRole("heading", { name: "This item no longer exists" }).waitFor();
  expect(await page.getByRole("heading", { name: "Loading" }).count()).toBe(0);
  expect(await page.getByRole("complementary").count()).toBe(0);
});

it("on a phone a tap opens a file, and a long press shows its acts, of which the first starts a selection", async () => {
  const phone = await openPage("/library", phoneProfile);
  onTestFinished(() => phone.context().close());
  await tile("navy.png", phone).waitFor();
  const path = () => new URL(phone.url()).pathname;
  const menus = await phone.evaluateHandle(() => {
    const opened: string[] = [];
    window.addEventListener("contextmenu", (event) => {
      if (!event.defaultPrevented) opened.push(String(event.target));
    });
    return opened;
  });
  const finger = await fingerOn(phone);
  const acts = phone.getByRole("dialog", { name: "navy.png" });
  await finger.down(await centerOf(tile("navy.png", phone)));
  await acts.getByRole("listitem").first().waitFor();
  expect(await acts.getByRole("listitem").first().textContent()).toBe("Select");
  const rows = await acts.getByRole("listitem").allTextContents();
  expect(rows).toEqual(expect.arrayContaining(["Keep", "Use as input", "Download"]));
  const heights = await acts
    .getByRole("listitem")
    .evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(40);
  const stars = acts.getByRole("radio", { name: "3 stars" });
  const three = acts.locator("label", { has: phone.getByRole("radio", { name: "3 stars" }) });
  expect(await stars.isChecked()).toBe(false);
  // The release of the same finger does nothing else.
  await finger.up();
  await drawn(phone);
  expect(await acts.isVisible()).toBe(true);
  expect(path()).toBe("/library");
  expect(await menus.jsonValue()).toEqual([]);
  await three.tap();
  await soon(async () => (await find("navy.png")).rating).toBe(3);
  await soon(() => stars.isChecked()).toBe(true);
  await three.tap();
  await soon(async () => (await find("navy.png")).rating).toBe(0);
  await button("Select", phone).tap();
  await bar(phone).getByText("1 selected").waitFor();
  await acts.waitFor({ state: "detached" });
  // While files are selected, a tap toggles, and so does a long press.
  await tile("gold.png", phone).tap();
  await bar(phone).getByText("2 selected").waitFor();
  await finger.down(await centerOf(tile("teal.png", phone)));
  await bar(phone).getByText("3 selected").waitFor();
  await finger.up();
  await drawn(phone);
  await bar(phone).getByText("3 selected").waitFor();
  expect(await phone.getByRole("dialog").count()).toBe(0);
  await button("Clear selection", phone).tap();
  await tile("gold.png", phone).tap();
  await phone.waitForURL(`**/library/${(await find("gold.png")).id}*`);
  await viewer(phone).getByRole("button", { name: "Details", exact: true }).tap();
  const details = phone.getByRole("dialog", { name: "Details" });
  await details.getByText("Recipe").waitFor();
  await details
    .getByText(
      "Content credentials from ChatGPT, not verified here. The credentials say: AI-generated.",
    )
    .waitFor();
});

it("the gallery with a selection and the viewer are accessible", async () => {
  await openLibrary(`?open=${(await find("quiet hills at dusk")).id}`);
  await page.getByRole("button", { name: /^Make again/ }).waitFor();
  await check("gold.png");
  await bar().waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.goto(`/library/${(await find("teal.png")).id}`);
  await viewer().locator("[data-kind=image]").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  expect(breaches.flat()).toEqual([]);
});

it("keys mark the focused file by keyboard alone, and a selection goes before it", async () => {
  await openLibrary();
  await tiles().first().focus();
  await page.keyboard.press("ArrowRight");
  // By id, because files of one prompt share their name.
  const at = async (place: number): Promise<() => Promise<Asset>> => {
    const id = (await tiles().nth(place).getAttribute("href"))!.split("/").at(-1);
    return async () => (await studio.api.get<{ asset: Asset }>(`/assets/${id}`)).asset;
  };
  const [first, focused, third] = [await at(0), await at(1), await at(2)] as const;
  const [firstBefore, focusedBefore, thirdBefore] = [await first(), await focused(), await third()];
  await page.keyboard.press("p");
  await soon(async () => (await focused()).pick).toBe("kept");
  await page.keyboard.press("x");
  await soon(async () => (await focused()).pick).toBe("rejected");
  await page.keyboard.press("4");
  await soon(async () => (await focused()).rating).toBe(4);
  for (let act = 0; act < 3; act += 1) await page.keyboard.press("u");
  await soon(focused).toMatchObject({ pick: focusedBefore.pick, rating: focusedBefore.rating });
  expect(await bar().count()).toBe(0);

  await page.keyboard.press("t");
  await page.getByRole("dialog", { name: "Tags on 1 item" }).getByRole("combobox").fill("pier");
  await page.getByRole("option", { name: "Create “pier”" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("option", { name: /^On all\s*pier\s*1$/ }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("combobox").waitFor({ state: "detached" });
  await page.keyboard.press("c");
  await page.getByRole("combobox").fill("Pier book");
  await page.getByRole("option", { name: "Create “Pier book”" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("1 item added to Pier book").first().waitFor();
  await page.getByRole("combobox").waitFor({ state: "detached" });

  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Space");
  await bar().getByText("1 selected").waitFor();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("p");
  await soon(async () => (await first()).pick).toBe("kept");
  expect((await third()).pick).toBe(thirdBefore.pick);
  await page.keyboard.press("u");
  await soon(async () => (await first()).pick).toBe(firstBefore.pick);
  await page.keyboard.press("Escape");
  await bar().waitFor({ state: "detached" });
});
