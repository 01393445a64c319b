import type { ComponentType } from "react";
import type { ScreenName } from "#contract/screens.ts";
import { loadTexts } from "./messages/areas.ts";

type ScreenModule = Record<string, ComponentType>;
const modules = import.meta.glob<ScreenModule>("./screens/*/*-screen.tsx");

const fileOf = (name: ScreenName) => `./screens/${name}/${name}-screen.tsx`;

/** The export that a screen's file must have: "chat" is `ChatScreen`. */
export const screenExport = (name: ScreenName): string =>
  `${name[0]?.toUpperCase()}${name.slice(1)}Screen`;

/** Loads a screen's chunk and, beside it, its texts. */
export async function loadScreen(name: ScreenName): Promise<ScreenModule> {
  const load = modules[fileOf(name)];
  if (!load) throw new Error(`The screen ${name} has no code.`);
  const [module] = await Promise.all([load(), loadTexts(name)]);
  return module;
}
