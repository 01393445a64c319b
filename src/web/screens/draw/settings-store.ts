import type { ModelRef } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";

/** What was chosen and typed, kept on the device by project: the model, and the values of each model that was drawn with. */
export type DrawDraft = { model: ModelRef | null; values: Record<string, JsonObject> };

const keyOf = (projectId: string): string => `bottega:draw:${projectId}`;
const nothing: DrawDraft = { model: null, values: {} };
export const pathOf = ({ connectionId, modelId }: ModelRef): string => `${connectionId}/${modelId}`;

export function readSettings(projectId: string): DrawDraft {
  try {
    const stored = JSON.parse(localStorage.getItem(keyOf(projectId)) ?? "null") as DrawDraft | null;
    return stored && typeof stored.values === "object" ? stored : nothing;
  } catch {
    return nothing;
  }
}

export function writeSettings(projectId: string, draft: DrawDraft): void {
  try {
    localStorage.setItem(keyOf(projectId), JSON.stringify(draft));
  } catch {
    // A full store: the settings live as long as the page.
  }
}
