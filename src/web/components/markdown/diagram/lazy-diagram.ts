import { lazyPart } from "../../../ui/lazy-part.ts";

/** Diagrams, drawn in a frame of their own, whose code comes with the first. */
export const DiagramBlock = lazyPart(
  () => import("./diagram-block.tsx").then(({ DiagramBlock }) => DiagramBlock),
  "blocks",
);
