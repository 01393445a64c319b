import type { JsonObject } from "#contract/json.ts";
import { anthropic } from "#providers/services/anthropic/adapter.ts";
import { startAnthropic } from "../../simulators/anthropic.ts";
import { buildRequest } from "../../support/contracts/attempt.ts";
import { survivesTheTornWorld } from "../../support/torn-world/torn-world.ts";
import type { TornWay } from "../../support/torn-world/way.ts";

const way = (name: string, input: JsonObject): TornWay => ({
  name,
  adapter: anthropic,
  goes: "words",
  async start() {
    const simulator = await startAnthropic();
    return {
      simulator,
      connection: {
        kind: "anthropic",
        addresses: { api: simulator.url },
        options: {},
        secret: simulator.key,
      },
    };
  },
  request: buildRequest({
    input,
    model: { id: "claude-sim-1", inputSchema: null, capabilities: {} },
  }),
  ownError: (status, message) => ({
    body: {
      type: "error",
      error: { type: status >= 500 ? "api_error" : "invalid_request_error", message },
      request_id: "req_1",
    },
  }),
});

survivesTheTornWorld([
  way("an answer", {}),
  {
    ...way("an answer that runs code", { codeInterpreter: true }),
    cuts: 2,
    ceilingMicros: 60_000,
  },
]);
