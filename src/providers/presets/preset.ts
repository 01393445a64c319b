import type { ConnectionField, ConnectionKind, LocalModels } from "../adapter.ts";
import type { OfferedTask } from "../services/openai-compatible/offered-tasks.ts";
import type { Quirks } from "../services/openai-compatible/quirks.ts";
import { commonParameters, serverParameters } from "../wire/passed-parameters.ts";

/** A known service with OpenAI's API: its address, fields and differences. */
export type Preset = {
  kind: string;
  name: string;
  summary: string;
  /** The base URL of its API. For a local service: its usual URL. */
  api: string;
  tasks: readonly OfferedTask[];
  /** A hint about its address, in addition to how it ends. */
  apiHint?: string;
  /**
   * `here`: runs locally, free and without a key. `gateway`: runs locally, but its models cost
   * money.
   */
  runs?: "here" | "gateway";
  /** Where a person finds a key. */
  keyHint?: string;
  environmentKey?: string;
  fields?: readonly ConnectionField[];
  /** Headers of every request. */
  headers?: Readonly<Record<string, string>>;
  /** A free call that verifies the key, if the list of models doesn't. */
  checkPath?: string;
  /**
   * Set if its documentation differs from `commonParameters`, or for a self-hosted server from
   * `serverParameters`.
   */
  passes?: readonly string[];
  /** The service's embeddings accept tokens instead of text. */
  embedsTokens?: true;
  /**
   * The approximate token limit of one embedding request, if it is low (`size` of EmbeddingReach).
   */
  embedsAtOnce?: number;
  quirks?: Quirks;
  /** The server's own models. */
  local?: LocalModels;
};

/**
 * Inputs of one embedding request. Their vectors arrive as numbers, so fewer are requested at a
 * time than from OpenAI.
 */
const embeddingsAtOnce = 256;

/** Converts a preset to a kind of connection. */
export function toKind(preset: Preset): ConnectionKind {
  const { kind, name, summary, api, runs, environmentKey } = preset;
  return {
    kind,
    name,
    summary,
    group: runs ? "own" : "language",
    docs: `${kind}.md`,
    ...(runs === "here" && { free: true }),
    ...(runs !== "here" && { runsOn: "hosted" as const }),
    fields: [
      addressField(preset),
      keyField(preset),
      ...(preset.fields ?? []),
      furtherModels(preset),
    ].toSorted(byRarity),
    addresses: { api },
    ...(environmentKey && { environmentKeys: [environmentKey] }),
    tasks: preset.tasks,
    takesTasks: true,
    ...(preset.tasks.includes("embedding") && {
      embeds: {
        most: embeddingsAtOnce,
        ...(preset.embedsAtOnce && { size: preset.embedsAtOnce }),
        ...(preset.embedsTokens && { tokens: true as const }),
      },
    }),
    ...(preset.local && { hasLocalModels: true as const }),
    passes: preset.passes ?? (runs ? serverParameters : commonParameters),
  };
}

const byRarity = (a: ConnectionField, b: ConnectionField): number =>
  Number(a.advanced ?? false) - Number(b.advanced ?? false);

const addressField = ({ api, apiHint, runs }: Preset): ConnectionField => ({
  name: "api",
  label: runs ? "Address" : "Base URL",
  kind: "url",
  // Never calls a gateway's default address without being asked, because its models cost money.
  required: runs === "gateway",
  address: "api",
  placeholder: api,
  ...(runs ? { hint: apiHint ?? "It ends in /v1." } : { advanced: true }),
});

const keyField = ({ runs, keyHint }: Preset): ConnectionField => ({
  name: "key",
  label: "API key",
  kind: "secret",
  required: runs === undefined,
  hint: keyHint ?? "Only if the server was started with one.",
  ...(runs === "here" && { advanced: true }),
});

const furtherModels = ({ tasks }: Preset): ConnectionField => ({
  name: "models",
  label: "More models",
  kind: "text",
  required: false,
  advanced: true,
  placeholder: `[{"id": "a-model", "task": "${tasks[0]}"}]`,
  hint: `A JSON list of id and task (${tasks.join(", ")}), for models that the service does not list or does not describe.`,
});
