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
  /** After the first byte, if the same error has another name then. */
  late?: ErrorCode;
  /** Whether a request refused this way may have been accepted. */
  accepted: Accepted;
  /** The next step that the person is told. */
  next: RegExp;
  lateNext?: RegExp;
};

/**
 * Everything that can go wrong with a request that has reached its provider, and its meaning for
 * us, regardless of the provider.
 */
const rows = {
  "rate limit": { code: "provider_rate_limited", accepted: "no", next: /again in a moment/ },
  "used up": { code: "provider_quota", accepted: "no", next: /Add credit/ },
  "wrong key": { code: "provider_auth", accepted: "no", next: /Check the key/ },
  "missing right": { code: "provider_forbidden", accepted: "no", next: /Check what this key/ },
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

/** Set if the provider's meaning differs from most. */
type Otherwise = { code?: ErrorCode; accepted?: Accepted };

/**
 * A refusal in place of an answer, from the provider's reference or its server's source. `{key}`
 * stands for the key.
 */
export type Refusal = Otherwise & {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
  /** How long it asks us to wait. */
  waitMs?: number;
  /** The field that it names. */
  field?: string;
  /** Contains nothing that a person could read. */
  isSilent?: true;
  /** Not in the provider's own shape, so the result may have been made. */
  isForeign?: true;
};

/**
 * An error after the provider has started: inside the answer, as the reason for its end, or as a
 * job's end.
 */
export type LateRefusal = Otherwise & { isSilent?: true } & (
    | { error: unknown }
    | { finish: string }
  );

/** The reason that a provider never sends this. */
type Never = string;
export type Cells<Cell> = Record<RowName, Cell | readonly Cell[] | Never>;

/** More refusals for some columns, by name. */
export type Further = Readonly<
  Record<string, readonly (readonly [row: RowName, refusal: Refusal])[]>
>;

export type Started = {
  simulator: { posts: readonly object[]; script(next: Behaviour): void; stop(): Promise<void> };
  origin: string;
  /** All addresses, if it is called at more than one. */
  origins?: readonly string[];
  connection: Omit<OpenConnection, "id">;
  context?: Partial<RunContext>;
  /** For a kind whose runs are jobs: makes the next job, or this one, end this way. */
  endJob?(late: LateRefusal, id: string | null): unknown;
  /** For a kind whose runs are jobs: interrupts the next poll. */
  interrupt?(next: Interruption): void;
};

/** One provider's answers to all rows. */
export type Column = {
  /** The kind, and which of its ways if it has several. */
  name: string;
  adapter: Adapter;
  /** Where the provider publishes its errors. */
  reference: string;
  start(): Promise<Started>;
  request: RunRequest;
  before: Cells<Refusal>;
  /** A sentence, if none of these can ever occur. */
  after: Cells<LateRefusal> | Never;
  /** For a kind with neither answers nor jobs: asks once and returns the error. */
  ask?(started: Started, context: RunContext): Promise<unknown>;
  /**
   * Runs are jobs that are polled at the address that started them, and a refused poll has the same
   * words.
   */
  asks?: true;
  /**
   * Before the first byte, the refused request is the opening of a connection, which costs nothing.
   */
  opensFree?: true;
};
