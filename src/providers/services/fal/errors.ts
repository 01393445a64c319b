import { type ErrorCode, errors } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { acceptedBy } from "#domain/runs/repeat.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";
import { isRecord, redact } from "../../wire/error-fields.ts";
import { readText } from "../../wire/http-errors.ts";
import { readRetryAfter } from "../../wire/retry-after.ts";

/**
 * list: catalog and check. upload: files before the job. submit: the one paid POST. job: requests
 * about an accepted job. result: the job's own outcome.
 */
export type FalPhase = "list" | "upload" | "submit" | "job" | "result";

/** The job was accepted before this request. */
export const isTaken = (phase: FalPhase) => phase === "job" || phase === "result";

/** fal's error, in any of its three forms. `isOfInput`: the model rejected its input. */
type Failure = {
  message?: string;
  type?: string;
  field?: string;
  isOfInput?: true;
  errorType?: string | undefined;
};

const byErrorType: Record<string, ErrorCode> = {
  request_timeout: "provider_timeout",
  startup_timeout: "provider_timeout",
  client_cancelled: "provider_interrupted",
  client_disconnected: "provider_interrupted",
  bad_request: "provider_invalid_input",
  internal_error: "provider_overloaded",
};

const byDetailType: Record<string, ErrorCode> = {
  content_policy_violation: "provider_rejected",
  generation_timeout: "provider_timeout",
  downstream_service_error: "provider_overloaded",
  downstream_service_unavailable: "provider_overloaded",
  internal_server_error: "provider_overloaded",
};

const byStatus: Record<number, ErrorCode> = {
  400: "provider_invalid_input",
  401: "provider_auth",
  402: "provider_quota",
  403: "provider_forbidden",
  404: "model_gone",
  408: "provider_timeout",
  413: "provider_invalid_input",
  422: "provider_invalid_input",
  429: "provider_rate_limited",
  499: "provider_interrupted",
  504: "provider_timeout",
};

/**
 * Builds the error of a refused or failed request. `detail.field` is the path in the input
 * ("image_size.width"). `detail.final` is true when the job itself has failed, so that requesting
 * its result again would change nothing.
 */
export async function readFalFailure(
  response: Response,
  phase: FalPhase,
  context: CallContext,
): Promise<ProviderError> {
  const { status } = response;
  const text = await readText(response, 64 * 1024).catch(() => "");
  if (isHtml(response, text) && status < 500) {
    const message = sentences.answers.falWebPageStatus({ status });
    return new ProviderError("provider_protocol", isTaken(phase) ? "yes" : "no", {
      message,
      httpStatus: status,
    });
  }
  const failure = parseFailure(text, response.headers);
  if (status === 404 && isTaken(phase) && !failure.message) {
    // A proxy may respond like this; fal itself names what it can't find.
    const message = sentences.answers.falEmpty404;
    return new ProviderError("provider_protocol", "yes", { message, httpStatus: status });
  }
  const isLost = status === 404 && isTaken(phase) && !failure.isOfInput;
  const waitMs = readRetryAfter(response.headers, text, context.clock.now());
  // fal names its errors; a lone sentence may come from an intermediary.
  const own = Boolean(failure.errorType ?? failure.type);
  const code = toCode(status, failure, phase, own);
  const overloaded =
    own && status === 503 && (code === "provider_overloaded" || waitMs !== undefined);
  const errorText = redact(failure.message ?? "", context.connection.secret);
  const answer = own ? toAnswer(redact(text, context.connection.secret), status) : undefined;
  return new ProviderError(code, toAccepted(status, phase, own), {
    httpStatus: status,
    ...(own && { ownShape: true }),
    ...(overloaded && { overloaded }),
    ...(answer && { providerAnswer: answer }),
    ...(failure.message && {
      message: isLost ? sentences.runs.notFoundAtProvider({ words: errorText }) : errorText,
    }),
    ...(failure.field && { field: failure.field }),
    ...((failure.errorType ?? failure.type) && { reason: failure.errorType ?? failure.type }),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
    ...(!isLost && isFinal(status, failure, phase) && { final: true }),
    // The result may have been made, and billed, before it was deleted.
    ...(isLost && { billed: true, gone: true }),
  });
}

/** Shorter responses are stored with the run, for programs that read fal's own errors. */
const answerCharacters = 8_000;

function toAnswer(text: string, status: number): { status: number; body: JsonObject } | undefined {
  if (text.length > answerCharacters) return undefined;
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) ? { status, body: body as JsonObject } : undefined;
  } catch {
    return undefined;
  }
}

/** Statuses that are conclusive by themselves: no runner, and a timeout. */
const reportedStatuses: ReadonlySet<number> = new Set([503, 504]);

function toCode(status: number, failure: Failure, phase: FalPhase, own: boolean): ErrorCode {
  if (status === 403 && /locked|balance/i.test(failure.message ?? "")) return "provider_quota";
  // The job may have been accepted before the server failed.
  if (phase === "submit" && status >= 500 && !reportedStatuses.has(status))
    return own ? "provider_failed" : "outcome_unknown";
  if (failure.type && byDetailType[failure.type]) return byDetailType[failure.type]!;
  if (failure.errorType && byErrorType[failure.errorType]) return byErrorType[failure.errorType]!;
  if (status === 404 && phase !== "submit")
    return isTaken(phase) ? "output_unavailable" : "provider_protocol";
  return byStatus[status] ?? (status >= 500 ? "provider_overloaded" : "provider_protocol");
}

function toAccepted(status: number, phase: FalPhase, own: boolean): "no" | "unknown" | "yes" {
  if (isTaken(phase)) return "yes";
  if (phase === "submit" && own && status >= 500) return "no";
  if (phase === "submit") return acceptedBy({ method: "POST", sent: true, status });
  return "no";
}

/** Whether this is the verdict of a runner or model, and not a temporarily unavailable server. */
function isFinal(status: number, failure: Failure, phase: FalPhase): boolean {
  if (phase !== "result") return false;
  if (failure.errorType || failure.type) return true;
  return status >= 400 && status < 500 && ![401, 403, 404, 408, 425, 429].includes(status);
}

/**
 * `{detail: [{loc, msg, type}]}`, `{detail, error_type}` or the platform's `{error: {type,
 * message}}`.
 */
function parseFailure(text: string, headers: Headers): Failure {
  const errorType = headers.get("x-fal-error-type") ?? undefined;
  try {
    return readFailure(JSON.parse(text), errorType);
  } catch {
    return { errorType };
  }
}

function readFailure(body: unknown, errorType?: string): Failure {
  if (!isRecord(body)) return { errorType };
  const { detail, error } = body;
  if (Array.isArray(detail) && isRecord(detail[0])) return { ...parseDetail(detail), errorType };
  if (typeof detail === "string") {
    return {
      message: clip(detail),
      errorType: typeof body.error_type === "string" ? body.error_type : errorType,
    };
  }
  if (isRecord(error) && typeof error.message === "string") {
    return {
      message: clip(error.message),
      errorType,
      ...(typeof error.type === "string" && { type: error.type }),
    };
  }
  return { errorType, ...(typeof error === "string" && { message: clip(error) }) };
}

function parseDetail(detail: unknown[]): Failure {
  const entries = detail.filter(isRecord);
  const first = entries[0];
  const path = Array.isArray(first?.loc)
    ? first.loc.map(String).filter((part, index) => index > 0 || part !== "body")
    : [];
  const messages = entries.flatMap((entry) => (typeof entry.msg === "string" ? [entry.msg] : []));
  return {
    isOfInput: true,
    ...(messages.length > 0 && { message: clip(messages.join(" ")) }),
    ...(typeof first?.type === "string" && { type: first.type }),
    ...(path.length > 0 && { field: path.join(".") }),
  };
}

const clip = (message: string) => message.slice(0, 1_000);

/**
 * Reads the error of a stream: `{error: {message}}`, `{error: "…"}` or a model's own `detail`. Null
 * for an event that isn't a failure.
 */
export function toStreamError(
  event: Record<string, unknown>,
  secret: string | null,
): ProviderError | null {
  const { error, detail } = event;
  const isIssue = Array.isArray(detail) && isRecord(detail[0]) && typeof detail[0].msg === "string";
  if ((error === undefined || error === null) && typeof detail !== "string" && !isIssue)
    return null;
  const {
    message = sentences.answers.noReason,
    type = "",
    field,
    errorType = "",
  } = readFailure(event);
  const code =
    byDetailType[type] ??
    byErrorType[errorType] ??
    (isIssue ? "provider_invalid_input" : "provider_interrupted");
  return new ProviderError(code, "yes", {
    message: `${errors[code].text} fal says: ${redact(message, secret)}`,
    ...(field && { field }),
    ...((errorType || type) && { reason: errorType || type }),
  });
}

/** The page of a captive portal or a website, where an API was expected. */
export const isHtml = (response: Response, text: string) =>
  (!text.trim() && response.headers.get("content-type")?.includes("text/html") === true) ||
  /^\s*</.test(text);
