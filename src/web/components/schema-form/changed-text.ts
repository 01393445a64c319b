import type { Json, JsonObject } from "#contract/json.ts";
import { settingValue } from "../run/settings.ts";
import type { FormField } from "./form-model.ts";

/**
 * The values that differ from the model's defaults, on one line: "Steps 40, Guidance scale 7".
 * Empty if there are none.
 */
export const changedFieldsText = (fields: readonly FormField[], value: JsonObject): string =>
  fields
    .flatMap((field) => {
      const given = value[field.name];
      return given === undefined || isSame(given, field.fallback)
        ? []
        : [`${field.label} ${valueText(field, given)}`];
    })
    .join(", ");

const isSame = (a: Json, b: Json | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);

function valueText({ control }: FormField, given: Json): string {
  if (control.kind === "choice") {
    const chosen = control.options.find(({ value }) => isSame(value, given));
    if (chosen) return chosen.label;
  }
  return settingValue(given);
}
