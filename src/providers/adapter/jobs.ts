import type { JsonObject } from "#contract/json.ts";
import type { Usage } from "#domain/money/prices.ts";
import type { AnswerPart, ProducedFile } from "./answers.ts";
import type { CallContext } from "./calls.ts";
import type { RunContext, RunRequest } from "./runs.ts";

/**
 * The provider's response to a submit, stored with the attempt as JSON. `urls` are the URLs, or
 * other strings, by which the job is polled.
 */
export type JobHandle = { id: string; urls: Record<string, string> };

export type JobStatus = {
  state: "queued" | "running" | "done";
  queuePlace?: number;
  progress?: { done: number; total: number; label?: string };
  logs?: { at?: number; level?: string; message: string }[];
  /** A small picture of the coming result, shown but not saved. */
  preview?: { mime: string; bytes: Uint8Array };
};

export type JobResult = {
  files: ProducedFile[];
  /** Chat only: the parts of the answer (text, reasoning, sources, calls). */
  answerParts?: AnswerPart[];
  /** Text, numbers and seeds in addition to the files; saved with the run. */
  result: JsonObject;
  usage: Usage;
  costMicros?: number;
};

export type JobAdapter = {
  submit(request: RunRequest, context: RunContext): Promise<JobHandle>;
  /** Yields each change until done. The engine falls back to `status` when the stream breaks. */
  follow?(handle: JobHandle, context: CallContext): AsyncIterable<JobStatus>;
  status(handle: JobHandle, context: CallContext): Promise<JobStatus>;
  /**
   * Returns the result of a completed job.
   * @throws ProviderError if the job failed
   */
  result(handle: JobHandle, context: CallContext): Promise<JobResult>;
  /**
   * Cancels the job.
   * @returns true if the provider confirms that the job is stopped, false if it is too late
   */
  cancel(handle: JobHandle, context: CallContext): Promise<boolean>;
  /**
   * Returns a handle for a job of which only the provider's id is known, from a webhook or from a
   * person. Sends no request: `status` tells whether the job exists.
   * @returns undefined if the provider can't have issued this id
   */
  handleOf?(id: string, model: string, context: CallContext): JobHandle | undefined;
  /**
   * The field of the submit's JSON that contains the id, so that a response that breaks off after
   * it still identifies the job. Needs `handleOf`.
   */
  idField?: string;
  /** The submit carries `clientToken`. A second submit with the same token returns the same job. */
  takesToken?: true;
  /**
   * Finds the job that was submitted with this token at `since` (wall clock) or later.
   * @returns undefined if the provider has none
   * @throws ProviderError
   */
  find?(
    lost: { clientToken: string; since: number },
    context: CallContext,
  ): Promise<JobHandle | undefined>;
};

/** A raw request from outside. Its signature covers the bytes. */
export type WebhookCall = { headers: Headers; body: Uint8Array };

export type WebhookContext = CallContext & {
  /**
   * Returns the keys published at a URL, cached for a day. `fresh` fetches them again, at a limited
   * rate.
   * @throws ProviderError
   */
  keys(url: string, fresh?: "fresh"): Promise<readonly JsonWebKey[]>;
};

export type WebhookAdapter = {
  /**
   * Verifies that the provider signed a call recently. The call's content is never trusted: the
   * engine polls the job itself.
   * @returns the job, or null for any other call
   * @throws ProviderError if the keys can't be fetched
   */
  verify(call: WebhookCall, context: WebhookContext): Promise<{ requestId: string } | null>;
};
