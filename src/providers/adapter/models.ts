import type { Model } from "#contract/entities.ts";
import type { JsonSchema } from "#contract/json.ts";
import type { Modality, Task } from "#contract/tasks.ts";

export type ModelFacts = {
  /** The provider's own id; may contain slashes. */
  id: string;
  name: string;
  description?: string;
  tasks: Task[];
  inputModalities: Modality[];
  outputModalities: Modality[];
  /** Null: free-form JSON. */
  inputSchema: JsonSchema | null;
  capabilities: ModelCapabilities;
  limits: { contextTokens?: number; outputTokens?: number };
  /** The provider's own price; money is micro-dollars as a decimal string per unit. */
  price: ModelPrice | null;
  /** All prices of a model with several (tokens in, out, cached). `price` is null then. */
  prices?: ModelPrice[];
  /**
   * Prices of the provider's own tools, in addition to its token prices: from the provider, the
   * built-in price list, or a person.
   */
  toolPrices?: ModelPrice[];
  status: "active" | "deprecated";
  /**
   * The model's name in the built-in price list, if `id` differs from it, as for a deployment.
   * Null: the list doesn't apply to this model.
   */
  pricedAs?: string | null;
  /** The dated snapshot that limits and capabilities come from, if the list doesn't state them. */
  factsSource?: { name: string; at: number };
  /** The number of concurrent runs that its server reports. */
  runsAtOnce?: number;
  /** The model's release date, if the provider states it: Unix time in milliseconds. */
  releasedAt?: number;
};

export type ModelCapabilities = {
  /** Chat: accepts pictures or PDFs directly. */
  imageInput?: boolean;
  pdfInput?: boolean;
  /** Chat: accepts HEIC photos as they are; set only if the provider says so. */
  heicInput?: boolean;
  /** Chat: accepts recordings and videos directly; set only if the provider says so. */
  audioInput?: boolean;
  videoInput?: boolean;
  /** Chat: answers may contain pictures. */
  imageOutput?: boolean;
  reasoning?: boolean;
  tools?: boolean;
  /** The model continues a partial assistant message. */
  prefill?: boolean;
  /** Equal input and seed give equal bytes. */
  deterministic?: boolean;
  seed?: boolean;
  /** The input field for the number of outputs of one call, and its maximum. */
  countField?: { name: string; most: number };
  preview?: boolean;
  /** A tool: its server declares that it changes nothing. */
  readOnly?: boolean;
  /**
   * A sample result from the provider, which our server fetches without a key when somebody opens
   * it.
   */
  sample?: { url: string };
  /**
   * A live canvas: the input field for the drawing; null for a model that makes frames from text
   * only.
   */
  live?: { drawing: string | null };
};

export type ModelPrice = Model["prices"][number];
