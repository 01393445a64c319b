import type { RunExpansion } from "#contract/entities.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import type { PictureShape } from "#contract/picture-shapes.ts";
import { inShape } from "../files/picture-shape.ts";
import { propertiesOf, withRequiredDefaults } from "../schemas/input-schema.ts";
import { expandPrompt, type WordLists } from "../text/prompt-template.ts";

/** A form's request to each of its models. */
export type FormAsk = {
  input: JsonObject;
  variants: number;
  /**
   * The shape of the pictures, independent of the model, which sets the fields of each model's
   * form. Without it, the input's own fields apply.
   */
  shape?: PictureShape;
  /** Expands the prompt as a template: `{a|b}`, `__list__` and `{?a|b}`. */
  expand?: boolean;
};

type FormModel = {
  inputSchema: JsonSchema | null;
  countField?: { name: string; most: number };
};

/** The input of one run, and the expansion of its prompt. */
export type FormInput = { input: JsonObject; expansion: RunExpansion | null };

type FormCount = {
  results: number;
  runs: number;
  /**
   * The number of choices in a template, and the lengths in characters of its longest prompt (at
   * least the template's own if it has choices) and of all its prompts at most.
   */
  places: number;
  longest: number;
  characters: number;
};

/** Counts the results and runs of a form on one model, and their lengths, without building them. */
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
    // A prompt without choices is the same text in every run and isn't counted.
    characters: places > 0 ? prompts * ask.variants * longest : 0,
    runs: prompts * Math.ceil(ask.variants / (countField?.most ?? 1)),
  };
}

/**
 * Builds the input of each run of a form on one model: in the requested shape, with the required
 * defaults of the model's form, for one prompt of the template after the other. Variants are split
 * into runs with as many results as the model makes at once. If the model takes a seed, each run
 * gets one, so that every recipe can be repeated. A person's seed applies to the first variant of
 * each prompt and is incremented for the others. Callers check `countOfForm` first.
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
