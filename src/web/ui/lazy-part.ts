import { type ComponentType, lazy } from "react";
import { loadArea } from "../messages/areas.ts";
import type { Area } from "../messages/t.ts";

/** A part whose code comes when it is first drawn, with the areas of texts that it brings along. */
// biome-ignore lint/suspicious/noExplicitAny: any component, with whatever props it has
export const lazyPart = <Component extends ComponentType<any>>(
  load: () => Promise<Component>,
  ...areas: readonly Area[]
) =>
  lazy(async () => {
    const [component] = await Promise.all([load(), ...areas.map(loadArea)]);
    return { default: component };
  });
