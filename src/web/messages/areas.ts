import type { ScreenName } from "#contract/screens.ts";
import { addTexts } from "./t.ts";

const areas = {
  access: () => import("./en/access.ts").then(({ access }) => access),
  activity: () => import("./en/activity.ts").then(({ activity }) => activity),
  admin: () => import("./en/admin.ts").then(({ admin }) => admin),
  answerInspector: () =>
    import("./en/answer-inspector.ts").then(({ answerInspector }) => answerInspector),
  ask: () => import("./en/ask.ts").then(({ ask }) => ask),
  bills: () => import("./en/bills.ts").then(({ bills }) => bills),
  budgets: () => import("./en/budgets.ts").then(({ budgets }) => budgets),
  chat: () => import("./en/chat.ts").then(({ chat }) => chat),
  context: () => import("./en/context.ts").then(({ context }) => context),
  create: () => import("./en/create.ts").then(({ create }) => create),
  draw: () => import("./en/draw.ts").then(({ draw }) => draw),
  docs: () => import("./en/docs.ts").then(({ docs }) => docs),
  form: () => import("./en/form.ts").then(({ form }) => form),
  home: () => import("./en/home.ts").then(({ home }) => home),
  keys: () => import("./en/keys.ts").then(({ keys }) => keys),
  library: () => import("./en/library.ts").then(({ library }) => library),
  modelLines: () => import("./en/model-lines.ts").then(({ modelLines }) => modelLines),
  models: () => import("./en/models.ts").then(({ models }) => models),
  newProject: () => import("./en/new-project.ts").then(({ newProject }) => newProject),
  project: () => import("./en/project.ts").then(({ project }) => project),
  settings: () => import("./en/settings.ts").then(({ settings }) => settings),
  setup: () => import("./en/setup.ts").then(({ setup }) => setup),
  storage: () => import("./en/storage.ts").then(({ storage }) => storage),
  thread: () => import("./en/thread.ts").then(({ thread }) => thread),
  voice: () => import("./en/voice.ts").then(({ voice }) => voice),
  tools: () => import("./en/tools.ts").then(({ tools }) => tools),
  shape: () => import("./en/shape.ts").then(({ shape }) => shape),
  usage: () => import("./en/usage.ts").then(({ usage }) => usage),
  webhooks: () => import("./en/webhooks.ts").then(({ webhooks }) => webhooks),
};
type Area = keyof typeof areas;

/** What a screen says, and all that it opens; what every screen says is in t.ts. A test holds it against the sources. */
export const areasOf: Record<ScreenName, readonly Area[]> = {
  setup: ["setup"],
  join: ["setup"],
  login: ["setup"],
  home: ["home", "ask", "activity", "budgets", "storage"],
  chat: ["chat", "ask", "form"],
  create: ["create", "form", "modelLines"],
  draw: ["draw", "form", "modelLines"],
  library: ["library"],
  activity: ["activity"],
  models: ["models", "modelLines", "budgets"],
  usage: ["usage", "budgets"],
  docs: ["docs"],
  project: ["project", "settings", "bills", "budgets", "webhooks"],
  settings: ["settings", "setup", "bills", "keys", "budgets"],
  admin: [
    "admin",
    "storage",
    "settings",
    "budgets",
    "bills",
    "keys",
    "models",
    "modelLines",
    "webhooks",
    "access",
  ],
};

/** Loads the texts of a screen. */
export async function loadTexts(screen: ScreenName): Promise<void> {
  await Promise.all(areasOf[screen].map(loadArea));
}

/** Loads the texts of one area: of what opens over any screen. */
export async function loadArea(area: Area): Promise<void> {
  addTexts(await areas[area]());
}
