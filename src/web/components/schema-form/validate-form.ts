import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { type Fault, findFaults } from "#domain/schemas/bounded-validate.ts";
import { withRequiredDefaults } from "#domain/schemas/input-schema.ts";
import { follow } from "#domain/schemas/resolve-schema.ts";
import { t } from "../../messages/t.ts";

/** What is wrong, by where: "image_size.width", "loras.0.path". */
export type FormErrors = Readonly<Record<string, string>>;

/** Keywords that only say that something below them is wrong. */
const outer = new Set([
  "properties",
  "items",
  "prefixItems",
  "$ref",
  "allOf",
  "anyOf",
  "oneOf",
  "additionalProperties",
  "if",
  "then",
  "else",
]);

const toPath = (location: string): string =>
  location
    .replace(/^#\/?/, "")
    .split("/")
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"))
    .join(".");

/** The keyword's own value, at the end of its location; a location goes on behind each $ref it passes. */
function limitOf(schema: JsonSchema, { keywordLocation }: Fault): string | number {
  let found: unknown = schema;
  for (const key of toPath(keywordLocation).split(".")) {
    found =
      typeof found === "object" && found !== null
        ? (found as Record<string, unknown>)[key]
        : undefined;
    if (key === "$ref" && typeof found === "string") found = follow(schema, found);
  }
  return typeof found === "number" || typeof found === "string" ? found : "";
}

function say(schema: JsonSchema, finding: Fault): string {
  const limit = limitOf(schema, finding);
  switch (finding.keyword) {
    case "required":
      return t("form.error.required");
    case "type":
      return t(/integer/.test(finding.error) ? "form.error.integer" : "form.error.type");
    case "minimum":
    case "exclusiveMinimum":
      return t("form.error.minimum", { limit });
    case "maximum":
    case "exclusiveMaximum":
      return t("form.error.maximum", { limit });
    case "multipleOf":
      return t("form.error.step", { limit });
    case "minLength":
      return t("form.error.minLength", { limit });
    case "maxLength":
      return t("form.error.maxLength", { limit });
    case "minItems":
      return t("form.error.minItems", { limit });
    case "maxItems":
      return t("form.error.maxItems", { limit });
    case "enum":
    case "const":
      return t("form.error.choice");
    case "pattern":
    case "format":
      return t("form.error.pattern");
    default:
      return t("form.error.other");
  }
}

/** The property that `required` misses stands only in the sentence. */
const missingName = ({ error }: Fault): string | undefined => /"([^"]+)"/.exec(error)?.[1];

/**
 * Checks a value against the model's schema, without eval (ajv compiles, which the page's policy refuses). Of several faults at
 * one place the first is told; of a value that fits none of several kinds, that it is none of them. What would hold up the page is left
 * to the server, which refuses it in a sentence.
 */
export function validateForm(schema: JsonSchema, value: JsonObject): FormErrors {
  const errors = findFaults(schema, withRequiredDefaults(schema, value)) ?? [];
  const found: Record<string, string> = {};
  const isInChoice = ({ keywordLocation }: Fault) => /\/(?:anyOf|oneOf)\//.test(keywordLocation);
  for (const finding of errors) {
    const isChoice = finding.keyword === "anyOf" || finding.keyword === "oneOf";
    if ((outer.has(finding.keyword) && !isChoice) || (isInChoice(finding) && !isChoice)) continue;
    const path = toPath(finding.instanceLocation);
    const missing = finding.keyword === "required" ? missingName(finding) : undefined;
    const place = missing ? [path, missing].filter(Boolean).join(".") : path;
    found[place] ??= isChoice ? sayOfChoice(schema, finding, errors) : say(schema, finding);
  }
  return found;
}

/** A number too large for "a number or nothing" is told as too large, not as fitting neither. */
function sayOfChoice(schema: JsonSchema, choice: Fault, errors: readonly Fault[]): string {
  const below = errors.filter(
    ({ keywordLocation, instanceLocation, keyword }) =>
      keywordLocation.startsWith(`${choice.keywordLocation}/`) &&
      instanceLocation === choice.instanceLocation &&
      !outer.has(keyword) &&
      keyword !== "type",
  );
  const [only, ...more] = below;
  return only && more.length === 0 ? say(schema, only) : t("form.error.other");
}
