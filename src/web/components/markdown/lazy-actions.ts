import { lazyPart } from "../../ui/lazy-part.ts";

const load = () => import("./block-actions.tsx");

/** The wrap and download buttons for code, loaded with the first complete block. */
export const CodeActions = lazyPart(() => load().then(({ CodeActions }) => CodeActions), "blocks");
/** The copy and download buttons for a table. */
export const TableActions = lazyPart(
  () => load().then(({ TableActions }) => TableActions),
  "blocks",
);
