import type { LocalAct, LocalModelState } from "#contract/filters/model-filters.ts";
import type { JsonObject } from "#contract/json.ts";
import type { CallContext, Workflow } from "./calls.ts";
import type { ModelFacts } from "./models.ts";

/** A model of a local server, with its state there. */
export type LocalModel = {
  /** The model's id in the list of models. */
  model: string;
  name: string;
  state: LocalModelState;
  /** Size in memory if loaded, otherwise on the disk. */
  bytes?: number;
  /** When the server unloads the model: Unix time in milliseconds. */
  expiresAt?: number;
};

/** Every method throws ProviderError. */
export type LocalModels = {
  /** Lists the server's models, and the acts that it allows on them. */
  list(context: CallContext): Promise<{ models: LocalModel[]; acts: LocalAct[] }>;
  pull?(
    model: string,
    context: CallContext,
  ): AsyncIterable<{ status: string; done?: number; total?: number }>;
  remove?(model: string, context: CallContext): Promise<void>;
  /** Resolves once the server has started loading, which may be before the model is in memory. */
  load?(model: string, context: CallContext): Promise<void>;
  unload?(model: string, context: CallContext): Promise<void>;
};

export type WorkflowsAdapter = {
  /**
   * Converts a person's file to the stored document.
   * @throws Problem invalid_input with `field: "workflow"`
   */
  parse(text: string): JsonObject;
  /**
   * Returns the model of a workflow on this server, as of now.
   * @throws Problem if the workflow can't run there, or ProviderError
   */
  describe(workflow: Workflow, context: CallContext): Promise<ModelFacts>;
};
