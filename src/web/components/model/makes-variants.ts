import type { ModelDetail } from "#contract/entities.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";

/**
 * Whether a model makes different results of the same input. A deterministic one without a seed
 * returns the same result every time, so one is enough.
 */
export const makesVariants = ({
  capabilities,
  inputSchema,
}: Pick<ModelDetail, "capabilities" | "inputSchema">): boolean =>
  capabilities.deterministic !== true || "seed" in propertiesOf(inputSchema);
