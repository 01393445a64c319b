import type { ModelRef } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { isRecord, type Slot } from "../../data/kept/kept.ts";

/** What was chosen and typed in a project: the model, and the values of each model that was drawn with. */
export type DrawDraft = { model: ModelRef | null; values: Record<string, JsonObject> };

export const drawSettings: Slot<DrawDraft> = {
  kind: "draft",
  name: "draw",
  version: 1,
  empty: { model: null, values: {} },
  parse: (saved) => (isRecord(saved) && isRecord(saved.values) ? (saved as DrawDraft) : null),
};
