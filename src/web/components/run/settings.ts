import type { Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { promptOf } from "#domain/schemas/input-schema.ts";
import { humanize, nameValue } from "../schema-form/schema-names.ts";

/** Shown elsewhere, or not useful to a person. */
const left = new Set([
  "prompt",
  "text",
  "conversationId",
  "parentMessageId",
  "systemPrompt",
  "settings",
  "continueFrom",
  "turns",
  "tools",
  "toolChoice",
  "answerShape",
]);

const isFile = (value: unknown): boolean =>
  typeof value === "string"
    ? value.startsWith("asset:")
    : Array.isArray(value) && value.length > 0 && value.every(isFile);

/** A setting's value on one line: sizes as 512 × 384, lists with commas, the rest as JSON. */
export function settingValue(value: unknown): string {
  if (typeof value === "string") return value.includes("_") ? nameValue(value) : value;
  if (typeof value === "number" || typeof value === "boolean" || value === null)
    return String(value);
  if (Array.isArray(value)) return value.map(settingValue).join(", ");
  const { width, height, ...rest } = value as Record<string, unknown>;
  if (typeof width === "number" && typeof height === "number" && Object.keys(rest).length === 0)
    return `${width} × ${height}`;
  return JSON.stringify(value);
}

/** A run's settings without its prompt and files, as readable names and values. */
export function listSettings(input: Run["input"]): [name: string, value: string][] {
  const chat =
    typeof input.settings === "object" && input.settings !== null
      ? Object.entries(input.settings)
      : [];
  const prompt = promptOf(input as JsonObject);
  return [...Object.entries(input), ...chat].flatMap(([name, value]): [string, string][] =>
    left.has(name) || isFile(value) || value === undefined || value === prompt
      ? []
      : [[humanize(name), settingValue(value)]],
  );
}
