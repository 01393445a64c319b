import type { ModelRef } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { isRecord, type Slot } from "../../data/saved/saved-entries.ts";

/** A project's draft: the model, and the values for each model. */
export type DrawDraft = { model: ModelRef | null; values: Record<string, JsonObject> };

export const drawSettings: Slot<DrawDraft> = {
  kind: "draft",
  name: "draw",
  version: 1,
  empty: { model: null, values: {} },
  parse: (saved) => (isRecord(saved) && isRecord(saved.values) ? (saved as DrawDraft) : null),
};
