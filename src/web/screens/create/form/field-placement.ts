import type { JsonSchema } from "#contract/json.ts";
import { shapeFieldsOf } from "#domain/files/picture-shape.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";
import type { FormField } from "../../../components/schema-form/form-model.ts";
import type { FieldPlacement } from "../../../components/schema-form/schema-form.tsx";
import { textFields } from "./carry-values.ts";
import { shapeField } from "./shared-schema.ts";

/** Optional settings that people often choose for each result. */
const oftenChosen = ["voice", "duration", "scale"];

/**
 * Prompt and size are pinned, files and required fields come below, and everything else is folded.
 * A form without a prompt consists of settings, which aren't folded.
 */
export function placementOf(
  schema: JsonSchema,
): ((field: Pick<FormField, "name" | "isRequired" | "control">) => FieldPlacement) | undefined {
  const textField = textFields.find((name) => name in propertiesOf(schema));
  if (!textField) return undefined;
  const sizes = [shapeField, ...shapeFieldsOf(schema)];
  return ({ name, isRequired, control }) => {
    if (name === textField || sizes.includes(name)) return "pinned";
    const isFile = control.kind === "file" || control.kind === "files";
    return isRequired || isFile || oftenChosen.includes(name) ? "open" : "folded";
  };
}

/** For one model's own settings: required ones are open. */
export const ownPlacementOf = ({
  isRequired,
  control,
}: Pick<FormField, "isRequired" | "control">): FieldPlacement =>
  isRequired || control.kind === "file" || control.kind === "files" ? "open" : "folded";
