import type { Unit } from "../units.ts";

/**
 * Tools that a provider runs itself during an answer, by the setting that allows each: the unit of
 * its price, and the name under which uses are counted. Tools that make files, here or at the
 * provider, aren't available in a temporary chat, which saves none.
 */
export const providerTools = {
  webSearch: { unit: "web search", counted: "web searches", makesFiles: false },
  fileSearch: { unit: "file search", counted: "file searches", makesFiles: true },
  codeInterpreter: { unit: "code session", counted: "code sessions", makesFiles: true },
  imageTool: { unit: "tool picture", counted: "tool pictures", makesFiles: true },
} as const satisfies Record<string, { unit: Unit; counted: string; makesFiles: boolean }>;

export type ProviderTool = keyof typeof providerTools;
export type CountedUse = (typeof providerTools)[ProviderTool]["counted"];

const toolUnits: ReadonlySet<string> = new Set(
  Object.values(providerTools).map(({ unit }) => unit),
);
/** Whether this is the price of a tool use, charged in addition to the model's own work. */
export const isToolPrice = ({ unit }: { unit: string }): boolean => toolUnits.has(unit);

/** Office documents. Chat models can't read them directly, but a provider's file search can. */
export const officeTypes: Readonly<Record<string, "docx" | "pptx">> = {
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
};

/** The tools that an answer's settings allow. */
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
