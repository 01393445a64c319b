import type { JsonSchema } from "#contract/json.ts";
import type { CallContext, RunRequest } from "../../adapter.ts";
import type { OfferedTask } from "./offered-tasks.ts";

type Fields = { [field: string]: unknown };
type Row = Record<string, unknown>;

/** Differences of a service from OpenAI's API. */
export type Quirks = {
  /** If undefined, the connection decides. */
  outputLimitField?: "max_tokens" | "max_completion_tokens";
  seedField?: string;
  /** The service always reports usage and refuses the option that requests it. */
  countsUnasked?: true;
  /** The service supports a schema, but no JSON mode without one. */
  shapesBySchema?: true;
  /** The service supports JSON but no schema. */
  shapesLoosely?: true;
  /**
   * The only field in which the service accepts the reasoning of earlier answers; `none`: it
   * refuses any.
   */
  takesReasoningIn?: "reasoning" | "none";
  /** Converts a call's id to the service's own form, because it refuses others. */
  callId?(id: string): string;
  /** Replaces `reasoning_effort`. */
  reasoning?(effort: string): Fields;
  /** The service takes a PDF as `document_url`. */
  documentUrls?: true;
  /** Fields sent with every chat. */
  chatFields?(request: RunRequest, context: CallContext): Fields;
  /** The response header with the cost in dollars. */
  costHeader?: string;
  /** The settings of a picture by this service's names; by default OpenAI's. */
  pictureFields?(input: RunRequest["input"]): { [field: string]: string | number | boolean };
  /** Settings of a transcript that the service accepts; it refuses others. */
  transcriptFields?: readonly string[];
  /** The service's own forms, in place of the general ones. */
  forms?: Partial<Record<OfferedTask, JsonSchema>>;
  /** Additional settings of a chat. */
  chatForm?: { [name: string]: JsonSchema };
  models?: {
    /** Reads the rows from elsewhere than GET /models. */
    rows?(context: CallContext): Promise<Row[]>;
    /** Tasks that the list doesn't state, by the ids in the service's documentation. */
    tasks?: Readonly<Record<string, OfferedTask>>;
    /**
     * The list's `created` is the release date. Most servers put their start time there, or the
     * current time.
     */
    datesReleases?: true;
    /** Ids that the kind knows, regardless of their names. */
    knows?(id: string): boolean;
    /** Ids in the list that fit no task. */
    leftOut?: RegExp;
  };
};
