import { sentences } from "#contract/sentences/index.ts";
import { type Adapter, ProviderError } from "../../adapter.ts";
import { ask } from "./call.ts";
import { answerChat } from "./chat.ts";
import { answerEmbedding } from "./embed.ts";
import { ollamaKind } from "./kind.ts";
import { localModels } from "./local.ts";
import { listModels } from "./models.ts";

export const ollama: Adapter = {
  ...ollamaKind,
  async check(context) {
    const { version } = await ask(context, { path: "version" });
    if (typeof version !== "string")
      throw new ProviderError("provider_protocol", "no", {
        message: sentences.connections.notOllama,
      });
    return { message: `Ollama ${version}` };
  },
  models: listModels,
  answer: (request, context) =>
    request.task === "embedding" ? answerEmbedding(request, context) : answerChat(request, context),
  local: localModels,
};
