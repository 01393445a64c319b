import type { ModelDetail } from "#contract/entities.ts";

/** What a turn may set, as the contract's `chatSettings` takes it. */
type SettingValue = string | number | boolean | string[];
export type ChatSettings = Record<string, SettingValue>;

const isValue = (value: unknown): value is SettingValue =>
  ["string", "number", "boolean"].includes(typeof value) ||
  (Array.isArray(value) && value.every((entry) => typeof entry === "string"));

export function propertiesOf(inputSchema: ModelDetail["inputSchema"] | undefined): string[] {
  const properties = inputSchema?.properties;
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}

/**
 * The conversation's settings that this model knows. What another model was set to stays with the conversation, but a model
 * refuses fields that are not its own.
 */
export function settingsFor(
  inputSchema: ModelDetail["inputSchema"] | undefined,
  settings: Record<string, unknown>,
): ChatSettings {
  const known = new Set(propertiesOf(inputSchema));
  // The longest answer is ours and always sent, whatever the schema says of it.
  known.add("maxOutputTokens");
  const chosen = Object.entries(settings).filter(
    ([name, value]) => known.has(name) && isValue(value) && value !== "",
  );
  return Object.fromEntries(chosen) as ChatSettings;
}
