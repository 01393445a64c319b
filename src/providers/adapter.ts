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

/** What a kind of connection declares of itself: it is known of every kind, before any of its code is loaded. */
export type ConnectionKind = {
  kind: string;
  name: string;
  /** One line under the name where a person picks a kind. */
  summary: string;
  /** Among which services a person finds it there. */
  group: ServiceGroup;
  /** Where to read more: a file of docs/providers. */
  docs: string;
  /** A built-in kind has one instance connection and can't be added or removed. */
  builtin?: boolean;
  /** Free of charge and local: a lost answer may be asked again. */
  free?: boolean;
  /** If left out, its address decides whether it is local or hosted. */
  runsOn?: RunPlace;
  /** Fields of the form that connects it. */
  fields: readonly ConnectionField[];
  /**
   * Every address it calls, by name, with its default; an admin may set another on the connection. A default may name an
   * option in braces ("https://service.{region}.example"), which is replaced before the adapter sees it.
   */
  addresses: Readonly<Record<string, string>>;
  /** Environment variables whose presence is offered at set-up as a key for this kind, never taken silently. */
  environmentKeys?: readonly string[];
  tasks: readonly Task[];
  /** Its list often states no tasks, so a person may set them (`CallContext.tasks`). */
  takesTasks?: true;
  /** What its chats don't support. A request with it is refused instead of sent without it. */
  lacks?: readonly ("tools" | "answerShape")[];
  /** Parameters of OpenAI's API for chats that it takes from programs as they are, in addition to the settings of its form. */
  passes?: readonly string[];
  /** Those of them that its models refuse while they reason. */
  refusesInReasoning?: readonly string[];
  /** Several inputs in one request for embeddings; one text each if left out. */
  embeds?: EmbeddingReach;
  /** Its adapter counts the tokens of a question (`countTokens`). */
  countsTokens?: true;
  /** Its API requires an output limit for chats. */
  needsOutputLimit?: true;
  /** The most uses of its own tools per answer when a bound is needed (`maxToolUses` of the input). */
  toolUsesMost?: number;
  /** Concurrent runs of a local server, if the kind itself knows. */
  localPlaces?: number;
  /** How long the provider keeps result files without an expiry of their own. An hour by default. */
  outputLifetimeMs?: number;
  /** How long the provider keeps an ended job, by its documentation. A day by default. */
  jobLifetimeMs?: number;
  /** The choice with which a person signs in at the server (`signIn`). */
  signInWhen?: { field: string; is: string };
  /** The field with the sign-in address. It is reached for signing in only. */
  signInAddress?: string;
  /** Its adapter knows the state of the server's own models, and acts on them (`local`). */
  hasLocalModels?: true;
  /** Its models are workflows that people add to the connection (`workflows`). */
  hasWorkflows?: true;
  /** Where a person finds the key for reading bills (`bills`), which may see more than a connection should. */
  billKeyHint?: string;
};

/** A kind whose adapter loads with its first use, so that an idle server holds only the built-in one. */
export type LoadableKind = ConnectionKind & { load(): Promise<Adapter> };

/**
 * A kind that does what it declares: it implements what it can of check, models and the ways to run. It holds no state
 * between calls, writes no row, retries nothing and logs no secret; only the engine waits, polls and repeats.
 */
export type Adapter = ConnectionKind & {
  /** A free call that verifies address and key. Throws ProviderError. */
  check(context: CallContext): Promise<{ message: string }>;
  /** Every model, as pages. Throws ProviderError. */
  models(context: CallContext): AsyncIterable<ModelFacts[]>;
  /** One request whose response is the output, streamed or whole. */
  answer?(request: RunRequest, context: RunContext): AsyncIterable<AnswerPart>;
  /** The tokens of a question, counted by the provider free of charge; null where it counts none of this model. Throws ProviderError. */
  countTokens?(
    model: string,
    question: PlainQuestion,
    context: CallContext,
  ): Promise<number | null>;
  /** A long job: submit gives an id, then it is followed to its end. */
  job?: JobAdapter;
  /** A socket of frames: each input is answered at once, for as long as a person draws. */
  realtime?: RealtimeAdapter;
  /** Reads a file whose address `needsKey`; each iteration sends a new request. Throws ProviderError. */
  openFile?(url: string, context: CallContext): AsyncIterable<Uint8Array>;
  /** For a kind with both ways to run: whether such a run of this connection goes by `answer`. Without it they go by `job`. */
  prefersAnswer?(options: JsonObject, run: AskedRun): boolean;
  /** The provider tells by itself that a job has moved. */
  webhook?: WebhookAdapter;
  /** Acts on the server's own models (a local server: what is loaded, load, unload, pull, delete). */
  local?: LocalModels;
  /** Its models are workflows that people add to the connection. */
  workflows?: WorkflowsAdapter;
  /** The provider tells what it billed, request by request. */
  bills?: BillsAdapter;
  /** A person signs in at the server: `begin` gives the address where, `finish` takes what they come back with. Throw ProviderError. */
  signIn?: {
    begin(given: { redirectUrl: string; state: string }, context: CallContext): Promise<string>;
    finish(
      given: { code?: string | undefined; error?: string | undefined; iss?: string | undefined },
      context: CallContext,
    ): Promise<void>;
  };
  /** Ends what is kept open between calls, when the program stops. */
  close?(): Promise<void>;
};

/** A question of words and calls alone, in the words of Anthropic's Messages. */
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

/** What of a run says which way it goes; `input` as in RunRequest. */
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
  /** A url field names the address it sets (a key of `addresses`); others go to `options`, a secret to `secret`. */
  address?: string;
  /** Shown under "Advanced". */
  advanced?: boolean;
  /**
   * Only where the choice `field` is one of these; a choice that was not made is its first. Elsewhere the field is not shown,
   * not needed, and what stood in it is let go.
   */
  when?: { field: string; is: readonly string[] };
};

/** What an adapter knows of the connection it speaks for. `secret` is open only here. */
export type OpenConnection = {
  id: string;
  kind: string;
  addresses: Readonly<Record<string, string>>;
  options: JsonObject;
  /** Of a kind with several secret fields: JSON of those that are filled in, by their names. */
  secret: string | null;
  /** An admin made it for everyone: it may use what the machine itself is allowed. A person's own may not. */
  isOfInstance?: boolean;
};

export type CallContext = {
  connection: OpenConnection;
  /** The guarded fetch: the only way out. */
  fetch: typeof globalThis.fetch;
  /** For a kind with `signInAddress`: the same, which reaches that one as well. */
  signInFetch?: typeof globalThis.fetch;
  /** The guarded socket. Where there is none, what it would tell is asked for. */
  openSocket?: OpenSocket;
  signal: AbortSignal;
  clock: { now(): number };
  /** Parses an answer that would hold up the server's own thread. The bytes are not the caller's any more, unless it throws Problem unavailable. */
  parseJson?(bytes: Uint8Array<ArrayBuffer>): Promise<unknown>;
  /** For a kind with `signIn`: what its server gave it, as text that only it reads, kept sealed. */
  grant?: {
    load(): Promise<string | null>;
    /** Puts what `change` makes of the text of this moment; nothing, where it gives null. It is asked again when another server was faster. */
    update(change: (text: string | null) => string | null): Promise<void>;
  };
  /** What people said that models of this connection do, by the models' ids; it goes before what the list says. */
  tasks?: ReadonlyMap<string, Task>;
  /** The operator lets connections of the instance start programs on this machine. */
  programs?: true;
  /** For a kind with `workflows`: those of this connection. */
  workflows?: { list(): Promise<Workflow[]>; get(id: string): Promise<Workflow | undefined> };
};

/** What a person added to a connection: its id is the model's. */
export type Workflow = { id: string; name: string; document: JsonObject };

export type WorkflowsAdapter = {
  /** A person's file as the document that is kept. Throws Problem("invalid_input") with `field: "workflow"`. */
  parse(text: string): JsonObject;
  /** The model that a workflow makes on this server, asked now. Throws Problem where it can't run there, or ProviderError. */
  describe(workflow: Workflow, context: CallContext): Promise<ModelFacts>;
};

export type ModelFacts = {
  /** The provider's own id; may hold slashes. */
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
  /** What the provider itself says; money is micro-dollars as a decimal string per unit. */
  price: ModelPrice | null;
  /** Where a model has several (tokens in, out, cached): all of them, and `price` is null. */
  prices?: ModelPrice[];
  /** Of the provider's own tools, beside what is said of its tokens: by the provider, the list that the program carries, or a person. */
  toolPrices?: ModelPrice[];
  status: "active" | "deprecated";
  /** The model's name in the price list that the program carries, where `id` is another (a deployment's). Null: what the list says of it does not hold here. */
  pricedAs?: string | null;
  /** Where limits and capabilities come from, when the list did not say them: a dated snapshot. */
  factsSource?: { name: string; at: number };
  /** Runs at once that its server says it takes. */
  runsAtOnce?: number;
  /** When it came out, where the provider says so: Unix time in milliseconds. */
  releasedAt?: number;
};

export type ModelCapabilities = {
  /** Chat: pictures or PDF may go in as such. */
  imageInput?: boolean;
  pdfInput?: boolean;
  /** Chat: recordings, and films, may go in as such: only where the provider says so. */
  audioInput?: boolean;
  videoInput?: boolean;
  /** Chat: its answers may hold pictures. */
  imageOutput?: boolean;
  reasoning?: boolean;
  tools?: boolean;
  /** The model continues a partial assistant message. */
  prefill?: boolean;
  /** The same input and seed give the same bytes. */
  deterministic?: boolean;
  seed?: boolean;
  /** More than one output from one call: the name of the input that says how many, and the most. */
  countField?: { name: string; most: number };
  preview?: boolean;
  /** A tool: its server says that it changes nothing. */
  readOnly?: boolean;
  /** A picture of what it makes, by its provider: fetched by our server without a key, when somebody looks. */
  sample?: { url: string };
  /** A live canvas: the input that takes the drawing; null for a model that makes frames of words alone. */
  live?: { drawing: string | null };
};

export type ModelPrice = Model["prices"][number];

/** One file that goes in: opened as often as needed, from our own store. */
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

/** Data that a provider wants back with its part, such as a reasoning signature. Only its own kind reads it. */
type ProviderExtras = { providerMetadata?: Record<string, JsonObject> };

/**
 * A model's wish to have a tool used. `input` is not checked against the tool's schema yet; it is empty when what the model wrote
 * is no JSON object, which is then `malformed`. `written` is the text of an object that JSON.stringify would write otherwise:
 * with other spaces, or with integers that a number can't hold.
 */
export type ToolCall = {
  type: "tool-call";
  callId: string;
  name: string;
  input: JsonObject;
  malformed?: string;
  written?: string;
} & ProviderExtras;
/** What a tool answered, as text that the model reads. */
type ToolResult = {
  type: "tool-result";
  callId: string;
  name: string;
  output: string;
  failed?: boolean;
};

/**
 * What the provider's own tools did during an answer, in the adapter's format. The next question over the same connection sends it back,
 * so that the model knows what it ran.
 */
export type ToolRecord = { type: "tool-record"; data: JsonObject };

export type ChatPart =
  | { type: "text"; text: string }
  | ({ type: "reasoning"; text: string } & ProviderExtras)
  | { type: "file"; file: InputFile }
  | ToolCall
  | ToolResult
  | ToolRecord;

/** A "tool" turn holds the results of the calls of the assistant's turn before it, and nothing else. */
export type ChatTurn = { role: "system" | "user" | "assistant" | "tool"; parts: ChatPart[] };

/** A tool that the model may ask for. `strict`: whether the provider holds its input to the schema, where a program says so. */
export type ToolDefinition = {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  strict?: boolean;
};
export type ToolChoice = "auto" | "none" | "required" | { name: string };
/**
 * The shape that an answer has to have. `strict`: whether the provider holds it to the schema; true if left out. `isAnyObject`: the
 * schema takes any object, which some providers have a mode of their own for.
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
  /** Settings as the form gave them. Where a schema names a file, the value is `asset:<id>`, resolved by `files`. */
  input: JsonObject;
  /** Chat only: what the model sees, oldest first. */
  turns: ChatTurn[];
  /** Chat only: tools that the model may ask for; the engine runs none by itself. */
  tools?: readonly ToolDefinition[];
  toolChoice?: ToolChoice;
  /** Chat only: the answer is JSON of this shape. */
  answerShape?: AnswerShape;
  /** Chat only: a program's parameters under the provider's own names, of those that its kind `passes`. */
  passed?: JsonObject;
  /** By asset id, without the `asset:`. */
  files: ReadonlyMap<string, InputFile>;
};

/** What a tool wants to know: an object by a schema of flat fields. */
export type AskedQuestion = { message: string; schema: JsonObject };

export type RunContext = CallContext & {
  /** An attempt's own token, stable over its life; sent where a provider takes one. */
  clientToken: string;
  /** For requests outside of `fetch`: called before the first byte is sent. */
  markSent?(): void;
  /** The provider's own id of a request that is answered at once, as soon as it is heard: its bill names the request by it. */
  named?(requestId: string): void;
  /** The provider has used a tool of its own for this answer, once more: it charges for that, whether the answer ends or breaks off. */
  used?(tool: CountedUse): void;
  /**
   * Asks the person in the chat that this run belongs to, and waits until they answer, decline or let the time pass (`cancel`). Absent
   * where nobody is there to ask. `withdrawn` is aborted when its server takes the question back: it is `cancel` then. Throws the
   * signal's reason.
   */
  askPerson?(
    question: AskedQuestion,
    withdrawn?: AbortSignal,
  ): Promise<{ action: QuestionAction; content?: JsonObject }>;
  /** Where the provider can report this run's job; absent if it could not reach us. */
  webhookUrl?: string;
  /** Each is kept on the run and shown; nothing is dropped in silence. */
  warn(warning: {
    type: "unsupported" | "changed" | "note";
    feature: string;
    message: string;
  }): void;
};

/** What comes out of an answer, in order. */
export type AnswerPart =
  | { type: "text"; text: string }
  /** Without text: that it begins, or what belongs to the reasoning so far (its signature). */
  | ({ type: "reasoning"; text: string } & ProviderExtras)
  | ToolCall
  | ToolRecord
  /** `assetId` if the document is a file in the conversation. */
  | { type: "source"; title: string; url?: string; document?: string; assetId?: string }
  /** Work done of work to do; never a timer. */
  | { type: "progress"; done: number; total: number; label?: string }
  /** A small picture of what is coming, shown and not kept. */
  | { type: "preview"; mime: string; bytes: Uint8Array }
  /** The whole event that the parts before it came in, without them (`partial` of contract/events.ts). */
  | { type: "partial"; data: JsonObject }
  /** A piece of a recording as it comes. `mime`: what the provider says it is. */
  | { type: "sound"; bytes: Uint8Array; mime?: string }
  /** The recording is whole: its pieces are a file. */
  | { type: "recorded"; name: string; mime?: string }
  | { type: "file"; output: ProducedFile }
  /**
   * The end. Without it the answer was interrupted. `costMicros` only when the provider itself reported it; `result`: text,
   * numbers, seeds in addition to the files, saved with the run.
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
 * A file to be stored: bytes at hand, an address to fetch from (one that opens only with the connection's key goes through
 * the adapter's `openFile`), or (`open`) what is read from elsewhere, from its beginning at each call.
 */
export type ProducedFile = {
  name: string;
  mime?: string;
  width?: number;
  height?: number;
  durationMs?: number;
  /** The provider's statement about the bytes, which is verified. */
  size?: number;
  sha256?: string;
} & (
  | { bytes: Uint8Array }
  | { open(): Promise<AsyncIterable<Uint8Array>> }
  | { url: string; expiresAt?: number; needsKey?: true }
);

/** What a provider gave at the submit, kept with the attempt as JSON. `urls` are the addresses, or other words, by which it is asked about the job. */
export type JobHandle = { id: string; urls: Record<string, string> };

export type JobStatus = {
  state: "queued" | "running" | "done";
  queuePlace?: number;
  progress?: { done: number; total: number; label?: string };
  logs?: { at?: number; level?: string; message: string }[];
  /** A small picture of what is coming, shown and not kept. */
  preview?: { mime: string; bytes: Uint8Array };
};

export type JobResult = {
  files: ProducedFile[];
  /** Chat only: what it said, as an answer gives it (text, reasoning, sources, calls). */
  said?: AnswerPart[];
  /** Text, numbers, seeds in addition to the files; saved with the run. */
  result: JsonObject;
  usage: Usage;
  costMicros?: number;
};

export type JobAdapter = {
  submit(request: RunRequest, context: RunContext): Promise<JobHandle>;
  /** Yields each change until done. The engine falls back to `status` when the stream breaks. */
  follow?(handle: JobHandle, context: CallContext): AsyncIterable<JobStatus>;
  status(handle: JobHandle, context: CallContext): Promise<JobStatus>;
  /** Throws ProviderError when the job failed. */
  result(handle: JobHandle, context: CallContext): Promise<JobResult>;
  /** True when the provider says that it is stopped; false when it can't be any more. */
  cancel(handle: JobHandle, context: CallContext): Promise<boolean>;
  /**
   * How to ask about a job of which only the provider's id is known, from a webhook or from a person. Undefined when this can
   * be no id of theirs. It asks nothing: whether there is such a job, `status` tells.
   */
  handleOf?(id: string, model: string, context: CallContext): JobHandle | undefined;
  /** The field of the submit's JSON that holds the id: an answer that breaks off behind it still names the job. Needs `handleOf`. */
  idField?: string;
  /** The submit carries `clientToken`. A second submit with the same token returns the same job. */
  takesToken?: true;
  /** The job that was submitted with this token of ours at `since` (wall clock) or later; undefined when the provider has none. Throws ProviderError. */
  find?(
    lost: { clientToken: string; since: number },
    context: CallContext,
  ): Promise<JobHandle | undefined>;
};

/** A raw call from outside. Its signature covers its bytes. */
export type WebhookCall = { headers: Headers; body: Uint8Array };

export type WebhookContext = CallContext & {
  /** The keys published at an address, cached for a day; `fresh` fetches them again, at a limited rate. Throws ProviderError. */
  keys(url: string, fresh?: "fresh"): Promise<readonly JsonWebKey[]>;
};

type WebhookAdapter = {
  /**
   * The job that the provider speaks of, when the call is signed by it and of now; null for anything else. The call's content
   * is never believed: the engine asks for the job itself. Throws ProviderError when the keys can't be had.
   */
  verify(call: WebhookCall, context: WebhookContext): Promise<{ requestId: string } | null>;
};

/** One line of a provider's bill. A request may have several. */
export type BilledEvent = {
  requestId: string;
  model: string;
  /** When it was billed. */
  at: number;
  /** What was charged after discounts: micro-dollars as exact decimal text. */
  micros: string;
};

type BillsAdapter = {
  /**
   * What was billed from `fromMs` on and before `toMs`, as pages in any order. `connection.secret` is the key that was given
   * for this one reading. Throws ProviderError: `provider_auth` for a key that may not read bills.
   */
  list(range: { fromMs: number; toMs: number }, context: CallContext): AsyncIterable<BilledEvent[]>;
};

/** One change of a live canvas: all settings of now, and the drawing as it is. */
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

/** What an open realtime session tells, in order. The engine sends the next input when the one before is answered. */
type RealtimeListener = {
  /** The answer to the input that was sent: mostly one frame. */
  frames(frames: readonly RealtimeFrame[]): void;
  /** This input gave no frame; the session continues. */
  refused(error: ProviderError): void;
  /** The end, once. Null: the service ended it in order, and another may be opened. Not called after `close`. */
  closed(error: ProviderError | null): void;
};

export type RealtimeSession = {
  /** Tells its answer later, never before it returns. */
  send(input: RealtimeInput): void;
  close(): void;
};

/** Opens a WebSocket at a ws: or wss: address. Throws ProviderError, or the signal's reason; the signal also ends it later. */
export type OpenSocket = (
  url: string,
  init: { headers?: Record<string, string>; signal: AbortSignal },
) => Promise<Socket>;

export type Socket = {
  send(content: string | Uint8Array): void;
  /**
   * The next frame, or null when `waitMs` pass without one. What came before an end is given first, then it throws ProviderError,
   * with the close code as its `reason`.
   */
  next(waitMs?: number): Promise<string | Uint8Array | null>;
  close(): void;
};

export type RealtimeContext = CallContext & {
  /** The guarded way out for sockets. */
  openSocket: OpenSocket;
};

export type RealtimeAdapter = {
  /** Resolves when inputs may be sent; nothing paid is asked for by opening. Throws ProviderError. */
  open(
    model: RunRequest["model"],
    context: RealtimeContext,
    on: RealtimeListener,
  ): Promise<RealtimeSession>;
};

/** A model of a local server, with its state there. */
export type LocalModel = {
  /** The id that the list of models gives. */
  model: string;
  name: string;
  state: LocalModelState;
  /** In memory, or else on the disk. */
  bytes?: number;
  /** When the server unloads it: Unix time in milliseconds. */
  expiresAt?: number;
};

/** Each throws ProviderError. */
export type LocalModels = {
  /** The server's models, and what it lets others do with them. */
  list(context: CallContext): Promise<{ models: LocalModel[]; acts: LocalAct[] }>;
  pull?(
    model: string,
    context: CallContext,
  ): AsyncIterable<{ status: string; done?: number; total?: number }>;
  remove?(model: string, context: CallContext): Promise<void>;
  /** Resolves when the server has begun, which may be before the model is in memory. */
  load?(model: string, context: CallContext): Promise<void>;
  unload?(model: string, context: CallContext): Promise<void>;
};

export type ProviderErrorDetail = ProblemDetail & {
  httpStatus?: number;
  /**
   * The error has the provider's own shape: it is the provider's verdict, not a gateway's. A 5xx without it leaves a paid request
   * unconfirmed, and so does a failure behind a 2xx without it.
   */
  ownShape?: boolean;
  /** The provider does not find the job that was asked about. */
  gone?: boolean;
  /** The job's documented time is over, and its provider says neither that it is done nor that it failed: nothing more is expected. */
  overdue?: boolean;
  /** A 503 in the provider's own shape, with its overload code or Retry-After: the program may send the request again. */
  overloaded?: boolean;
};

/** Any failure of a call. `accepted` is what the answer proves (domain/repeat.ts): "no" only where that is certain. */
export class ProviderError extends Error {
  readonly code: ErrorCode;
  readonly accepted: Accepted;
  readonly detail: ProviderErrorDetail;
  /** A sentence for who manages the connection and has just asked: it is said once and never kept. */
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
