import { lazyPart } from "../../../ui/lazy-part.ts";

/** Diagrams, drawn in a separate frame; their code loads with the first diagram. */
export const DiagramBlock = lazyPart(
  () => import("./diagram-block.tsx").then(({ DiagramBlock }) => DiagramBlock),
  "blocks",
);
