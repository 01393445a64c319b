import type { Adapter, ModelFacts, RunContext, RunRequest } from "#providers/adapter.ts";
import { buildRequest, collect } from "./attempt.ts";

/** Calls of an adapter: its models by id, and an answer of its chat model. */
export function callsOf(adapter: Adapter, context: RunContext) {
  return {
    async list(): Promise<Map<string, ModelFacts>> {
      const models = new Map<string, ModelFacts>();
      for await (const page of adapter.models(context))
        for (const model of page) models.set(model.id, model);
      return models;
    },
    ask: (request: Partial<RunRequest> = {}) =>
      collect(
        adapter.answer!(
          buildRequest({
            model: { id: "sim-chat", inputSchema: null, capabilities: {} },
            ...request,
          }),
          context,
        ),
      ),
  };
}
