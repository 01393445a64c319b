import type { RunExpansion } from "#contract/entities.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import type { PictureShape } from "#contract/picture-shapes.ts";
import { inShape } from "../files/picture-shape.ts";
import { propertiesOf, withRequiredDefaults } from "../schemas/input-schema.ts";
import { expandPrompt, type WordLists } from "../text/prompt-template.ts";

/** What a form asks of each of its models. */
export type FormAsk = {
  input: JsonObject;
  variants: number;
  /** The shape of the pictures, in words that every model's own form is filled from; left out, the input says it. */
  shape?: PictureShape;
  /** The prompt is a template: `{a|b}`, `__list__` and `{?a|b}` in it are expanded. */
  expand?: boolean;
};

type FormModel = {
  inputSchema: JsonSchema | null;
  countField?: { name: string; most: number };
};

/** The input of one run, and what its prompt was expanded from. */
export type FormInput = { input: JsonObject; expansion: RunExpansion | null };

type FormCount = {
  results: number;
  runs: number;
  /** Of a template: where something is chosen in it, the characters of it or of its longest prompt, and those of all its prompts at most. */
  places: number;
  longest: number;
  characters: number;
};

/** How many results a form becomes on one model, in how many runs, and how long. They are counted without being made. */
export function countOfForm(
  ask: FormAsk,
  { countField }: Pick<FormModel, "countField">,
  lists?: WordLists,
): FormCount {
  const template = templateOf(ask, lists);
  const { count: prompts, places } = template ?? { count: 1, places: 0 };
  const longest = template ? Math.max(template.longest, String(ask.input.prompt).length) : 0;
  return {
    results: prompts * ask.variants,
    places,
    longest,
    // The same text in all of them is one text.
    characters: places > 0 ? prompts * ask.variants * longest : 0,
    runs: prompts * Math.ceil(ask.variants / (countField?.most ?? 1)),
  };
}

/**
 * The input of each run that a form becomes on a model: in the shape that was asked for, with what the model's form requires, one
 * prompt of the template after the other. "n variants" are split into runs: as many as the model gives at once in each, a seed for
 * each run where the model takes one, so that every recipe can be made again. A seed that the person set is kept for the first
 * variant of each prompt and counted up for the others. The caller asks `countOfForm` before.
 * @param randomSeed a whole number from 0 to 2^31 - 1
 */
export function inputsOfForm(
  ask: FormAsk,
  model: FormModel,
  randomSeed: () => number,
  lists?: WordLists,
): FormInput[] {
  const { input: given, variants, shape } = ask;
  const input = withRequiredDefaults(
    model.inputSchema,
    shape ? inShape(model.inputSchema, given, shape) : given,
  );
  const takesSeed = "seed" in propertiesOf(model.inputSchema);
  const most = model.countField?.most ?? 1;
  const template = templateOf(ask, lists);
  const inputs: FormInput[] = [];
  for (let index = 0; index < (template?.count ?? 1); index++) {
    let variant = 0;
    for (let left = variants; left > 0; left -= most) {
      const count = Math.min(left, most);
      const seed = typeof input.seed === "number" ? input.seed + variant : randomSeed();
      variant += 1;
      const expanded = template?.at(index, seed);
      inputs.push({
        input: {
          ...input,
          ...(expanded && { prompt: expanded.prompt }),
          ...(model.countField && variants > 1 && { [model.countField.name]: count }),
          ...(takesSeed && { seed }),
        },
        expansion:
          template && expanded && expanded.values.length > 0
            ? {
                template: String(given.prompt),
                values: expanded.values,
                index,
                count: template.count,
              }
            : null,
      });
    }
  }
  return inputs;
}

const templateOf = ({ input, expand }: FormAsk, lists: WordLists | undefined) =>
  expand && typeof input.prompt === "string" ? expandPrompt(input.prompt, lists) : undefined;
