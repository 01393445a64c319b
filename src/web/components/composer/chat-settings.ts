import type { ModelDetail } from "#contract/entities.ts";

/** The settings of a turn, in the form of the contract's `chatSettings`. */
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
 * The conversation's settings that this model supports. Other models' settings stay with the
 * conversation, but a model refuses unknown fields.
 */
export function settingsFor(
  inputSchema: ModelDetail["inputSchema"] | undefined,
  settings: Record<string, unknown>,
): ChatSettings {
  const known = new Set(propertiesOf(inputSchema));
  // The output limit is Bottega's own setting and is always sent, whatever the schema contains.
  known.add("maxOutputTokens");
  const chosen = Object.entries(settings).filter(
    ([name, value]) => known.has(name) && isValue(value) && value !== "",
  );
  return Object.fromEntries(chosen) as ChatSettings;
}
