import type { ModelDetail } from "#contract/entities.ts";
import { type ProviderTool, providerTools } from "#contract/filters/provider-tools.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";

/** A tool that the provider runs itself, and what one use costs at most; null where no price says it. */
export type OfferedTool = { tool: ProviderTool; micros: number | null };
export type OfferingModel = Pick<ModelDetail, "inputSchema" | "prices">;

/**
 * The tools that all of these models have at their providers: what one of them lacks would be left out of its answer. What is on is
 * offered where any of them has it, for that one uses it, and it must be seen and switched off.
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
