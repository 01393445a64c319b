import type { QuestionAction } from "#contract/events.ts";
import type { CountedUse } from "#contract/filters/provider-tools.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import type { Task } from "#contract/tasks.ts";
import type { CallContext } from "./calls.ts";
import type { ModelCapabilities } from "./models.ts";
import type { AnswerShape, ChatTurn, InputFile, ToolChoice, ToolDefinition } from "./turns.ts";

/**
 * The facts of a run that decide whether it uses `answer` or `job`. `input` is as in RunRequest.
 */
export type AskedRun = {
  task: Task;
  modelId: string;
  inputSchema: JsonSchema | null;
  input: JsonObject;
};

export type RunRequest = {
  runId: string;
  task: Task;
  model: { id: string; inputSchema: JsonSchema | null; capabilities: ModelCapabilities };
  /**
   * The form's settings. Where a schema names a file, the value is `asset:<id>`, resolved by
   * `files`.
   */
  input: JsonObject;
  /** Chat only: the turns sent to the model, oldest first. */
  turns: ChatTurn[];
  /** Chat only: tools that the model may call. The engine runs none by itself. */
  tools?: readonly ToolDefinition[];
  toolChoice?: ToolChoice;
  /** Chat only: the answer must be JSON of this form. */
  answerShape?: AnswerShape;
  /**
   * Chat only: a program's parameters by the provider's own names, limited to those its kind
   * `passes`.
   */
  passed?: JsonObject;
  /** The input files by asset id, without the `asset:`. */
  files: ReadonlyMap<string, InputFile>;
};

/** A tool's question to a person: an object with a schema of flat fields. */
export type AskedQuestion = { message: string; schema: JsonObject };

export type RunContext = CallContext & {
  /** The attempt's token, which never changes; sent to providers that accept one. */
  clientToken: string;
  /** Called before the first byte of a request that doesn't go through `fetch`. */
  markSent?(): void;
  /**
   * Reports the provider's id of a synchronous request as soon as it arrives, because the bill
   * refers to it.
   */
  named?(requestId: string): void;
  /**
   * Reports one more use of a tool that the provider itself runs. The provider charges for it, even
   * if the answer breaks off.
   */
  used?(tool: CountedUse): void;
  /**
   * Asks the person in the run's chat, and waits until they answer, decline, or let the time run
   * out (`cancel`). Absent when there is nobody to ask. Aborting `withdrawn` withdraws the
   * question, with the result `cancel`.
   * @throws the signal's reason
   */
  askPerson?(
    question: AskedQuestion,
    withdrawn?: AbortSignal,
  ): Promise<{ action: QuestionAction; content?: JsonObject }>;
  /** The URL at which the provider can report this run's job; absent if it could not reach us. */
  webhookUrl?: string;
  /** Adds a warning to the run, where it is shown, so that nothing is dropped silently. */
  warn(warning: {
    type: "unsupported" | "changed" | "note";
    feature: string;
    message: string;
  }): void;
};
