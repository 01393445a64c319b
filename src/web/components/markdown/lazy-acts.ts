import { lazyPart } from "../../ui/lazy-part.ts";

const load = () => import("./block-acts.tsx");

/** Wrap and download of code, loaded with the first block that is whole. */
export const CodeActs = lazyPart(() => load().then(({ CodeActs }) => CodeActs), "blocks");
/** Copy and download of a table. */
export const TableActs = lazyPart(() => load().then(({ TableActs }) => TableActs), "blocks");
