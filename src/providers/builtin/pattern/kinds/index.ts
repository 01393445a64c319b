import { arches } from "./arches.ts";
import { cuts } from "./cuts.ts";
import { flow } from "./flow.ts";
import { hills } from "./hills.ts";
import type { Kind } from "./kind.ts";
import { plant } from "./plant.ts";
import { sea } from "./sea.ts";

export const kinds = { hills, arches, cuts, flow, plant, sea } as const satisfies Record<
  string,
  Kind
>;

export type KindName = keyof typeof kinds;
export const kindNames = Object.keys(kinds) as [KindName, ...KindName[]];
