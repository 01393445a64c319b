import { arches } from "./arches.ts";
import { flow } from "./flow.ts";
import { hills } from "./hills.ts";
import type { Kind } from "./kind.ts";
import { sea } from "./sea.ts";

export const kinds = { hills, arches, flow, sea } as const satisfies Record<string, Kind>;

export type KindName = keyof typeof kinds;
export const kindNames = Object.keys(kinds) as [KindName, ...KindName[]];

/** Kinds of version 0.1. Saved inputs may still name them; the prompt chooses the kind instead. */
export const removedKinds = ["cuts", "plant"] as const;
