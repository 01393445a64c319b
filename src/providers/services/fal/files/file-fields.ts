import type { JsonSchema } from "#contract/json.ts";
import { isRecord } from "../../../wire/error-fields.ts";

type FileKind = "image" | "video" | "audio" | "file";

/** URLs that aren't a person's files: callbacks and pages. */
const notFiles = /(^|_)(webhook|callback|website|page|redirect|base|api)_url$/;

/**
 * Adds `x-file: image|video|audio|file` to every string for a file's URL: those with `format: uri`,
 * and those of fields named `url`, `..._url` or `..._urls`, at any depth. In lists and choices it
 * is added to the string itself.
 */
export function markFileFields(schema: JsonSchema): void {
  mark(schema, { path: [], named: false, description: "" });
}

/**
 * `named` and `description` come from the field around a list or choice, because the string itself
 * lacks them.
 */
function mark(
  node: unknown,
  around: { path: readonly string[]; named: boolean; description: string },
): void {
  if (!isRecord(node)) return;
  const { path } = around;
  const name = path.at(-1) ?? "";
  const named = !notFiles.test(name) && (around.named || /(^|_)urls?$/.test(name));
  const description = typeof node.description === "string" ? node.description : around.description;
  const isFree = !node.enum && node.const === undefined && !notFiles.test(name);
  if (takesString(node) && isFree && (named || node.format === "uri"))
    node["x-file"] = kindOf(path, description);
  for (const choices of [node.anyOf, node.oneOf, node.allOf]) {
    if (Array.isArray(choices))
      for (const choice of choices) mark(choice, { path, named, description });
  }
  mark(node.items, { path, named, description });
  for (const group of [node.properties, node.$defs]) {
    if (!isRecord(group)) continue;
    for (const [key, inner] of Object.entries(group))
      mark(inner, { path: [...path, key], named: false, description: "" });
  }
}

const takesString = (node: Record<string, unknown>) =>
  node.type === "string" || (Array.isArray(node.type) && node.type.includes("string"));

const words: readonly [FileKind, RegExp][] = [
  ["file", /(^|_)(data|archive|zip|lora|lut|config)_urls?$|archive|zip/],
  ["video", /video|clip|footage/],
  ["audio", /audio|voice|speech|music|song|sound/],
  [
    "image",
    /image|img|mask|frame|photo|picture|portrait|logo|sketch|face|pose|depth|canny|garment/,
  ],
];

/** Decided by the field's name, else the enclosing field's, else the description. */
function kindOf(path: readonly string[], description: string): FileKind {
  const name = path.at(-1) ?? "";
  if (/\bzip\b|archive/i.test(description)) return "file";
  for (const text of [name, path.at(-2) ?? "", description.toLowerCase()]) {
    const found = words.find(([, word]) => word.test(text));
    if (found) return found[0];
  }
  return "file";
}
