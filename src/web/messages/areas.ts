import type { ScreenName } from "#contract/screens.ts";
import { type Area, addTexts } from "./t.ts";

type Texts = Parameters<typeof addTexts>[0];
// Those of t.ts are there from the beginning.
const files = import.meta.glob<Partial<Record<Area, Texts>>>([
  "./en/*.ts",
  "!./en/{components,screens,shell,ui}.ts",
]);
/** The file of an area: "modelLines" is in model-lines.ts. */
const fileOf = (area: Area): string =>
  `./en/${area.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;

/** What a screen says, and all that it opens; what every screen says is in t.ts. A test holds it against the sources. */
export const areasOf: Record<ScreenName, readonly Area[]> = {
  setup: ["setup"],
  join: ["setup"],
  login: ["setup"],
  home: ["home", "ask", "run", "budgets", "storage", "models", "modelLines"],
  chat: ["chat", "ask", "form", "run", "models", "modelLines"],
  create: ["create", "edit", "form", "modelLines", "run", "asset"],
  draw: ["draw", "form", "modelLines"],
  library: ["library", "run", "asset"],
  compare: ["compare"],
  activity: ["activity", "run"],
  models: ["models", "modelLines", "budgets", "run"],
  usage: ["usage", "budgets"],
  docs: ["docs"],
  project: ["project", "settings", "bills", "budgets", "webhooks"],
  settings: ["settings", "setup", "bills", "keys", "budgets", "ask", "models", "modelLines"],
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
    "operations",
  ],
};

/** Of these, what only a screen's lazy parts say: loaded with the first of them, and soon in any case. A test holds it as well. */
export const laterAreasOf: Partial<Record<ScreenName, readonly Area[]>> = {
  home: ["run", "budgets", "storage", "models", "modelLines"],
  chat: ["form", "run", "models", "modelLines"],
  create: ["asset", "edit", "run"],
  library: ["run"],
  models: ["budgets", "run"],
};
const awaited = new Set<Area>();

/** Loads the texts that a screen says at first; what its lazy parts say comes with `loadLaterTexts`. */
export async function loadTexts(screen: ScreenName): Promise<void> {
  const later = laterAreasOf[screen] ?? [];
  await Promise.all(areasOf[screen].filter((area) => !later.includes(area)).map(loadArea));
  // Only now: a link that was hovered without a network would keep the parts of the present screen waiting.
  for (const area of later) awaited.add(area);
}

/** Loads what lazy parts of the opened screens say. A part waits for it, for it may say any of it. */
export async function loadLaterTexts(): Promise<void> {
  await Promise.all([...awaited].map((area) => loadArea(area).then(() => awaited.delete(area))));
}

/** Loads the texts of one area: of what opens over any screen. */
export async function loadArea(area: Area): Promise<void> {
  const texts = (await files[fileOf(area)]?.())?.[area];
  if (!texts) throw new Error(`No file has the texts of ${area}.`);
  addTexts(texts);
}
