import { acceptedBy, type Wire } from "#domain/runs/repeat.ts";
import { ProviderError } from "../adapter.ts";

/** How far an exchange had come when it failed; only this decides whether it may be repeated. */
export type Progress = Wire & { host: string };

/** A refusal of the address policy: nothing was resolved into a socket, nothing left. */
export class BlockedAddress extends Error {
  static readonly code = "BOTTEGA_BLOCKED";
  readonly code = BlockedAddress.code;
}

/**
 * Turns what undici, TLS and DNS throw into a ProviderError that says what a person can do and whether the provider may
 * have taken the request. `cause` keeps the original.
 */
export function toProviderError(error: unknown, progress: Progress): ProviderError {
  if (error instanceof ProviderError) return error;
  const { host } = progress;
  if (error instanceof BlockedAddress) {
    return new ProviderError(
      "provider_unreachable",
      "no",
      {
        message: `This address is not allowed: ${error.message}. An admin can allow a private address by storing it with the connection.`,
        reason: error.code,
      },
      { cause: error },
    );
  }
  const code = errorCode(error);
  const accepted = acceptedBy(progress);
  if (!progress.sent)
    return new ProviderError(
      "provider_unreachable",
      accepted,
      { message: beforeSending(code, host), reason: code },
      { cause: error },
    );
  if (progress.status !== null) {
    const message =
      code === "UND_ERR_BODY_TIMEOUT"
        ? `${host} began to answer, then nothing came for too long.`
        : undefined;
    return new ProviderError(
      "provider_interrupted",
      accepted,
      { ...(message && { message }), reason: code },
      { cause: error },
    );
  }
  if (code === "UND_ERR_HEADERS_TIMEOUT") {
    return new ProviderError(
      "provider_timeout",
      accepted,
      { message: `${host} took too long to answer.`, reason: code },
      { cause: error },
    );
  }
  if (code.startsWith("HPE_") || (error instanceof Error && error.name === "HTTPParserError")) {
    const message = `${host} answered with something that is not HTTP.`;
    return new ProviderError(
      "provider_protocol",
      accepted,
      { message, reason: code },
      { cause: error },
    );
  }
  if (accepted === "no") {
    const message = `${host} closed the connection before it answered.`;
    return new ProviderError(
      "provider_unreachable",
      accepted,
      { message, reason: code },
      { cause: error },
    );
  }
  return new ProviderError("outcome_unknown", accepted, { reason: code }, { cause: error });
}

function beforeSending(code: string, host: string): string {
  if (code === "ENOTFOUND" || code === "EAI_AGAIN" || code === "EAI_NODATA")
    return `The name in ${host} could not be found.`;
  if (code === "ECONNREFUSED") return `Nothing answers at ${host}.`;
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT")
    return `${host} could not be reached in time.`;
  if (code === "ENETUNREACH" || code === "EHOSTUNREACH")
    return `There is no way to ${host} from this machine's network.`;
  if (/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_VERIFY|ISSUER/.test(code))
    return `The certificate of ${host} is not valid (${code}).`;
  if (/^(ERR_SSL|EPROTO|ERR_TLS)/.test(code))
    return `${host} does not speak https as expected (${code}).`;
  return `${host} could not be reached${code ? ` (${code})` : ""}.`;
}

/** The system's or undici's code, through causes and the several tries of one connection. */
function errorCode(error: unknown): string {
  let current = error;
  for (let depth = 0; depth < 6 && current instanceof Error; depth++) {
    if ("code" in current && typeof current.code === "string") return current.code;
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return "";
}
