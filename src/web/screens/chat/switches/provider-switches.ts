import type { ModelDetail } from "#contract/entities.ts";
import { type ProviderTool, providerTools } from "#contract/filters/provider-tools.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";

/** A tool run by the provider, and the maximum cost of one use; null if no price is known. */
export type OfferedTool = { tool: ProviderTool; micros: number | null };
export type OfferingModel = Pick<ModelDetail, "inputSchema" | "prices">;

/**
 * The tools that all of these models have at their providers, because a model without a tool would
 * leave it out. An active tool is listed if any model has it, because that model uses it and the
 * person must be able to see it and switch it off.
 */
export function providerToolsOf(
  models: readonly OfferingModel[],
  isOn: (tool: ProviderTool) => boolean,
): OfferedTool[] {
  return (Object.keys(providerTools) as ProviderTool[]).flatMap((tool) => {
    const having = models.filter(
      ({ inputSchema }) => inputSchema !== null && tool in propertiesOf(inputSchema),
    );
    if (having.length === 0 || (having.length < models.length && !isOn(tool))) return [];
    const rates = having.map(({ prices }) =>
      prices.find(({ unit }) => unit === providerTools[tool].unit),
    );
    const isPriced = rates.every((rate) => rate !== undefined);
    return {
      tool,
      micros: isPriced ? Math.max(...rates.map(({ micros }) => Number(micros))) : null,
    };
  });
}
