import type { ModelDetail } from "#contract/entities.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";

/** The names that models give to the field of their prompt, most common first. */
const names = ["prompt", "text", "input", "lyrics"];

/** The field that takes the prompt. Undefined for a model that takes none; one without a schema takes whatever it is sent. */
export const promptFieldOf = ({
  inputSchema,
}: Pick<ModelDetail, "inputSchema">): string | undefined =>
  inputSchema === null ? names[0] : names.find((name) => name in propertiesOf(inputSchema));
