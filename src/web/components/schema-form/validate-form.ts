import { Validator } from "@cfworker/json-schema";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { withRequiredDefaults } from "#domain/input-schema.ts";
import { t } from "../../messages/t.ts";
import { follow } from "./resolve-schema.ts";

/** What is wrong, by where: "image_size.width", "loras.0.path". */
export type FormErrors = Readonly<Record<string, string>>;

type Finding = { keyword: string; instanceLocation: string; keywordLocation: string; error: string };

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
function limitOf(schema: JsonSchema, { keywordLocation }: Finding): string | number {
  let found: unknown = schema;
  for (const key of toPath(keywordLocation).split(".")) {
    found = typeof found === "object" && found !== null ? (found as Record<string, unknown>)[key] : undefined;
    if (key === "$ref" && typeof found === "string") found = follow(schema, found);
  }
  return typeof found === "number" || typeof found === "string" ? found : "";
}

function say(schema: JsonSchema, finding: Finding): string {
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
const missingName = ({ error }: Finding): string | undefined => /"([^"]+)"/.exec(error)?.[1];

/**
 * Checks a value against the model's schema, without eval (ajv compiles, which the page's policy refuses). Of several faults at
 * one place the first is told; of a value that fits none of several kinds, that it is none of them.
 */
export function validateForm(schema: JsonSchema, value: JsonObject): FormErrors {
  const draft = String(schema.$schema ?? "").includes("draft-07") ? "7" : "2020-12";
  const { valid, errors } = new Validator(schema, draft, false).validate(withRequiredDefaults(schema, value));
  if (valid) return {};
  const found: Record<string, string> = {};
  const isInChoice = ({ keywordLocation }: Finding) => /\/(?:anyOf|oneOf)\//.test(keywordLocation);
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
function sayOfChoice(schema: JsonSchema, choice: Finding, errors: readonly Finding[]): string {
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
