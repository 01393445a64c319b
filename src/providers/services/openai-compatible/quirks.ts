import type { JsonSchema } from "#contract/json.ts";
import type { CallContext, RunRequest } from "../../adapter.ts";
import type { OfferedTask } from "./offered-tasks.ts";

type Fields = { [field: string]: unknown };
type Row = Record<string, unknown>;

/** Where a service differs from OpenAI's API. */
export type Quirks = {
  /** If undefined, the connection decides. */
  outputLimitField?: "max_tokens" | "max_completion_tokens";
  seedField?: string;
  /** It always reports usage and refuses the option that requests it. */
  countsUnasked?: true;
  /** It takes a schema, and no mode of JSON without one. */
  shapesBySchema?: true;
  /** It supports JSON but no schema. */
  shapesLoosely?: true;
  /** The only field in which it takes the reasoning of earlier answers back; `none`: it refuses any. */
  takesReasoningIn?: "reasoning" | "none";
  /** Its own form of a call's id: it refuses others. */
  callId?(id: string): string;
  /** In place of `reasoning_effort`. */
  reasoning?(effort: string): Fields;
  /** A PDF goes in as `document_url`. */
  documentUrls?: true;
  /** Fields sent with every chat. */
  chatFields?(request: RunRequest, context: CallContext): Fields;
  /** The header of an answer with its cost in dollars. */
  costHeader?: string;
  /** The settings of a picture under this service's names; where it is left out, those of OpenAI. */
  pictureFields?(input: RunRequest["input"]): { [field: string]: string | number | boolean };
  /** Settings of a transcript that it takes; it refuses others. */
  transcriptFields?: readonly string[];
  /** Its own forms, in place of the general ones. */
  forms?: Partial<Record<OfferedTask, JsonSchema>>;
  /** Further settings of a chat. */
  chatForm?: { [name: string]: JsonSchema };
  models?: {
    /** Reads the rows elsewhere than from GET /models. */
    rows?(context: CallContext): Promise<Row[]>;
    /** Tasks that its list doesn't state, by the IDs in its documentation. */
    tasks?: Readonly<Record<string, OfferedTask>>;
    /** Its `created` is the release date. Most servers put their start time there, or now. */
    datesReleases?: true;
    /** IDs that the kind knows, regardless of their names. */
    knows?(id: string): boolean;
    /** IDs in its list that fit no task. */
    leftOut?: RegExp;
  };
};
