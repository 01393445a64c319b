import type { AnswerPart, ModelFacts, RunContext, RunRequest } from "../adapter.ts";

/** A built-in model: its facts and its answers. */
export type BuiltinModel = {
  facts: Omit<ModelFacts, "price" | "limits" | "status">;
  /**
   * @throws ProviderError, or the signal's reason once it is aborted; by then all work has stopped
   */
  answer(request: RunRequest, context: RunContext): AsyncIterable<AnswerPart>;
};
