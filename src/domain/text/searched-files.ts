import { officeTypes } from "#contract/filters/provider-tools.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { propertiesOf } from "../schemas/input-schema.ts";

/**
 * File types that OpenAI's file search supports, by our MIME type, with the extensions it accepts
 * for each; the first is the default
 * (https://platform.openai.com/docs/assistants/tools/file-search/supported-files). Tables aren't
 * supported and stay in the question.
 */
const endings: Readonly<Record<string, readonly [string, ...string[]]>> = {
  "application/pdf": ["pdf"],
  ...Object.fromEntries(Object.entries(officeTypes).map(([mime, ending]) => [mime, [ending]])),
  "application/json": ["json"],
  "text/html": ["html"],
  "text/markdown": ["md"],
  // Source code is stored as plain text.
  "text/plain": [
    ...(["txt", "c", "cpp", "cs", "css", "go", "java", "js", "md", "php", "py"] as const),
    ...(["rb", "sh", "tex", "ts"] as const),
  ],
};

const endingsOf = (mime: string): readonly string[] | undefined =>
  Object.hasOwn(endings, mime) ? endings[mime] : undefined;

const isDocument = ({ mime }: { mime: string }): boolean => endingsOf(mime) !== undefined;

/** Whether an answer searches documents at its provider. Background answers can't. */
const searches = (inputSchema: JsonSchema | null, settings: JsonObject): boolean =>
  settings.fileSearch === true &&
  settings.background !== true &&
  "fileSearch" in propertiesOf(inputSchema);

/** Tells whether a file is searched for an answer instead of being sent with the question. */
export const isSearchedFor =
  ({ inputSchema }: { inputSchema: JsonSchema | null }, settings: JsonObject) =>
  (file: { mime: string }): boolean =>
    searches(inputSchema, settings) && isDocument(file);

const nameCharacters = 150;

/** The name a document is uploaded under. Its extension tells OpenAI the type. */
export function searchedName({ name, mime }: { name: string; mime: string }): string {
  const [given, ...others] = endingsOf(mime) ?? ["txt"];
  const cleaned = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]+/gu, " ").trim();
  const ending = /\.([A-Za-z0-9]{1,8})$/.exec(cleaned)?.[1]?.toLowerCase() ?? "";
  const isRight = [given, ...others].includes(ending);
  const stem = isRight ? cleaned.slice(0, -ending.length - 1) : cleaned;
  const short = [...stem].slice(0, nameCharacters).join("").trim() || "document";
  return `${short}.${isRight ? ending : given}`;
}
