import type { ComponentType } from "react";
import type { ScreenName } from "#contract/screens.ts";
import { loadOptional } from "./data/page/stale-page.ts";
import { loadLaterTexts, loadTexts } from "./messages/areas.ts";

/** The texts of parts that come with a first use are there before it, as a rule. */
const laterAfterMs = 1_500;

type ScreenModule = Record<string, ComponentType>;
const modules = import.meta.glob<ScreenModule>("./screens/*/*-screen.tsx");

/** By the name of the file: screens that one comes through, such as login and set-up, share a folder. */
const loaders = new Map(
  Object.entries(modules).map(([path, load]) => [/([^/]+)-screen\.tsx$/.exec(path)?.[1], load]),
);

/** The export that a screen's file must have: "chat" is `ChatScreen`. */
export const screenExport = (name: ScreenName): string =>
  `${name[0]?.toUpperCase()}${name.slice(1)}Screen`;

/** Loads a screen's chunk and, beside it, its texts. */
export async function loadScreen(name: ScreenName): Promise<ScreenModule> {
  const load = loaders.get(name);
  if (!load) throw new Error(`The screen ${name} has no code.`);
  const [module] = await Promise.all([load(), loadTexts(name)]);
  setTimeout(() => void loadOptional(loadLaterTexts), laterAfterMs);
  return module;
}
