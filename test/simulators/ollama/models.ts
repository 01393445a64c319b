export type OllamaModel = {
  name: string;
  size: number;
  digest: string;
  family: string;
  parameterSize: string;
  /** Undefined: an older server, which doesn't report them. */
  capabilities?: string[];
  contextLength: number;
  /** A cloud model's host. */
  remoteHost?: string;
  thinking?: { values: (boolean | string)[]; default: boolean | string };
};

const model = (name: string, more: Partial<OllamaModel>): OllamaModel => ({
  name,
  size: 2_019_393_189,
  digest: Buffer.from(name).toString("hex").padEnd(64, "0").slice(0, 64),
  family: "llama",
  parameterSize: "3.2B",
  capabilities: ["completion"],
  contextLength: 131_072,
  ...more,
});

/**
 * Installed at the start: a plain one, a thinking one, one with thinking levels, one with vision,
 * one with everything, one for embeddings, one without stated capabilities.
 */
export const installed: readonly OllamaModel[] = [
  model("llama3.2:latest", { capabilities: ["completion", "tools"] }),
  model("qwen3:8b", {
    family: "qwen3",
    parameterSize: "8.2B",
    contextLength: 40_960,
    capabilities: ["completion", "tools", "thinking"],
  }),
  model("gpt-oss:20b", {
    family: "gptoss",
    parameterSize: "20.9B",
    capabilities: ["completion", "thinking"],
    thinking: { values: ["low", "medium", "high"], default: "medium" },
  }),
  model("gemma3:4b", {
    family: "gemma3",
    parameterSize: "4.3B",
    capabilities: ["completion", "vision"],
  }),
  model("qwen3-vl:8b", {
    family: "qwen3vl",
    parameterSize: "8.8B",
    capabilities: ["completion", "vision", "tools", "thinking"],
  }),
  model("nomic-embed-text:latest", {
    family: "nomic-bert",
    parameterSize: "137M",
    contextLength: 2_048,
    capabilities: ["embedding"],
  }),
  model("gpt-oss:120b-cloud", {
    family: "gptoss",
    parameterSize: "116.8B",
    remoteHost: "https://ollama.com:443",
  }),
  model("llama-guard3:8b", { contextLength: 131_072 }),
  model("deepseek-ocr:3b", { capabilities: ["completion", "vision"], contextLength: 8_192 }),
  model("old-minilm:33m", { capabilities: undefined, contextLength: 512 }),
  model("old-timer:7b", { family: "oldarch", capabilities: undefined, contextLength: 4_096 }),
];

/** The models that a pull finds in the registry. */
export const registry: readonly OllamaModel[] = [
  ...installed,
  model("tinyllama:latest", { parameterSize: "1.1B", size: 637_700_138, contextLength: 2_048 }),
];

const details = (of: OllamaModel) => ({
  parent_model: "",
  format: "gguf",
  family: of.family,
  families: [of.family],
  parameter_size: of.parameterSize,
  quantization_level: "Q4_K_M",
});

export const toTag = (of: OllamaModel) => ({
  name: of.name,
  model: of.name,
  modified_at: "2026-10-01T10:00:00Z",
  size: of.size,
  digest: of.digest,
  details: details(of),
  ...(of.capabilities && { capabilities: of.capabilities }),
  ...(of.remoteHost && { remote_host: of.remoteHost, remote_model: of.name }),
});

export const toShow = (of: OllamaModel) => ({
  license: "MIT",
  modelfile: `FROM ${of.name}`,
  template: "{{ .Prompt }}",
  details: details(of),
  model_info: {
    "general.architecture": of.family,
    [`${of.family}.context_length`]: of.contextLength,
    [`${of.family}.embedding_length`]: 768,
  },
  ...(of.capabilities && { capabilities: of.capabilities }),
  ...(of.thinking && { thinking: of.thinking }),
  modified_at: "2026-10-01T10:00:00Z",
});

/** "llama3.2" is "llama3.2:latest". */
export const withTag = (name: string) => (name.includes(":") ? name : `${name}:latest`);
