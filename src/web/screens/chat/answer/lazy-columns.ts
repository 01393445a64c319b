import { lazyPart } from "../../../ui/lazy-part.ts";

const load = () => import("./answer-columns.tsx");

/** Side-by-side answers with their texts, loaded together. */
export const AnswerColumns = lazyPart(
  () => load().then(({ AnswerColumns }) => AnswerColumns),
  "answers",
);
