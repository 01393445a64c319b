import type { JsonSchema } from "#contract/json.ts";
import type { CallContext, RunRequest } from "../../adapter.ts";
import type { OfferedTask } from "./offered-tasks.ts";

type Fields = { [field: string]: unknown };
type Row = Record<string, unknown>;

/** Where a service leaves the way of its kin. What is not said is as OpenAI's API has it. */
export type Quirks = {
  /** Left open, the connection says it. */
  outputLimitField?: "max_tokens" | "max_completion_tokens";
  seedField?: string;
  /** It counts by itself, and refuses to be asked for it. */
  countsUnasked?: true;
  /** It knows no shape but "some JSON". */
  shapesLoosely?: true;
  /** In place of `reasoning_effort`. */
  reasoning?(effort: string): Fields;
  /** A PDF goes in as `document_url`. */
  documentUrls?: true;
  /** Fields that go along with every chat. */
  chatFields?(request: RunRequest, context: CallContext): Fields;
  /** A header of an answer that says its cost in dollars. */
  costHeader?: string;
  /** The settings of a picture under this service's names; where it is left out, those of OpenAI. */
  pictureFields?(input: RunRequest["input"]): { [field: string]: string | number | boolean };
  /** Settings of a transcript that it takes; it refuses others. */
  transcriptFields?: readonly string[];
  /** Forms of its own, in place of those that fit any server. */
  forms?: Partial<Record<OfferedTask, JsonSchema>>;
  /** Further settings of a chat. */
  chatForm?: { [name: string]: JsonSchema };
  models?: {
    /** In place of the rows of GET /models: what it says of its models elsewhere. */
    rows?(context: CallContext): Promise<Row[]>;
    /** Tasks that its list does not say, by the ids of its own documentation. */
    tasks?: Readonly<Record<string, OfferedTask>>;
    /** Its `created` is when the model came out. Of most servers it is when they were started, or the very moment. */
    datesReleases?: true;
    /** Ids that the kind knows itself, regardless of their names. */
    knows?(id: string): boolean;
    /** Ids of its list that do what there is no task for. */
    leftOut?: RegExp;
  };
};
