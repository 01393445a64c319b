import { sentences } from "#contract/sentences/index.ts";
import { type LocalModels, ProviderError } from "../../adapter.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { ask, stream, tell } from "./call.ts";

/** The server's own models. Each throws ProviderError, "model_gone" for one that is not there. */
export const localModels: LocalModels = {
  /** Bytes done of bytes to do, layer after layer; an aborted pull resumes the next time. */
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

  async loaded(context) {
    const answer = await ask(context, { path: "ps" });
    const models = Array.isArray(answer.models) ? answer.models.filter(isRecord) : [];
    return models.flatMap((entry) => {
      if (typeof entry.name !== "string" || typeof entry.size !== "number") return [];
      const expiresAt =
        typeof entry.expires_at === "string" ? Date.parse(entry.expires_at) : Number.NaN;
      return [
        { model: entry.name, bytes: entry.size, ...(!Number.isNaN(expiresAt) && { expiresAt }) },
      ];
    });
  },
};
