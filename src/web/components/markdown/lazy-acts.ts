import { lazyPart } from "../../ui/lazy-part.ts";

const load = () => import("./block-acts.tsx");

/** The wrap and download buttons for code, loaded with the first complete block. */
export const CodeActs = lazyPart(() => load().then(({ CodeActs }) => CodeActs), "blocks");
/** The copy and download buttons for a table. */
export const TableActs = lazyPart(() => load().then(({ TableActs }) => TableActs), "blocks");
