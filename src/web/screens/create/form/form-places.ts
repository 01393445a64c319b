import type { JsonSchema } from "#contract/json.ts";
import { shapeFieldsOf } from "#domain/files/picture-shape.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";
import type { FormField } from "../../../components/schema-form/form-model.ts";
import type { FieldPlace } from "../../../components/schema-form/schema-form.tsx";
import { wordFields } from "./carry-values.ts";
import { shapeField } from "./shared-schema.ts";

/** Optional settings that people often choose for each result. */
const oftenChosen = ["voice", "duration", "scale"];

/**
 * Prompt and size are pinned, files and required fields come below, and everything else is folded.
 * A form without a prompt consists of settings, which aren't folded.
 */
export function placesOf(
  schema: JsonSchema,
): ((field: Pick<FormField, "name" | "isRequired" | "control">) => FieldPlace) | undefined {
  const words = wordFields.find((name) => name in propertiesOf(schema));
  if (!words) return undefined;
  const sizes = [shapeField, ...shapeFieldsOf(schema)];
  return ({ name, isRequired, control }) => {
    if (name === words || sizes.includes(name)) return "pinned";
    const isFile = control.kind === "file" || control.kind === "files";
    return isRequired || isFile || oftenChosen.includes(name) ? "open" : "folded";
  };
}

/** For one model's own settings: required ones are open. */
export const ownPlaceOf = ({
  isRequired,
  control,
}: Pick<FormField, "isRequired" | "control">): FieldPlace =>
  isRequired || control.kind === "file" || control.kind === "files" ? "open" : "folded";
