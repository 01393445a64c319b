import { type ComponentType, lazy } from "react";
import { loadArea, loadLaterTexts } from "../messages/areas.ts";
import type { Area } from "../messages/t.ts";

// biome-ignore lint/suspicious/noExplicitAny: any component, with whatever props it has
type Any = ComponentType<any>;

/** A part whose code comes when it is first drawn, with the areas of texts that it brings along, and those of its screen. */
export const lazyPart = <Component extends Any>(
  load: () => Promise<Component>,
  ...areas: readonly Area[]
) =>
  lazy(async () => {
    const [component] = await Promise.all([load(), loadLaterTexts(), ...areas.map(loadArea)]);
    return { default: component };
  });

/**
 * The same of a part that most first views have, and of what any screen opens: it says only what its screen says at first, and
 * what it brings, and waits for nothing else.
 */
export const firstPart = <Component extends Any>(
  load: () => Promise<Component>,
  ...areas: readonly Area[]
) =>
  lazy(async () => {
    const [component] = await Promise.all([load(), ...areas.map(loadArea)]);
    return { default: component };
  });
