import { t } from "../../../messages/t.ts";

const known = {
  steps: "run.progress.steps",
  tiles: "run.progress.tiles",
  sentences: "run.progress.sentences",
  layers: "run.progress.layers",
} as const;

/** "Step 19 of 28", with the run's unit. */
export function progressText({
  done,
  total,
  label,
}: {
  done: number;
  total: number;
  label?: string;
}): string {
  const id = Object.hasOwn(known, label ?? "")
    ? known[label as keyof typeof known]
    : "run.progress.steps";
  return t(id, { done, total });
}
