import type { ScreenName } from "#contract/screens.ts";
import { type Area, addTexts } from "./t.ts";

type Texts = Parameters<typeof addTexts>[0];
// The areas in t.ts are loaded from the start.
const files = import.meta.glob<Partial<Record<Area, Texts>>>([
  "./en/*/*.ts",
  "!./en/frame/{components,screens,shell,ui}.ts",
]);
/** Finds an area's file: "modelLines" is in model-lines.ts. */
function fileOf(area: Area) {
  const end = `/${area.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;
  const path = Object.keys(files).find((name) => name.endsWith(end));
  return path === undefined ? undefined : files[path];
}

/**
 * The areas of texts used by a screen and everything it opens; texts used on every screen are in
 * t.ts. A test compares this with the sources.
 */
export const areasOf: Record<ScreenName, readonly Area[]> = {
  setup: ["setup"],
  join: ["setup"],
  login: ["setup"],
  home: ["home", "ask", "run", "budgets", "storage", "modelLines", "modelRows"],
  chat: ["chat", "ask", "form", "run", "modelLines", "modelRows"],
  create: ["create", "createDialogs", "edit", "form", "modelLines", "modelRows", "run", "asset"],
  draw: ["draw", "form", "modelLines", "ask", "modelRows"],
  library: ["library", "run", "asset"],
  compare: ["compare", "run"],
  activity: ["activity", "run"],
  models: ["models", "modelLines", "modelRows", "budgets", "run"],
  usage: ["usage", "budgets"],
  docs: ["docs"],
  project: ["project", "settings", "bills", "budgets", "webhooks"],
  settings: [
    "settings",
    "setup",
    "bills",
    "keys",
    "budgets",
    "ask",
    "models",
    "modelLines",
    "modelRows",
  ],
  admin: [
    "admin",
    "storage",
    "settings",
    "budgets",
    "bills",
    "keys",
    "ask",
    "models",
    "modelLines",
    "modelRows",
    "webhooks",
    "access",
    "operations",
  ],
};

/**
 * Of these, the areas used only by a screen's lazy parts: loaded with the first of them, and soon
 * after the screen in any case. A test compares this with the sources too.
 */
export const laterAreasOf: Partial<Record<ScreenName, readonly Area[]>> = {
  home: ["run", "budgets", "storage", "modelLines", "modelRows"],
  chat: ["form", "run", "modelLines", "modelRows"],
  create: ["asset", "createDialogs", "edit", "run", "modelRows"],
  draw: ["modelRows"],
  library: ["run"],
  models: ["budgets", "run"],
};
const awaited = new Set<Area>();

/** Loads the texts that a screen needs first; `loadLaterTexts` loads those of its lazy parts. */
export async function loadTexts(screen: ScreenName): Promise<void> {
  const later = laterAreasOf[screen] ?? [];
  await Promise.all(areasOf[screen].filter((area) => !later.includes(area)).map(loadArea));
  // Not earlier: if a hovered link's texts failed to load offline, the current screen's lazy parts
  // would keep waiting.
  for (const area of later) awaited.add(area);
}

/**
 * Loads the texts of the opened screens' lazy parts. Each part waits for all of them, because it
 * may use any.
 */
export async function loadLaterTexts(): Promise<void> {
  await Promise.all([...awaited].map((area) => loadArea(area).then(() => awaited.delete(area))));
}

/** Loads one area's texts, for components that open over any screen. */
export async function loadArea(area: Area): Promise<void> {
  const texts = (await fileOf(area)?.())?.[area];
  if (!texts) throw new Error(`No file has the texts of ${area}.`);
  addTexts(texts);
}
