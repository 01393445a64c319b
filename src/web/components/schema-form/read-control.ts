import type { Json, JsonSchema } from "#contract/json.ts";
import { ratioOf } from "#domain/files/picture-shape.ts";
import {
  isSchema,
  type LocatedSchema,
  resolveSchema,
  splitNull,
} from "#domain/schemas/resolve-schema.ts";
import type { Bounds, ChoiceOption, Control, FileKind, FormField, Variant } from "./form-model.ts";
import { humanize, nameFile, nameValue } from "./schema-names.ts";

const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** A slider with more steps is too fine to set by hand. */
const maxSliderSteps = 1_000;
/** The limits of a segmented control in a form 316 px wide. */
const maxSegments = 4;
const segmentedCharacters = 30;
export const fitsSegments = (options: readonly { label: string }[]): boolean =>
  options.length <= maxSegments &&
  options.reduce((sum, { label }) => sum + label.length, 0) <= segmentedCharacters;

/**
 * A value's kind of control. `name` helps if the schema has few facts: "prompt" is long, "seed" can
 * be random.
 */
function readControl(root: JsonSchema, at: LocatedSchema, name: string): Control {
  const found = resolveSchema(root, at);
  if (!found) return { kind: "json" };
  // Saved inputs may still contain a deprecated value, but it isn't offered.
  const choices = splitNull(found.schema).choices.filter(({ deprecated }) => deprecated !== true);
  const [only, ...more] = choices;
  if (!only) return { kind: "json" };
  if (more.length > 0) return readChoices(root, choices, found.trail, name);
  // Title and default are next to anyOf, the other facts inside it.
  const inner =
    only === found.schema ? found : resolveSchema(root, { schema: only, trail: found.trail });
  return inner ? readPlain(root, inner, name) : { kind: "json" };
}

function readPlain(root: JsonSchema, at: LocatedSchema, name: string): Control {
  const { schema } = at;
  const file = fileKind(schema);
  if (file) return { kind: "file", accepts: file };
  if (Array.isArray(schema.enum)) return readEnum(schema.enum as Json[]);
  if (schema.const !== undefined) return readEnum([schema.const as Json]);
  if (schema.anyOf !== undefined || schema.oneOf !== undefined) return readControl(root, at, name);
  switch (schema.type) {
    case "boolean":
      return { kind: "switch" };
    case "string":
      return readText(schema, name);
    case "integer":
    case "number":
      return readNumber(schema, name);
    case "array":
      return readArray(root, at, name);
    case "object":
      return readObject(root, at);
    default:
      return isSchema(schema.properties) ? readObject(root, at) : { kind: "json" };
  }
}

function fileKind(schema: JsonSchema): FileKind | null {
  const declared = schema["x-file"];
  return declared === "image" || declared === "video" || declared === "audio" || declared === "file"
    ? declared
    : null;
}

function readText(schema: JsonSchema, name: string): Control {
  if (
    schema.format === "color" ||
    (/colou?r/i.test(name) && String(schema.default ?? schema.pattern ?? "").includes("#"))
  )
    return { kind: "color", shape: "hex" };
  const maxLength = numberOf(schema.maxLength);
  const [example] = Array.isArray(schema.examples) ? schema.examples : [];
  const isLong =
    /prompt|text|lyrics|description|caption|instruction|script/i.test(name) ||
    (maxLength ?? 0) > 300;
  return {
    kind: "text",
    isLong,
    minLength: numberOf(schema.minLength),
    maxLength,
    example: textOf(example),
  };
}

function readNumber(schema: JsonSchema, name: string): Control {
  const isInteger = schema.type === "integer";
  const tiny = isInteger ? 1 : 0;
  const above = numberOf(schema.exclusiveMinimum);
  const below = numberOf(schema.exclusiveMaximum);
  const min = numberOf(schema.minimum) ?? (above === undefined ? undefined : above + tiny);
  const max = numberOf(schema.maximum) ?? (below === undefined ? undefined : below - tiny);
  if (isInteger && /(^|_)seed$/i.test(name)) return { kind: "seed", min, max };
  const step = numberOf(schema.multipleOf) ?? (isInteger ? 1 : niceStep(min, max));
  const isSlider =
    min !== undefined &&
    max !== undefined &&
    max > min &&
    (max - min) / (step ?? 1) <= maxSliderSteps;
  return { kind: "number", isInteger, isSlider, min, max, step };
}

/** A step of 1, 0.1, 0.01 and so on that divides the span into about a hundred. */
function niceStep(min: number | undefined, max: number | undefined): number | undefined {
  if (min === undefined || max === undefined || max <= min) return undefined;
  return Math.min(1, 10 ** Math.floor(Math.log10((max - min) / 50)));
}

/** `titles` are the choices' names, if they have any. */
function readEnum(values: readonly Json[], titles: readonly (string | undefined)[] = []): Control {
  const options: ChoiceOption[] = values
    .map((value, index) => ({
      value,
      label: titles[index] ?? nameValue(value),
      ratio: ratioOf(value),
    }))
    .filter(({ value }) => value !== null);
  if (
    options.length > 2 &&
    options.filter(({ ratio }) => ratio !== undefined).length >= options.length - 1
  )
    return { kind: "choice", options, look: "shapes" };
  return { kind: "choice", options, look: fitsSegments(options) ? "segmented" : "list" };
}

function readArray(root: JsonSchema, at: LocatedSchema, name: string): Control {
  const { schema, trail } = at;
  if (!isSchema(schema.items)) return { kind: "json" };
  const most = numberOf(schema.maxItems) ?? Number.POSITIVE_INFINITY;
  const least = numberOf(schema.minItems) ?? 0;
  const located = { schema: schema.items, trail };
  const item = readControl(root, located, name.replace(/s$/, ""));
  if (item.kind === "file") return { kind: "files", accepts: item.accepts, most };
  if (item.kind === "choice" && schema.uniqueItems === true)
    return { kind: "checks", options: item.options };
  if (item.kind === "json") return { kind: "json" };
  return { kind: "list", item, start: startOf(root, located), least, most };
}

function readObject(root: JsonSchema, at: LocatedSchema): Control {
  const properties = isSchema(at.schema.properties) ? at.schema.properties : {};
  const names = Object.keys(properties);
  if (names.length === 0) return { kind: "json" };
  if (names.length === 3 && ["r", "g", "b"].every((name) => names.includes(name)))
    return { kind: "color", shape: "rgb" };
  const fields = readFields(root, at);
  // A recursive part becomes JSON, not the whole form.
  return fields.length > 0 ? { kind: "group", fields } : { kind: "json" };
}

const side = (schema: JsonSchema | undefined): Bounds => ({
  min: numberOf(schema?.minimum) ?? numberOf(schema?.exclusiveMinimum) ?? 1,
  max: numberOf(schema?.maximum) ?? 14_142,
  step: numberOf(schema?.multipleOf) ?? 1,
});

function readChoices(
  root: JsonSchema,
  choices: readonly JsonSchema[],
  trail: readonly string[],
  name: string,
): Control {
  const located = choices.map((schema) => resolveSchema(root, { schema, trail }));
  const known = located.filter((found) => found !== null);
  if (known.length < located.length) return { kind: "json" };
  const named = known.find(({ schema }) => Array.isArray(schema.enum));
  const measured = known.find(
    ({ schema }) =>
      isSchema(schema.properties) &&
      isSchema(schema.properties.width) &&
      isSchema(schema.properties.height),
  );
  if (known.length === 2 && named && measured) return readSize(named.schema, measured.schema);
  // [enum, string]: some values are named, but any other is allowed.
  if (known.every(({ schema }) => schema.const !== undefined))
    return readEnum(
      known.map(({ schema }) => schema.const as Json),
      known.map(({ schema }) => textOf(schema.title)),
    );
  const variants = known.map((found, index): Variant => {
    const control = readPlain(root, found, name);
    const label =
      textOf(found.schema.title) ??
      (textOf(found.schema.type) ? humanize(String(found.schema.type)) : String(index + 1));
    return {
      label: humanize(label),
      control,
      start: startOf(root, found),
      fits: fitsSchema(found.schema),
    };
  });
  return { kind: "variants", variants };
}

function readSize(named: JsonSchema, measured: JsonSchema): Control {
  const properties = measured.properties as Record<string, JsonSchema>;
  const presets = (named.enum as Json[]).map((value) => ({
    value,
    label: nameValue(value),
    ratio: ratioOf(value),
  }));
  return { kind: "size", presets, width: side(properties.width), height: side(properties.height) };
}

/** Whether a value has this type, as far as a form needs to select its variant. */
function fitsSchema(schema: JsonSchema): (value: Json) => boolean {
  if (Array.isArray(schema.enum)) return (value) => (schema.enum as Json[]).includes(value);
  const required = Array.isArray(schema.required)
    ? schema.required.filter((name) => typeof name === "string")
    : [];
  switch (schema.type) {
    case "integer":
      return (value) => Number.isInteger(value);
    case "array":
      return (value) => Array.isArray(value);
    case "object":
      return (value) => isSchema(value) && required.every((name) => Object.hasOwn(value, name));
    default:
      return (value) => typeof value === schema.type;
  }
}

/** The initial value of a new item or a selected variant. */
function startOf(root: JsonSchema, at: LocatedSchema): Json {
  const found = resolveSchema(root, at);
  if (!found) return null;
  const { schema, trail } = found;
  if (schema.default !== undefined) return schema.default as Json;
  if (Array.isArray(schema.enum)) return (schema.enum[0] ?? null) as Json;
  if (schema.const !== undefined) return schema.const as Json;
  const [first] = splitNull(schema).choices;
  if (first && first !== schema) return startOf(root, { schema: first, trail });
  switch (schema.type) {
    case "string":
      return "";
    case "boolean":
      return false;
    case "integer":
    case "number":
      return numberOf(schema.minimum) ?? 0;
    case "array":
      return [];
    default:
      return startOfObject(root, found);
  }
}

function startOfObject(root: JsonSchema, { schema, trail }: LocatedSchema): Json {
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const start: { [key: string]: Json } = {};
  for (const [name, property] of Object.entries(properties)) {
    if (required.includes(name) && isSchema(property))
      start[name] = startOf(root, { schema: property, trail });
  }
  return start;
}

/**
 * An object's fields in its author's order (`x-fal-order-properties`), then in the schema's order.
 */
export function readFields(root: JsonSchema, at: LocatedSchema): FormField[] {
  const found = resolveSchema(root, at);
  if (!found) return [];
  const { schema, trail } = found;
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const order = Array.isArray(schema["x-fal-order-properties"])
    ? schema["x-fal-order-properties"]
    : [];
  const names = [
    ...new Set([
      ...order.filter((name) => typeof name === "string" && Object.hasOwn(properties, name)),
      ...Object.keys(properties),
    ]),
  ];
  return names.flatMap((name): FormField[] => {
    const property = properties[name];
    if (!isSchema(property)) return [];
    const facts = resolveSchema(root, { schema: property, trail })?.schema ?? property;
    const control = readControl(root, { schema: property, trail }, name);
    const nameField = control.kind === "file" || control.kind === "files" ? nameFile : humanize;
    return [
      {
        name,
        label: nameField(textOf(facts.title) ?? name),
        hint: textOf(facts.description),
        isRequired: required.includes(name),
        fallback: facts.default as Json | undefined,
        isNullable: splitNull(facts).isNullable,
        ...(typeof facts["x-rare"] === "boolean" && { isRare: facts["x-rare"] }),
        control,
      },
    ];
  });
}
