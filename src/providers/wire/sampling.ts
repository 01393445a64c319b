import type { JsonObject, JsonSchema } from "#contract/json.ts";

/**
 * Chat settings that servers of open models accept in addition to OpenAI's, with their usual
 * parameter names.
 */
const settings = {
  topK: {
    field: "top_k",
    type: "integer",
    title: "Top K",
    description: "Samples only from this many of the most likely tokens.",
    minimum: 1,
  },
  minP: {
    field: "min_p",
    type: "number",
    title: "Min P",
    description: "The least probability of a token, relative to the most likely one.",
    minimum: 0,
    maximum: 1,
  },
  repeatPenalty: {
    field: "repeat_penalty",
    type: "number",
    title: "Repeat penalty",
    description: "Above 1 makes words less likely that occurred before.",
    minimum: 0,
    maximum: 2,
  },
  frequencyPenalty: {
    field: "frequency_penalty",
    type: "number",
    title: "Frequency penalty",
    description: "Above 0 makes words less likely, the more often they occurred.",
    minimum: -2,
    maximum: 2,
  },
  presencePenalty: {
    field: "presence_penalty",
    type: "number",
    title: "Presence penalty",
    description: "Above 0 makes words less likely once they occurred.",
    minimum: -2,
    maximum: 2,
  },
} as const;
type Setting = keyof typeof settings;
const names = Object.keys(settings) as Setting[];

/** The form of these settings. */
export const samplingForm: { [name: string]: JsonSchema } = Object.fromEntries(
  names.map((name) => {
    const { field: _, ...schema } = settings[name];
    return [name, { ...schema, "x-rare": true }];
  }),
);

/** Returns the chosen settings by parameter name. `own`: a service's different name for one. */
export const samplingFields = (
  input: JsonObject,
  own: Partial<Record<Setting, string>> = {},
): { [field: string]: unknown } =>
  Object.fromEntries(
    names.flatMap((name) =>
      input[name] === undefined || input[name] === null
        ? []
        : [[own[name] ?? settings[name].field, input[name]]],
    ),
  );
