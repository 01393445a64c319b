import { sentences } from "#contract/sentences/index.ts";
import { type LocalModel, type LocalModels, ProviderError } from "../../adapter.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { ask, stream, tell } from "./call.ts";

/** The server's own models. Each method throws ProviderError, "model_gone" for a missing model. */
export const localModels: LocalModels = {
  /** Yields completed and total bytes, layer by layer; an aborted pull resumes the next time. */
  async *pull(model, context) {
    for await (const line of stream(context, { path: "pull", json: { model, stream: true } })) {
      const { status, completed, total } = line;
      if (typeof status !== "string") continue;
      yield {
        status,
        ...(typeof total === "number" && {
          total,
          done: typeof completed === "number" ? completed : 0,
        }),
      };
      if (status === "success") return;
    }
    throw new ProviderError("provider_interrupted", "yes", {
      message: sentences.connections.pullIncomplete,
    });
  },

  remove: (model, context) => tell(context, { path: "delete", method: "DELETE", json: { model } }),

  /**
   * An empty prompt loads the model, and unloads it if its keep-alive is zero. An embedding model
   * accepts no such prompt, only embedding requests.
   */
  async load(model, context) {
    await tell(context, { path: "generate", method: "POST", json: { model, stream: false } }).catch(
      (error: unknown) => {
        if (!(error instanceof ProviderError && error.code === "provider_invalid_input"))
          throw error;
        return tell(context, { path: "embed", method: "POST", json: { model, input: "" } });
      },
    );
  },

  unload: (model, context) =>
    tell(context, {
      path: "generate",
      method: "POST",
      json: { model, keep_alive: 0, stream: false },
    }),

  async list(context) {
    const [tags, running] = await Promise.all([
      ask(context, { path: "tags" }),
      ask(context, { path: "ps" }),
    ]);
    const loaded = new Map(rowsOf(running).map((entry) => [entry.name, entry]));
    return {
      models: rowsOf(tags).map((tag): LocalModel => {
        const entry = loaded.get(tag.name);
        const bytes = (entry ?? tag).size;
        const expiresAt =
          typeof entry?.expires_at === "string" ? Date.parse(entry.expires_at) : Number.NaN;
        return {
          model: tag.name,
          name: tag.name.replace(/:latest$/, ""),
          state: entry ? "loaded" : "unloaded",
          ...(typeof bytes === "number" && { bytes }),
          ...(!Number.isNaN(expiresAt) && { expiresAt }),
        };
      }),
      acts: ["load", "unload", "pull", "remove"],
    };
  },
};

const rowsOf = ({ models }: { [key: string]: unknown }) =>
  (Array.isArray(models) ? models : []).filter(
    (entry): entry is Record<string, unknown> & { name: string } =>
      isRecord(entry) && typeof entry.name === "string",
  );
