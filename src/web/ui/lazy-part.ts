import { type ComponentType, lazy } from "react";
import { loadArea, loadLaterTexts } from "../messages/areas.ts";
import type { Area } from "../messages/t.ts";

// biome-ignore lint/suspicious/noExplicitAny: any component, with whatever props it has
type Any = ComponentType<any>;

/** A lazily loaded component, which loads with its own areas of texts and those of its screen. */
export const lazyPart = <Component extends Any>(
  load: () => Promise<Component>,
  ...areas: readonly Area[]
) =>
  lazy(async () => {
    const [component] = await Promise.all([load(), loadLaterTexts(), ...areas.map(loadArea)]);
    return { default: component };
  });

/**
 * A lazily loaded component that most first views contain, or that opens over any screen. It uses
 * only its screen's first texts and its own, and waits for no others.
 */
export const firstPart = <Component extends Any>(
  load: () => Promise<Component>,
  ...areas: readonly Area[]
) =>
  lazy(async () => {
    const [component] = await Promise.all([load(), ...areas.map(loadArea)]);
    return { default: component };
  });
