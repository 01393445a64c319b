import { lazy } from "react";
import { loadArea } from "../../../messages/areas.ts";

/** The shape of answers comes at its first use, with its texts. */
export const ShapeForm = lazy(async () => {
  const [{ ShapeForm }] = await Promise.all([import("./shape-form.tsx"), loadArea("shape")]);
  return { default: ShapeForm };
});
export const ShapedAnswer = lazy(async () => {
  const [{ ShapedAnswer }] = await Promise.all([import("./shaped-answer.tsx"), loadArea("shape")]);
  return { default: ShapedAnswer };
});
