import { toAdapter } from "#providers/presets/adapter.ts";
import { presets } from "#providers/presets/index.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import { services } from "../../simulators/presets.ts";
import { buildRequest } from "../contracts/attempt.ts";
import type { Column } from "./table.ts";

/** The column of a preset service, with its own cells. */
export function presetColumn(
  kind: string,
  model: string,
  column: Pick<Column, "reference" | "before" | "after">,
): Column {
  const adapter = toAdapter(presets.find((preset) => preset.kind === kind)!);
  return {
    name: kind,
    adapter,
    async start() {
      const simulator = await startOpenAiCompatible(services[kind]!);
      const connection = {
        kind,
        addresses: { api: simulator.url },
        options: {},
        secret: simulator.key || null,
      };
      return { simulator, origin: new URL(simulator.url).origin, connection };
    },
    request: buildRequest({ model: { id: model, inputSchema: null, capabilities: {} } }),
    ...column,
  };
}
