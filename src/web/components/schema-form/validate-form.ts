import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { type Fault, findFaults } from "#domain/schemas/bounded-validate.ts";
import { withRequiredDefaults } from "#domain/schemas/input-schema.ts";
import { follow } from "#domain/schemas/resolve-schema.ts";
import { t } from "../../messages/t.ts";

/** Error messages by path: "image_size.width", "loras.0.path". */
export type FormErrors = Readonly<Record<string, string>>;

/** Keywords that only report an error further below. */
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

/** The keyword's value, read at its location. Each $ref on the way is followed. */
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

/** The name of a property missing for `required` appears only in the sentence. */
const missingName = ({ error }: Fault): string | undefined => /"([^"]+)"/.exec(error)?.[1];

/**
 * Validates a value against the model's schema without eval, because ajv's compiled code is refused
 * by the page's CSP. Only the first of several errors at a path is reported; a value that fits none
 * of several types gets that message. Schemas too slow to check here are left to the server, which
 * refuses with a sentence.
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

/**
 * Reports an out-of-range number as too large instead of as fitting no type in "a number or null".
 */
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
