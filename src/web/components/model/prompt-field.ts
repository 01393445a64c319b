import type { ModelDetail } from "#contract/entities.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";

/** The names that models use for the prompt field, most common first. */
const names = ["prompt", "text", "input", "lyrics"];

/**
 * The prompt's field. Undefined for a model without a prompt; a model without a schema accepts any
 * field.
 */
export const promptFieldOf = ({
  inputSchema,
}: Pick<ModelDetail, "inputSchema">): string | undefined =>
  inputSchema === null ? names[0] : names.find((name) => name in propertiesOf(inputSchema));
