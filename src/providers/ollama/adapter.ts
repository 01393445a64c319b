import { type Adapter, ProviderError } from "../adapter.ts";
import { ask } from "./call.ts";
import { answerChat } from "./chat.ts";
import { answerEmbedding } from "./embed.ts";
import { localModels } from "./local.ts";
import { listModels } from "./models.ts";

const api = "http://127.0.0.1:11434";

/** A local Ollama, through its own API. Protocol and sources: docs/providers/ollama.md. */
export const ollama: Adapter = {
  kind: "ollama",
  name: "Ollama",
  summary: "Language models on this machine or in this network, free of charge.",
  docs: "ollama.md",
  free: true,
  lacks: ["tools", "answerShape"],
  fields: [
    { name: "address", label: "Address", kind: "url", required: false, placeholder: api, hint: "Where Ollama listens.", address: "api" },
    {
      name: "key",
      label: "Key",
      kind: "secret",
      required: false,
      hint: "Only where a proxy in front of Ollama asks for one.",
      advanced: true,
    },
  ],
  addresses: { api },
  tasks: ["chat", "embedding"],
  concurrency: 4,

  async check(context) {
    const { version } = await ask(context, { path: "version" });
    if (typeof version !== "string") throw new ProviderError("provider_protocol", "no", { message: "This server is not Ollama." });
    return { message: `Ollama ${version}` };
  },

  models: listModels,
  answer: (request, context) => (request.task === "embedding" ? answerEmbedding(request, context) : answerChat(request, context)),
  local: localModels,
};
