import type { ErrorCode } from "#contract/errors.ts";
import type {
  Adapter,
  OpenConnection,
  ProviderError,
  RunContext,
  RunRequest,
} from "#providers/adapter.ts";
import type { Behaviour } from "../../simulators/kit/behaviour.ts";
import type { Interruption } from "../../simulators/kit/interrupt.ts";

type Accepted = ProviderError["accepted"];
type Row = {
  code: ErrorCode;
  /** After the first byte, where the same thing has another name. */
  late?: ErrorCode;
  /** Whether a request that is refused so may have been taken. */
  accepted: Accepted;
  /** What the person is told to do. */
  next: RegExp;
  lateNext?: RegExp;
};

/** Everything that goes wrong with a request that has reached its provider, and what it is to us, whoever the provider is. */
const rows = {
  "rate limit": { code: "provider_rate_limited", accepted: "no", next: /again in a moment/ },
  "used up": { code: "provider_quota", accepted: "no", next: /Add credit/ },
  "wrong key": { code: "provider_auth", accepted: "no", next: /Check the key/ },
  "missing right": { code: "provider_auth", accepted: "no", next: /Check the key/ },
  "too long": { code: "provider_context_too_long", accepted: "no", next: /Shorten it/ },
  filter: { code: "provider_rejected", accepted: "no", next: /Change the prompt/ },
  "wrong setting": {
    code: "provider_invalid_input",
    accepted: "no",
    next: /Change the named setting/,
  },
  "model gone": { code: "model_gone", accepted: "no", next: /Choose another model/ },
  overload: {
    code: "provider_overloaded",
    accepted: "no",
    next: /in a moment, or choose another model/,
  },
  timeout: { code: "provider_timeout", accepted: "no", next: /Try again/ },
  "broken server": {
    code: "provider_failed",
    late: "provider_interrupted",
    accepted: "no",
    next: /in a moment, or choose another model/,
    lateNext: /^Try again\.$/,
  },
} as const satisfies Record<string, Row>;

export type RowName = keyof typeof rows;
export const rowNames = Object.keys(rows) as RowName[];
export const rowOf = (name: RowName): Row => rows[name];

/** Where the provider means something else by it than most do. */
type Otherwise = { code?: ErrorCode; accepted?: Accepted };

/** A refusal in place of an answer, as the provider's reference or its server's source has it. `{key}` stands for the key. */
export type Refusal = Otherwise & {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
  /** How long it asks us to wait. */
  waitMs?: number;
  /** The field that it names. */
  field?: string;
  /** It says nothing that a person could read. */
  isSilent?: true;
  /** It has not the provider's own shape: what was asked for may have been made. */
  isForeign?: true;
};

/** What goes wrong when the provider has begun: an error inside the answer, the reason of its end, or how a job ended. */
export type LateRefusal = Otherwise & { isSilent?: true } & (
    | { error: unknown }
    | { finish: string }
  );

/** Why a provider never says this. */
type Never = string;
export type Cells<Cell> = Record<RowName, Cell | readonly Cell[] | Never>;

/** More refusals of some columns, by their names. */
export type Further = Readonly<
  Record<string, readonly (readonly [row: RowName, refusal: Refusal])[]>
>;

export type Started = {
  simulator: { posts: readonly object[]; script(next: Behaviour): void; stop(): Promise<void> };
  origin: string;
  /** Where it is spoken to at more addresses than one: all of them. */
  origins?: readonly string[];
  connection: Omit<OpenConnection, "id">;
  context?: Partial<RunContext>;
  /** Of a kind whose runs are jobs: lets the next one, or this one, end so. */
  endJob?(late: LateRefusal, id: string | null): unknown;
  /** Of such a kind: what the next question about the job meets. */
  interrupt?(next: Interruption): void;
};

/** One provider's answers to all of it. */
export type Column = {
  /** The kind, and which of its ways where it has several. */
  name: string;
  adapter: Adapter;
  /** Where the provider publishes its errors. */
  reference: string;
  start(): Promise<Started>;
  request: RunRequest;
  before: Cells<Refusal>;
  /** A sentence: nothing of it can come, whatever happens. */
  after: Cells<LateRefusal> | Never;
  /** Of a kind that is asked neither by an answer nor by a job: asks once, and gives what was told of it. */
  ask?(started: Started, context: RunContext): Promise<unknown>;
  /** Runs are jobs, asked about where they were begun: a refusal of a question has the same words. */
  asks?: true;
  /** What is refused before the first byte is the opening of a line, which costs nothing. */
  opensFree?: true;
};
