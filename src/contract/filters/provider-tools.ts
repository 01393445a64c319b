import type { Unit } from "../units.ts";

/**
 * Tools that a provider runs itself within an answer, by the setting that allows each: what one use is priced by, and under which name
 * uses are counted. What makes files is not for a temporary chat, which leaves none.
 */
export const providerTools = {
  webSearch: { unit: "web search", counted: "web searches", makesFiles: false },
  codeInterpreter: { unit: "code session", counted: "code sessions", makesFiles: true },
  imageTool: { unit: "tool picture", counted: "tool pictures", makesFiles: true },
} as const satisfies Record<string, { unit: Unit; counted: string; makesFiles: boolean }>;

export type ProviderTool = keyof typeof providerTools;
export type CountedUse = (typeof providerTools)[ProviderTool]["counted"];

const toolUnits: ReadonlySet<string> = new Set(
  Object.values(providerTools).map(({ unit }) => unit),
);
/** What one use of a tool costs, beside what the model's own work costs. */
export const isToolPrice = ({ unit }: { unit: string }): boolean => toolUnits.has(unit);

/** Those that an answer's settings allow. */
export const allowedTools = (settings: Readonly<Record<string, unknown>>): ProviderTool[] =>
  (Object.keys(providerTools) as ProviderTool[]).filter((name) => settings[name] === true);

/** Settings without the tools that make files. */
export const withoutFileTools = <Value>(
  settings: Readonly<Record<string, Value>>,
): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(settings).filter(
      ([name]) => !(name in providerTools && providerTools[name as ProviderTool].makesFiles),
    ),
  );
