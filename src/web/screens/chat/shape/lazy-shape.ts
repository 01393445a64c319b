import { lazyPart } from "../../../ui/lazy-part.ts";

/** The shape of answers comes at its first use, with its texts. */
export const ShapeForm = lazyPart(
  () => import("./shape-form.tsx").then(({ ShapeForm }) => ShapeForm),
  "shape",
);
export const ShapedAnswer = lazyPart(
  () => import("./shaped-answer.tsx").then(({ ShapedAnswer }) => ShapedAnswer),
  "shape",
);
