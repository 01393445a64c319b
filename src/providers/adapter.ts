import type { JsonObject } from "#contract/json.ts";
import type { AnswerPart } from "./adapter/answers.ts";
import type { BillsAdapter } from "./adapter/bills.ts";
import type { CallContext } from "./adapter/calls.ts";
import type { ConnectionKind } from "./adapter/connections.ts";
import type { JobAdapter, WebhookAdapter } from "./adapter/jobs.ts";
import type { LocalModels, WorkflowsAdapter } from "./adapter/local-models.ts";
import type { ModelFacts } from "./adapter/models.ts";
import type { RealtimeAdapter } from "./adapter/realtime.ts";
import type { AskedRun, RunContext, RunRequest } from "./adapter/runs.ts";
import type { PlainQuestion } from "./adapter/turns.ts";

export type { Usage } from "#domain/money/prices.ts";
export type * from "./adapter/answers.ts";
export type * from "./adapter/bills.ts";
export type * from "./adapter/calls.ts";
export type * from "./adapter/connections.ts";
export * from "./adapter/errors.ts";
export type * from "./adapter/jobs.ts";
export type * from "./adapter/local-models.ts";
export type * from "./adapter/models.ts";
export type * from "./adapter/realtime.ts";
export type * from "./adapter/runs.ts";
export type * from "./adapter/turns.ts";

/** A kind whose adapter loads on first use, so that an idle server holds only the built-in one. */
export type LoadableKind = ConnectionKind & { load(): Promise<Adapter> };

/**
 * Implements a kind: the check, the list of models, and the ways to run that it declares. An
 * adapter keeps no state between calls, writes no row, retries nothing and logs no secret. Only the
 * engine waits, polls and retries.
 */
export type Adapter = ConnectionKind & {
  /**
   * Verifies the address and the key with a free call.
   * @throws ProviderError
   */
  check(context: CallContext): Promise<{ message: string }>;
  /**
   * Lists every model, in pages.
   * @throws ProviderError
   */
  models(context: CallContext): AsyncIterable<ModelFacts[]>;
  /** Makes one request whose response is the output, streamed or whole. */
  answer?(request: RunRequest, context: RunContext): AsyncIterable<AnswerPart>;
  /**
   * Counts the tokens of a question at the provider, for free.
   * @returns null if the provider doesn't count for this model
   * @throws ProviderError
   */
  countTokens?(
    model: string,
    question: PlainQuestion,
    context: CallContext,
  ): Promise<number | null>;
  /** Runs long jobs: submit returns an id, and the engine follows the job to its end. */
  job?: JobAdapter;
  /** A socket of frames: each input is answered at once, for as long as a person draws. */
  realtime?: RealtimeAdapter;
  /**
   * Reads a file whose URL `needsKey`. Each iteration sends a new request.
   * @throws ProviderError
   */
  openFile?(url: string, context: CallContext): AsyncIterable<Uint8Array>;
  /**
   * For a kind with both `answer` and `job`: decides whether a run on this connection uses
   * `answer`. Without this method, runs use `job`.
   */
  prefersAnswer?(options: JsonObject, run: AskedRun): boolean;
  /** Webhooks by which the provider reports the progress of a job. */
  webhook?: WebhookAdapter;
  /** Acts on a local server's own models: list, load, unload, pull, delete. */
  local?: LocalModels;
  /** Manages the workflows that people add to the connection as its models. */
  workflows?: WorkflowsAdapter;
  /** Reads the provider's own bills, request by request. */
  bills?: BillsAdapter;
  /**
   * Signs a person in at the server: `begin` returns the URL to open, and `finish` takes the
   * parameters of the URL that the server redirects the person to.
   * @throws ProviderError in both
   */
  signIn?: {
    begin(given: { redirectUrl: string; state: string }, context: CallContext): Promise<string>;
    finish(
      given: { code?: string | undefined; error?: string | undefined; iss?: string | undefined },
      context: CallContext,
    ): Promise<void>;
  };
  /** Closes everything kept open between calls, when the program stops. */
  close?(): Promise<void>;
};
