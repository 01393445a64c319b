import { lazyPart } from "../../../ui/lazy-part.ts";

const load = () => import("./answer-columns.tsx");

/** Several answers side by side, with their texts. */
export const AnswerColumns = lazyPart(
  () => load().then(({ AnswerColumns }) => AnswerColumns),
  "answers",
);
