import type { Model } from "#contract/entities.ts";
import type { ErrorCode, ProblemDetail } from "#contract/errors.ts";
import type { QuestionAction } from "#contract/events.ts";
import type {
  LocalAct,
  LocalModelState,
  RunPlace,
  ServiceGroup,
} from "#contract/filters/model-filters.ts";
import type { CountedUse } from "#contract/filters/provider-tools.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import type { Modality, Task } from "#contract/tasks.ts";
import type { Usage } from "#domain/money/prices.ts";
import type { EmbeddingReach } from "#domain/runs/embedding-batch.ts";
import type { Accepted } from "#domain/runs/repeat.ts";

export type { Usage } from "#domain/money/prices.ts";

/** The declaration of a kind of connection, available for every kind before its code is loaded. */
export type ConnectionKind = {
  kind: string;
  name: string;
  /** One line, shown under the name in the list of kinds. */
  summary: string;
  /** The group of services that this kind is listed in. */
  group: ServiceGroup;
  /** The file of docs/providers that documents the kind. */
  docs: string;
  /** A built-in kind has one instance connection and can't be added or removed. */
  builtin?: boolean;
  /** The kind is free and local, so a lost answer may be requested again. */
  free?: boolean;
  /**
   * Where the models run. If left out, the connection's address decides between local and hosted.
   */
  runsOn?: RunPlace;
  /** Fields of the form for a new connection. */
  fields: readonly ConnectionField[];
  /**
   * Every address that the adapter calls, by name, with its default. An admin may override one on
   * the connection. A default may contain an option in braces ("https://service.{region}.example"),
   * which is replaced before the adapter sees it.
   */
  addresses: Readonly<Record<string, string>>;
  /**
   * Environment variables whose value is offered during setup as a key for this kind. They are
   * never used without asking.
   */
  environmentKeys?: readonly string[];
  tasks: readonly Task[];
  /** The provider's list often states no tasks, so a person may set them (`CallContext.tasks`). */
  takesTasks?: true;
  /** Features that chats lack. A request that uses one is refused, not sent without it. */
  lacks?: readonly ("tools" | "answerShape")[];
  /**
   * Parameters of OpenAI's chat API that the kind accepts from programs unchanged, in addition to
   * the settings of its form.
   */
  passes?: readonly string[];
  /** Whether a model, unlike others of the kind, lacks a parameter of `passes`. */
  lacksParameter?(modelId: string, name: string): boolean;
  /** The parameters of `passes` that models refuse while reasoning. */
  refusesInReasoning?: readonly string[];
  /** How many inputs an embedding request may have; one text if left out. */
  embeds?: EmbeddingReach;
  /** The adapter counts the tokens of a question (`countTokens`). */
  countsTokens?: true;
  /** Answers cite the documents of their question, in Anthropic's form. */
  citesDocuments?: true;
  /** The API requires an output limit for chats. */
  needsOutputLimit?: true;
  /**
   * The most uses of the provider's own tools per answer, for when a bound is needed (`maxToolUses`
   * of the input).
   */
  toolUsesMost?: number;
  /** Concurrent runs of a local server, when the kind itself determines them. */
  localSlots?: number;
  /**
   * How long the provider keeps result files that have no expiry of their own. An hour by default.
   */
  outputLifetimeMs?: number;
  /** How long the provider keeps an ended job, by its documentation. A day by default. */
  jobLifetimeMs?: number;
  /** The choice of the form with which a person signs in at the server (`signIn`). */
  signInWhen?: { field: string; is: string };
  /** The field with the sign-in address, which is used only for signing in. */
  signInAddress?: string;
  /** The adapter reads the state of the server's own models, and acts on them (`local`). */
  hasLocalModels?: true;
  /** The models are workflows that people add to the connection (`workflows`). */
  hasWorkflows?: true;
  /**
   * Where a person finds the key that reads bills (`bills`), which may have more rights than a
   * connection should.
   */
  billKeyHint?: string;
};

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

/** A question of only text and tool calls, in the form of Anthropic's Messages. */
export type PlainQuestion = {
  messages: { role: "user" | "assistant"; content: string | PlainBlock[] }[];
  system?: string;
  tools?: { name: string; description?: string; input_schema: JsonObject }[];
  tool_choice?: JsonObject;
};
export type PlainBlock =
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: JsonObject }
  | { type: "tool_result"; tool_use_id: string; content: string | PlainBlock[] };

/**
 * The facts of a run that decide whether it uses `answer` or `job`. `input` is as in RunRequest.
 */
export type AskedRun = {
  task: Task;
  modelId: string;
  inputSchema: JsonSchema | null;
  input: JsonObject;
};

export type ConnectionField = {
  name: string;
  label: string;
  kind: "secret" | "url" | "text" | "number" | "choice";
  required: boolean;
  hint?: string;
  choices?: readonly string[];
  placeholder?: string;
  /**
   * A url field sets this address (a key of `addresses`). Other fields are stored in `options`,
   * secrets in `secret`.
   */
  address?: string;
  /** Shown under "Advanced". */
  advanced?: boolean;
  /**
   * The field applies only if the choice `field` has one of these values; a choice that nobody made
   * has its first value. A field that doesn't apply is hidden and not required, and its value is
   * dropped.
   */
  when?: { field: string; is: readonly string[] };
};

/** An adapter's view of its connection. `secret` is decrypted only here. */
export type OpenConnection = {
  id: string;
  kind: string;
  addresses: Readonly<Record<string, string>>;
  options: JsonObject;
  /**
   * The decrypted secret. For a kind with several secret fields: JSON of the non-empty ones, by
   * name.
   */
  secret: string | null;
  /**
   * An admin created the connection for everyone, so it may use the machine's own credentials. A
   * personal connection may not.
   */
  isOfInstance?: boolean;
};

export type CallContext = {
  connection: OpenConnection;
  /** The guarded fetch, the only way to the network. */
  fetch: typeof globalThis.fetch;
  /** For a kind with `signInAddress`: a guarded fetch that may also reach that address. */
  signInFetch?: typeof globalThis.fetch;
  /** The guarded socket. Without it, events have to be polled. */
  openSocket?: OpenSocket;
  signal: AbortSignal;
  clock: { now(): number };
  /**
   * Parses a response that would block the server's own thread. The caller's bytes are transferred,
   * unless this throws.
   * @throws Problem unavailable
   */
  parseJson?(bytes: Uint8Array<ArrayBuffer>): Promise<unknown>;
  /**
   * The grant that the server of a kind with `signIn` issued: text that only the kind reads, stored
   * sealed.
   */
  grant?: {
    load(): Promise<string | null>;
    /**
     * Replaces the current text with the result of `change`, or leaves it if that is null. `change`
     * is called again if another server was faster.
     */
    update(change: (text: string | null) => string | null): Promise<void>;
  };
  /** Tasks that people set for models of this connection, by model id. They override the list. */
  tasks?: ReadonlyMap<string, Task>;
  /** The operator allows the instance's connections to start programs on this machine. */
  programs?: true;
  /** For a kind with `workflows`: the connection's workflows. */
  workflows?: { list(): Promise<Workflow[]>; get(id: string): Promise<Workflow | undefined> };
};

/** A workflow that a person added to a connection. Its id is the model's. */
export type Workflow = { id: string; name: string; document: JsonObject };

export type WorkflowsAdapter = {
  /**
   * Converts a person's file to the stored document.
   * @throws Problem invalid_input with `field: "workflow"`
   */
  parse(text: string): JsonObject;
  /**
   * Returns the model of a workflow on this server, as of now.
   * @throws Problem if the workflow can't run there, or ProviderError
   */
  describe(workflow: Workflow, context: CallContext): Promise<ModelFacts>;
};

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

/** An input file from our own store, which can be opened repeatedly. */
export type InputFile = {
  assetId: string;
  sha256: string;
  mime: string;
  bytes: number;
  name: string;
  width: number | null;
  height: number | null;
  open(range?: { start: number; end: number }): Promise<AsyncIterable<Uint8Array>>;
};

/**
 * Data that a provider expects back with its part, such as a reasoning signature. Only its own kind
 * reads it.
 */
type ProviderExtras = { providerMetadata?: Record<string, JsonObject> };

/**
 * A model's request to use a tool. `input` isn't validated against the tool's schema yet. If the
 * model's text isn't a JSON object, `input` is empty and the text is in `malformed`. `written` is
 * the original text of an object that JSON.stringify would write differently: with other spaces, or
 * with integers that a number can't hold.
 */
export type ToolCall = {
  type: "tool-call";
  callId: string;
  name: string;
  input: JsonObject;
  malformed?: string;
  written?: string;
} & ProviderExtras;
/**
 * The next part of a call's arguments, as the model writes them. The `tool-call` with all of them
 * follows, and its `written` or `malformed` text begins with the pieces. `place` is the call's index
 * among the answer's calls: they end in the order in which they begin.
 */
type ToolCallPiece = { type: "tool-call-piece"; place: number; name: string; text: string };
/** A tool's result, as text for the model. */
type ToolResult = {
  type: "tool-result";
  callId: string;
  name: string;
  output: string;
  failed?: boolean;
};

/**
 * A record of the provider's own tools in an answer, in the adapter's format. The next question
 * over the same connection sends it back, so that the model knows which tools ran.
 */
export type ToolRecord = { type: "tool-record"; data: JsonObject };

export type ChatPart =
  | { type: "text"; text: string }
  | ({ type: "reasoning"; text: string } & ProviderExtras)
  | { type: "file"; file: InputFile }
  | ToolCall
  | ToolResult
  | ToolRecord;

/** A "tool" turn contains only the results of the calls in the assistant's turn before it. */
export type ChatTurn = { role: "system" | "user" | "assistant" | "tool"; parts: ChatPart[] };

/**
 * A tool that the model may call. `strict`: whether the provider enforces the input's schema, if a
 * program sets it.
 */
export type ToolDefinition = {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  strict?: boolean;
};
export type ToolChoice = "auto" | "none" | "required" | { name: string };
/**
 * The required form of an answer. `strict`: whether the provider enforces the schema; true if left
 * out. `isAnyObject`: the schema accepts any object, for which some providers have a mode of their
 * own.
 */
export type AnswerShape = {
  name: string;
  schema: JsonSchema;
  strict?: boolean;
  isAnyObject?: true;
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

/** The parts of an answer, in order. */
export type AnswerPart =
  /** `citations` ends a block of text, which has them. The text may be empty then. */
  | { type: "text"; text: string; citations?: JsonObject[] }
  /**
   * Reasoning with an empty text marks the start, or carries data for the reasoning so far (its
   * signature).
   */
  | ({ type: "reasoning"; text: string } & ProviderExtras)
  | ToolCallPiece
  | ToolCall
  | ToolRecord
  /** `assetId` is set if the document is a file in the conversation. */
  | { type: "source"; title: string; url?: string; document?: string; assetId?: string }
  /** Work done out of work to do; never a timer. */
  | { type: "progress"; done: number; total: number; label?: string }
  /** A small picture of the coming result, shown but not saved. */
  | { type: "preview"; mime: string; bytes: Uint8Array }
  /**
   * The whole event that contained the previous parts, without those parts (`partial` of
   * contract/events.ts).
   */
  | { type: "partial"; data: JsonObject }
  /** A piece of a recording as it arrives. `mime` is the provider's label. */
  | { type: "sound"; bytes: Uint8Array; mime?: string }
  /** The recording is complete: its pieces become a file. */
  | { type: "recorded"; name: string; mime?: string }
  | { type: "file"; output: ProducedFile }
  /**
   * The end of the answer; an answer without it was interrupted. `costMicros` is set only if the
   * provider itself reported it. `result` holds text, numbers and seeds in addition to the files,
   * and is saved with the run.
   */
  | {
      type: "finish";
      reason: FinishReason;
      usage: Usage;
      costMicros?: number;
      result?: JsonObject;
    };

export type FinishReason = "stop" | "length" | "content-filter" | "tool-calls" | "other";

/**
 * A file to store: as bytes, as a URL to fetch (one that needs the connection's key goes through
 * the adapter's `openFile`), or through `open`, which reads another source from its start at each
 * call.
 */
export type ProducedFile = {
  name: string;
  mime?: string;
  width?: number;
  height?: number;
  durationMs?: number;
  /** The size and hash that the provider states. Both are verified. */
  size?: number;
  sha256?: string;
} & (
  | { bytes: Uint8Array }
  | { open(): Promise<AsyncIterable<Uint8Array>> }
  | { url: string; expiresAt?: number; needsKey?: true }
);

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

type WebhookAdapter = {
  /**
   * Verifies that the provider signed a call recently. The call's content is never trusted: the
   * engine polls the job itself.
   * @returns the job, or null for any other call
   * @throws ProviderError if the keys can't be fetched
   */
  verify(call: WebhookCall, context: WebhookContext): Promise<{ requestId: string } | null>;
};

/** A line of a provider's bill. A request may have several. */
export type BilledEvent = {
  requestId: string;
  model: string;
  /** When it was billed. */
  at: number;
  /** The amount after discounts: micro-dollars as exact decimal text. */
  micros: string;
};

type BillsAdapter = {
  /**
   * Lists the lines billed from `fromMs` until before `toMs`, as pages in any order.
   * `connection.secret` is the key supplied for this single reading.
   * @throws ProviderError: `provider_forbidden` for a key that may not read bills
   */
  list(range: { fromMs: number; toMs: number }, context: CallContext): AsyncIterable<BilledEvent[]>;
};

/** A change to a live canvas: all current settings, and the current drawing. */
export type RealtimeInput = {
  settings: JsonObject;
  drawing: { mime: string; bytes: Uint8Array } | null;
};
export type RealtimeFrame = {
  mime: string;
  bytes: Uint8Array;
  width?: number;
  height?: number;
  seed?: number;
};

/**
 * Receives an open session's events, in order. The engine sends the next input once the previous
 * one is answered.
 */
type RealtimeListener = {
  /** The answer to the last input, usually a single frame. */
  frames(frames: readonly RealtimeFrame[]): void;
  /** The last input gave no frame; the session continues. */
  refused(error: ProviderError): void;
  /**
   * The end, called once. Null: the service ended the session normally, and another may be opened.
   * Not called after `close`.
   */
  closed(error: ProviderError | null): void;
};

export type RealtimeSession = {
  /** Calls the listener later, never before it returns. */
  send(input: RealtimeInput): void;
  close(): void;
};

/**
 * Opens a WebSocket at a ws: or wss: URL. The signal also closes it later.
 * @throws ProviderError, or the signal's reason
 */
export type OpenSocket = (
  url: string,
  init: { headers?: Record<string, string>; signal: AbortSignal },
) => Promise<Socket>;

export type Socket = {
  send(content: string | Uint8Array): void;
  /**
   * Returns the next frame, or null if `waitMs` pass without one. Frames received before the socket
   * closed are returned first.
   * @throws ProviderError once the socket is closed, with the close code as its `reason`
   */
  next(waitMs?: number): Promise<string | Uint8Array | null>;
  close(): void;
};

export type RealtimeContext = CallContext & {
  /** The guarded way out for sockets. */
  openSocket: OpenSocket;
};

/** `app`: a token for all models of the model's app. `endpoint`: for this model alone. */
export type SocketTokenAsk = { opens: "app" | "endpoint"; seconds: number };

export type RealtimeAdapter = {
  /**
   * Opens a session, and resolves when inputs may be sent. Opening costs nothing.
   * @throws ProviderError
   */
  open(
    model: RunRequest["model"],
    context: RealtimeContext,
    on: RealtimeListener,
  ): Promise<RealtimeSession>;
  /**
   * Creates a token with which a client opens the service's sockets itself.
   * @throws ProviderError
   */
  token?(model: string, ask: SocketTokenAsk, context: CallContext): Promise<string>;
};

/** A model of a local server, with its state there. */
export type LocalModel = {
  /** The model's id in the list of models. */
  model: string;
  name: string;
  state: LocalModelState;
  /** Size in memory if loaded, otherwise on the disk. */
  bytes?: number;
  /** When the server unloads the model: Unix time in milliseconds. */
  expiresAt?: number;
};

/** Every method throws ProviderError. */
export type LocalModels = {
  /** Lists the server's models, and the acts that it allows on them. */
  list(context: CallContext): Promise<{ models: LocalModel[]; acts: LocalAct[] }>;
  pull?(
    model: string,
    context: CallContext,
  ): AsyncIterable<{ status: string; done?: number; total?: number }>;
  remove?(model: string, context: CallContext): Promise<void>;
  /** Resolves once the server has started loading, which may be before the model is in memory. */
  load?(model: string, context: CallContext): Promise<void>;
  unload?(model: string, context: CallContext): Promise<void>;
};

export type ProviderErrorDetail = ProblemDetail & {
  httpStatus?: number;
  /**
   * The error has the provider's own form, so it is the provider's verdict, not a gateway's. A 5xx
   * without it leaves a paid request unconfirmed, and so does a failure after a 2xx without it.
   */
  ownShape?: boolean;
  /** The provider can't find the requested job. */
  gone?: boolean;
  /**
   * The job's documented time is over, and its provider reports neither success nor failure: no
   * result is expected any more.
   */
  overdue?: boolean;
  /**
   * A 503 in the provider's own form, with its overload code or Retry-After: the program may send
   * the request again.
   */
  overloaded?: boolean;
};

/**
 * Any failure of a call. `accepted` states whether the provider accepted the request, as far as the
 * response proves it (domain/runs/repeat.ts): "no" only when that is certain.
 */
export class ProviderError extends Error {
  readonly code: ErrorCode;
  readonly accepted: Accepted;
  readonly detail: ProviderErrorDetail;
  /**
   * A sentence for the manager of the connection who made the request. It is shown once and never
   * saved.
   */
  readonly aside: string | null;
  constructor(
    code: ErrorCode,
    accepted: Accepted,
    detail: ProviderErrorDetail = {},
    options: { cause?: unknown; aside?: string } = {},
  ) {
    super(detail.message ?? code, options);
    this.name = "ProviderError";
    this.code = code;
    this.accepted = accepted;
    this.detail = detail;
    this.aside = options.aside ?? null;
  }
}
