import type { Asset, ModelDetail, Run } from "#contract/entities.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { isFinal } from "#domain/runs/run-machine.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";
import { restOfForm, textFieldOf } from "#domain/schemas/voice-fields.ts";
import { splitText } from "./split-text.ts";

/**
 * OpenAI's limit is 4,096 characters, and a part of this length plays longer than the next takes to
 * make.
 */
const partCharacters = 4_000;

/** One input for each part of the text. */
export type ReadingPlan = { field: string; inputs: JsonObject[] };

/** The inputs that make a model read a text; null for a model that requires more input. */
export function planReading(
  model: Pick<ModelDetail, "inputSchema">,
  text: string,
  voice: string | null,
): ReadingPlan | null {
  const schema = model.inputSchema as JsonSchema | null;
  const field = textFieldOf(schema);
  const rest = field && restOfForm(schema, field.name);
  if (!field || !rest) return null;
  const parts = splitText(text, Math.min(field.mostCharacters ?? partCharacters, partCharacters));
  return {
    field: field.name,
    inputs: parts.map((part) => ({
      ...(rest as JsonObject),
      ...(voice !== null && { voice }),
      [field.name]: part,
    })),
  };
}

/** The voices that a model's schema lists, and its default; null without a list. */
export function voicesOf(
  model: Pick<ModelDetail, "inputSchema">,
): { voices: string[]; own: string } | null {
  const field = propertiesOf(model.inputSchema as JsonSchema | null).voice;
  const named = [field?.enum, field?.examples].find((values) => Array.isArray(values)) ?? [];
  const voices = named.filter((value): value is string => typeof value === "string");
  const [first] = voices;
  if (first === undefined) return null;
  return { voices, own: typeof field?.default === "string" ? field.default : first };
}

/** The state of a part: its recording, its open run, or its last failed run. */
export type PartState =
  | { is: "kept"; assetId: string }
  | { is: "coming"; run: Run }
  | { is: "failed"; run: Run }
  | { is: "none" };

const isOpen = ({ state }: Run): boolean => !isFinal(state) && state !== "unconfirmed";

/** @param runs of the message, newest first */
export function stateOfPart(
  model: Pick<ModelDetail, "connectionId" | "modelId">,
  input: JsonObject,
  { runs, assets }: { runs: readonly Run[]; assets: readonly Asset[] },
): PartState {
  const same = runs.filter(
    (run) =>
      run.connectionId === model.connectionId &&
      run.modelId === model.modelId &&
      Object.entries(input).every(([name, value]) => run.input[name] === value),
  );
  const recording = same.flatMap(
    ({ id }) => assets.find((asset) => asset.runId === id && asset.kind === "audio") ?? [],
  )[0];
  if (recording) return { is: "kept", assetId: recording.id };
  const coming = same.find(isOpen);
  if (coming) return { is: "coming", run: coming };
  const [last] = same;
  // A canceled run or a deleted recording counts as none.
  return last && (last.state === "failed" || last.state === "unconfirmed")
    ? { is: "failed", run: last }
    : { is: "none" };
}
