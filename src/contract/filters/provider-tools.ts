import type { Unit } from "../units.ts";

/**
 * Tools that a provider runs itself within an answer, by the setting that allows each: what one use is priced by, and under which name
 * uses are counted.
 */
export const providerTools = {
  webSearch: { unit: "web search", counted: "web searches" },
  codeInterpreter: { unit: "code session", counted: "code sessions" },
  imageTool: { unit: "tool picture", counted: "tool pictures" },
} as const satisfies Record<string, { unit: Unit; counted: string }>;

export type ProviderTool = keyof typeof providerTools;
export type CountedUse = (typeof providerTools)[ProviderTool]["counted"];

/** Those that an answer's settings allow. */
export const allowedTools = (settings: Readonly<Record<string, unknown>>): ProviderTool[] =>
  (Object.keys(providerTools) as ProviderTool[]).filter((name) => settings[name] === true);
