import type { BrowserContext, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset, Run } from "#contract/entities.ts";
import { type Chat, startChat } from "../../support/browser/chat-in-browser.ts";
import { button } from "../../support/browser/locators.ts";
import { findFaultsInLooks } from "../../support/browser/looks.ts";
import { watchPage } from "../../support/browser/strict-page.ts";
import { type Api, builtinConnection } from "../../support/browser/studio-in-browser.ts";
import { until } from "../../support/server/instance.ts";

/**
 * What opens from the screens or over them. `matrix.test.ts` has the screens themselves, full,
 * empty, loading and failed.
 */
let chat: Chat;
let at: Places;
let profile: BrowserContext;

/** The addresses of the prepared studio. */
type Places = Awaited<ReturnType<typeof seed>>;

const missing = "01a1fd94-0000-7000-8000-000000000000";

type Asked = { conversation: { id: string }; runs: Run[] };
const answerOfParts = `# Paper

A **laid** paper, 120 g.

\`\`\`ts
const weight = 120;
\`\`\`

| Paper | Weight |
|---|---|
| laid | 120 g |
`;

async function seed({ studio, simulator, connectionId }: Chat) {
  const { api } = studio;
  const { projectId } = api;
  const builtin = await builtinConnection(api);
  const isEnded = async ({ id }: Run) =>
    (await api.get<{ run: Run }>(`/runs/${id}`)).run.finishedAt !== null;
  async function make(modelId: string, prompt: string, variants = 1): Promise<Run[]> {
    const input = { prompt, image_size: { width: 256, height: 192 } };
    const models = [{ connectionId: builtin, modelId }];
    const body = { projectId, models, task: "image", input, variants };
    const { runs } = await api.send<{ runs: Run[] }>("POST", "/runs", body);
    for (const run of runs) await until(`${prompt} is made`, () => isEnded(run));
    return runs;
  }
  const [quay] = await make("pattern", "rows of boathouse arches along a quay", 4);
  await make("pattern", "quiet hills at dusk");
  for (const color of ["teal", "tomato"]) {
    const picture = sharp({ create: { width: 320, height: 240, channels: 3, background: color } });
    await api.upload(`${color}.png`, await picture.png().toBuffer());
  }
  const { assets } = await api.get<{ assets: Asset[] }>(`/assets?projectId=${projectId}`);
  const made = assets.filter(({ runId }) => runId);
  await api.send("POST", "/assets/update", {
    projectId,
    ids: [assets.find(({ title }) => title === "tomato.png")!.id],
    action: "trash",
  });
  const compare = async (entries: object[], blind: boolean) => {
    const body = { projectId, entries, blind, title: "Which arches?" };
    const { comparison } = await api.send<{ comparison: { id: string } }>(
      "POST",
      "/comparisons",
      body,
    );
    return `/compare/${comparison.id}`;
  };
  const pictures = made.slice(0, 3).map(({ id }) => ({ assetId: id }));
  const blind = await compare(pictures, true);
  const open = await compare(pictures, false);

  const ask = async (title: string, question: string, body: object): Promise<Asked> => {
    const { conversation } = await api.send<{ conversation: { id: string } }>(
      "POST",
      "/conversations",
      { projectId, title },
    );
    const path = `/conversations/${conversation.id}`;
    const asked = { parentId: null, text: question, ...body };
    const { answers } = await api.send<{ answers: { run: Run }[] }>(
      "POST",
      `${path}/messages`,
      asked,
    );
    for (const { run } of answers) await until("the answers end", () => isEnded(run));
    return { conversation, runs: answers.map(({ run }) => run) };
  };
  const models = ["sim-chat", "owner/sim-vision"].map((modelId) => ({
    model: { connectionId, modelId },
  }));
  simulator.script({ text: answerOfParts });
  const alone = await ask("Paper for the cover", "Which paper?", { ask: models[0] });
  simulator.script({ text: "Draw the tide." });
  simulator.script({ fault: { kind: "status", status: 400 } });
  const columns = await ask("Two models about the cover", "Which cover?", { asks: models });
  const ended = await Promise.all(
    columns.runs.map(({ id }) => api.get<{ run: Run }>(`/runs/${id}`)),
  );
  const failed = ended.find(({ run }) => run.state === "failed")!.run;
  const { conversation: trashed } = await api.send<{ conversation: { id: string } }>(
    "POST",
    "/conversations",
    { projectId, title: "An old thought" },
  );
  await api.send("DELETE", `/conversations/${trashed.id}`);
  await invite(api);
  return {
    chat: `/chat/${alone.conversation.id}`,
    columns: `/chat/${columns.conversation.id}`,
    viewer: `/library/${made[0]!.id}`,
    blind,
    open,
    run: `/activity/${quay!.id}`,
    answer: `/activity/${alone.runs[0]!.id}`,
    failed: `/activity/${failed.id}`,
    model: `/models/${builtin}/pattern`,
    project: `/projects/${projectId}`,
  };
}

async function invite(api: Api): Promise<void> {
  for (let i = 0; i < 3; i++)
    await api.send("POST", "/people/invites", {
      email: `printer-${i}@example.org`,
      role: "member",
    });
}

beforeAll(async () => {
  chat = await startChat();
  at = await seed(chat);
  const { context, page } = await chat.studio.openAs(chat.browser);
  await page.close();
  profile = context;
});
afterAll(() => chat?.stop());

type Detail = { path: string | ((at: Places) => string); open?: (page: Page) => Promise<unknown> };

/** Presses a button that opens an element with this role. */
const opens =
  (name: string | RegExp, role: "dialog" | "menu" = "dialog") =>
  async (page: Page): Promise<void> => {
    await button(page, name).first().click();
    await page.getByRole(role).first().waitFor();
  };
/** Like `opens`; on a phone, the sheet "More" contains what the button opens. */
const opensOrMore = (name: RegExp) => async (page: Page) => {
  const more = button(page, /^More/).last();
  if (await more.isVisible()) {
    await more.click();
    await page.getByRole("dialog").getByRole("link").first().waitFor();
  } else await opens(name, "menu")(page);
};
const presses = (keys: string) => async (page: Page) => {
  await page.locator("h1").first().click();
  await page.keyboard.press(keys);
  await page.getByRole("dialog").waitFor();
};
/** Chooses through a menu and its submenus. */
const chooses =
  (menu: string | RegExp, ...names: (string | RegExp)[]) =>
  async (page: Page): Promise<void> => {
    await button(page, menu).last().click();
    for (const name of names)
      await page.getByRole("menuitem", { name, exact: typeof name === "string" }).click();
  };
const shows = (text: string | RegExp) => (page: Page) => page.getByText(text).first().waitFor();
const then =
  (...steps: ((page: Page) => Promise<unknown>)[]) =>
  async (page: Page): Promise<void> => {
    for (const step of steps) await step(page);
  };
const dialog = (page: Page) => page.getByRole("dialog").first().waitFor();
const selectsTwo = async (page: Page) => {
  const tiles = page.getByRole("grid").getByRole("link");
  for (const place of [0, 1]) await tiles.nth(place).click({ modifiers: ["ControlOrMeta"] });
  await page.getByRole("region", { name: "Selection" }).waitFor();
};
const draws = async (page: Page) => {
  const surface = page.getByRole("application", { name: "Drawing" });
  const { x, y, width, height } = (await surface.boundingBox())!;
  await page.mouse.move(x + width * 0.3, y + height * 0.3);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.7, y + height * 0.6, { steps: 6 });
  await page.mouse.up();
  await page.getByRole("img", { name: /^Live picture of/ }).waitFor();
};
const finds = (words: string) => async (page: Page) => {
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Command palette" }).fill(words);
};

/** By screen. */
const details: Record<string, Record<string, Detail>> = {
  frame: {
    palette: { path: "/", open: then(finds(""), shows("Go to")) },
    "palette with results": {
      path: "/",
      open: then(finds("cover"), (page) =>
        page.getByRole("option", { name: /cover/ }).first().waitFor(),
      ),
    },
    keys: { path: "/library", open: presses("?") },
    projects: { path: "/", open: opensOrMore(/^Project: /) },
    account: { path: "/chat", open: opensOrMore(/, your account$/) },
    "no such page": { path: "/nowhere", open: shows("Page not found") },
  },
  chat: {
    "answers side by side": { path: (at) => at.columns, open: shows("Draw the tide.") },
    "chat settings": { path: (at) => at.chat, open: opens("Conversation settings") },
    "chat model": { path: (at) => at.chat, open: opens(/^Model: /) },
    attach: { path: (at) => at.chat, open: opens("Attach files", "menu") },
    export: {
      path: (at) => at.chat,
      open: then(chooses(/^Actions for Paper/, "Export conversation"), dialog),
    },
    "chat trash": {
      path: "/chat?trash=1",
      open: async (page) => {
        const remove = button(page, "Delete An old thought permanently");
        // On a phone, the list is in the side pane.
        const pane = button(page, "Open side pane");
        if (await pane.isVisible()) await pane.click();
        await remove.click();
        await dialog(page);
      },
    },
    "no such conversation": { path: `/chat/${missing}` },
  },
  create: {
    results: { path: "/create" },
  },
  draw: { strokes: { path: "/draw", open: draws } },
  library: {
    filter: { path: "/library", open: opens("Filter", "menu") },
    "filter by kind": { path: "/library", open: chooses("Filter", "Kind") },
    "filter by range": {
      path: "/library",
      open: then(chooses("Filter", "Dimensions", "Set range…"), dialog),
    },
    "filter by model": {
      path: "/library",
      open: then(chooses("Filter", "Model or connection…"), (page) =>
        page.getByRole("option").first().waitFor(),
      ),
    },
    "filter by tags": {
      path: "/library",
      open: then(chooses("Filter", "Tags…"), shows("No tags yet.")),
    },
    sort: { path: "/library", open: opens("Newest first", "menu") },
    selection: { path: "/library", open: selectsTwo },
    "no match": { path: "/library?q=zzzqqq", open: shows("No matching items") },
    trash: {
      path: "/library?view=trash",
      open: (page) => page.getByRole("grid").getByRole("link").first().waitFor(),
    },
    "delete permanently": {
      path: "/library?view=trash",
      open: async (page) => {
        await page
          .getByRole("grid")
          .getByRole("link")
          .first()
          .click({ modifiers: ["ControlOrMeta"] });
        await button(
          page.getByRole("region", { name: "Selection" }),
          /^Delete permanently/,
        ).click();
        await dialog(page);
      },
    },
    viewer: { path: (at) => at.viewer, open: (page) => button(page, "Keep").waitFor() },
    "viewer with facts": {
      path: (at) => at.viewer,
      open: async (page) => {
        await button(page, "Keep").waitFor();
        await page.keyboard.press("i");
        await page.getByText("Prompt").first().waitFor();
      },
    },
    editor: {
      path: (at) => at.viewer,
      async open(page) {
        await button(page, "Edit").click();
        await page.getByRole("radio", { name: "Crop" }).waitFor();
      },
    },
    "no such file": { path: `/library/${missing}` },
  },
  compare: {
    blind: {
      path: (at) => at.blind,
      open: (page) => button(page, "Result 1 is the best").waitFor(),
    },
    revealed: { path: (at) => at.open, open: shows("Leaderboard") },
    "no such comparison": { path: `/compare/${missing}` },
  },
  activity: {
    run: { path: (at) => at.run },
    answer: { path: (at) => at.answer },
    failed: { path: (at) => at.failed },
    "no such run": { path: `/activity/${missing}` },
  },
  models: {
    model: { path: (at) => at.model },
    "no such model": { path: (at) => `${at.model}-gone` },
  },
  admin: {
    person: { path: "/admin/people", open: opens("Add person") },
    projects: { path: "/admin/projects" },
    connections: { path: "/admin/connections" },
    connect: { path: "/admin/connections", open: opens("Add connection") },
    models: { path: "/admin/models" },
    aliases: { path: "/admin/aliases" },
    keys: { path: "/admin/keys" },
    budget: { path: "/admin/budgets", open: opens("Set budget") },
    storage: { path: "/admin/storage" },
    backups: { path: "/admin/backups" },
    audit: { path: "/admin/audit" },
    health: { path: "/admin/health" },
  },
  settings: {
    profile: { path: "/settings/profile" },
    appearance: { path: "/settings/appearance" },
    defaults: { path: "/settings/defaults" },
    notices: { path: "/settings/notices" },
    keys: { path: "/settings/keys" },
    connections: { path: "/settings/connections" },
    key: { path: "/settings/keys", open: opens("New key") },
    "delete account": { path: "/settings/security", open: opens(/^Delete account/) },
    "delete project": { path: (at) => at.project, open: opens(/^Delete project/) },
  },
};

it.each(
  Object.entries(details).flatMap(([part, inPart]) =>
    Object.entries(inPart).map(([name, detail]) => [part, name, detail] as const),
  ),
)(
  "%s, %s: no axe violation, overflow or console error, wide and narrow, light and dark",
  async (part, name, { path, open }) => {
    const page = await profile.newPage();
    const breaches = watchPage(page);
    try {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(typeof path === "string" ? path : path(at));
      await page.locator("main").waitFor();
      await page.waitForLoadState("networkidle");
      await open?.(page);
      expect(await findFaultsInLooks(page, `${part}-${name}`, open)).toEqual([]);
      expect(breaches).toEqual([]);
    } finally {
      await page.close();
    }
  },
);
