import type { Json, JsonSchema } from "#contract/json.ts";
import { type Graph, namesIn } from "./graph.ts";
import type { InputInfo, NodeInfos } from "./node-info.ts";
import { neededFor, type OpenInput, openInputs, outputsKeyword } from "./open-inputs.ts";

/** The input schema of a workflow, and its inputs other than text. */
export type Form = { schema: JsonSchema; files: FileKind[]; hasPrompt: boolean };
export type FileKind = "image" | "video" | "audio" | "file";
type Field = {
  input: OpenInput;
  schema: JsonSchema;
  part: Part;
  /** The input's position among the fields of its node. */
  rank: number;
  isNeeded: boolean;
  file?: FileKind;
};

/**
 * Fields that come first regardless of their node, then the fields of one node after the other:
 * frequently changed ones, then the rest.
 */
const parts = ["prompt", "negative", "file", "needed", "common", "rare"] as const;
type Part = (typeof parts)[number];

/** The first fields of a node, in this order. The others are under Advanced. */
const common =
  "width height length frames seconds duration fps batch_size seed steps cfg guidance denoise strength".split(
    " ",
  );
/**
 * Paths on the server's disk are set by the owner who added the workflow, not by the person who
 * runs it.
 */
const isOfTheDisk = (input: string) =>
  /(^|_)(path|dir|directory|folder|url|filename|prefix)s?$/i.test(input);

/**
 * Builds a form for every literal that these outputs need and that the server describes. Others
 * keep their saved value.
 */
export function toForm(graph: Graph, infos: NodeInfos, outputs: readonly string[]): Form {
  // In the order in which the nodes run.
  const order = new Map([...neededFor(graph, outputs)].map((id, index) => [id, index]));
  const nameOf = namesIn(graph);
  const fields = openInputs(graph, outputs).flatMap((input): Field[] => {
    const info = infos.get(graph[input.nodeId]!.class_type)?.inputs.get(input.input);
    return info && order.has(input.nodeId) ? toField(input, info, nameOf) : [];
  });
  const placeOf = ({ part, input, rank }: Field) => [
    parts.indexOf(part),
    order.get(input.nodeId)!,
    rank,
  ];
  fields.sort((one, other) => compare(placeOf(one), placeOf(other)));
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(fields.map(({ input, schema }) => [input.name, schema])),
      required: fields.filter(({ isNeeded }) => isNeeded).map(({ input }) => input.name),
      additionalProperties: false,
      [outputsKeyword]: [...outputs],
    },
    files: fields.flatMap(({ file }) => file ?? []),
    hasPrompt: fields.some(({ input }) => input.name === "prompt"),
  };
}

const compare = (one: readonly number[], other: readonly number[]): number =>
  one.map((value, index) => value - other[index]!).find((difference) => difference !== 0) ?? 0;

function toField(input: OpenInput, info: InputInfo, nameOf: (nodeId: string) => string): Field[] {
  const file = fileKind(info);
  // If no file is chosen, the workflow's saved file is used, if the server still has it.
  const isThere = file !== null && info.choices?.includes(input.value) === true;
  const typed = file ? toFile(input, file, isThere) : toTyped(input, info);
  if (!typed) return [];
  const isNeeded = typed.default === undefined && input.name !== "seed" && !isThere;
  const part = partOf(input, file !== null, isNeeded);
  const tooltip =
    typeof info.facts.tooltip === "string" ? info.facts.tooltip.slice(0, 300) : undefined;
  return [
    {
      input,
      schema: {
        title: labelOf(input, nameOf),
        ...(tooltip && { description: tooltip }),
        ...typed,
        "x-rare": part === "rare",
      },
      part,
      rank: part === "common" ? commonRank(input) : 0,
      isNeeded,
      ...(file && { file }),
    },
  ];
}

function partOf(input: OpenInput, isFile: boolean, isNeeded: boolean): Part {
  if (input.name === "prompt") return "prompt";
  if (input.name === "negative_prompt") return "negative";
  if (isFile) return "file";
  if (isNeeded) return "needed";
  return commonRank(input) >= 0 ? "common" : "rare";
}

const commonRank = ({ name, input }: OpenInput): number =>
  /^(text|prompt|lyrics|tags)/.test(input) ? 0 : common.indexOf(name === "seed" ? name : input);

/**
 * Returns the input's name, with the node's title if several nodes have an input of that name, or
 * if a person wrote the title.
 */
function labelOf({ name, input, nodeId }: OpenInput, nameOf: (nodeId: string) => string): string {
  if (name === "prompt") return "Prompt";
  if (name === "negative_prompt") return "Negative prompt";
  const words = input.replaceAll("_", " ");
  if (name === "seed") return "seed";
  return name === input ? words : `${words} (${nameOf(nodeId)})`;
}

function fileKind({ facts, type }: InputInfo): FileKind | null {
  if (type !== "COMBO" && type !== "STRING") return null;
  if (facts.image_upload === true) return "image";
  if (facts.audio_upload === true) return "audio";
  if (facts.video_upload === true) return "video";
  return facts.file_upload === true ? "file" : null;
}

const toFile = ({ value }: OpenInput, kind: FileKind, isThere: boolean): JsonSchema => ({
  type: "string",
  "x-file": kind,
  ...(isThere && { description: `Empty: “${value}” on the server.` }),
});

function toTyped({ name, value, input }: OpenInput, info: InputInfo): JsonSchema | null {
  const { choices, facts } = info;
  switch (info.type) {
    case "COMBO":
      return toChoice(value, choices ?? []);
    case "INT":
      return typeof value === "number" ? toNumber("integer", value, facts, name === "seed") : null;
    case "FLOAT":
      return typeof value === "number" ? toNumber("number", value, facts, false) : null;
    case "BOOLEAN":
      return typeof value === "boolean" ? { type: "boolean", default: value } : null;
    case "STRING":
      return typeof value === "string" && !isOfTheDisk(input)
        ? toText(value, name === "prompt")
        : null;
    default:
      return null;
  }
}

/** The prompt is required each time. The saved one is an example. */
const toText = (value: string, isPrompt: boolean): JsonSchema =>
  isPrompt && value.trim() !== ""
    ? { type: "string", minLength: 1, examples: [value] }
    : { type: "string", default: value };

/** A saved choice that no longer exists, such as a deleted model, must be chosen again. */
function toChoice(value: Json, choices: readonly Json[]): JsonSchema | null {
  const known = choices.filter(
    (choice) =>
      typeof choice === "string" || typeof choice === "number" || typeof choice === "boolean",
  );
  if (known.length === 0) return null;
  return { enum: [...new Set(known)], ...(known.includes(value as string) && { default: value }) };
}

/**
 * Without a default, the engine draws a seed, so that it becomes part of the recipe. Above 2^53 no
 * number is exact.
 */
function toNumber(
  type: "integer" | "number",
  value: number,
  facts: InputInfo["facts"],
  isSeed: boolean,
): JsonSchema {
  const safe = (bound: Json | undefined) =>
    typeof bound === "number"
      ? Math.max(-Number.MAX_SAFE_INTEGER, Math.min(bound, Number.MAX_SAFE_INTEGER))
      : undefined;
  const [minimum, maximum] = [safe(facts.min), safe(facts.max)];
  const step =
    typeof facts.step === "number" && facts.step > 1 && type === "integer" ? facts.step : undefined;
  // A schema counts steps from zero, ComfyUI from the slider's minimum.
  const counts = step !== undefined && value % step === 0 && (minimum ?? 0) % step === 0;
  const isIn = value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity);
  return {
    type,
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(counts && { multipleOf: step }),
    ...(!isSeed && isIn && { default: value }),
  };
}
