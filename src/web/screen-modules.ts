import type { ComponentType } from "react";
import type { ScreenName } from "#contract/screens.ts";
import { loadOptional } from "./data/page/stale-page.ts";
import { loadLaterTexts, loadTexts } from "./messages/areas.ts";

/** Preloads the texts of lazy parts, so that they are usually ready at first use. */
const laterAfterMs = 1_500;

type ScreenModule = Record<string, ComponentType>;
const modules = import.meta.glob<ScreenModule>("./screens/*/*-screen.tsx");

/** By file name, because screens loaded together, such as login and setup, share a folder. */
const loaders = new Map(
  Object.entries(modules).map(([path, load]) => [/([^/]+)-screen\.tsx$/.exec(path)?.[1], load]),
);

/** The export that a screen's file must have: "chat" is `ChatScreen`. */
export const screenExport = (name: ScreenName): string =>
  `${name[0]?.toUpperCase()}${name.slice(1)}Screen`;

/** Loads a screen's chunk and its texts in parallel. */
export async function loadScreen(name: ScreenName): Promise<ScreenModule> {
  const load = loaders.get(name);
  if (!load) throw new Error(`The screen ${name} has no code.`);
  const [module] = await Promise.all([load(), loadTexts(name)]);
  setTimeout(() => void loadOptional(loadLaterTexts), laterAfterMs);
  return module;
}
