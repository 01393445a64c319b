import { sentences } from "#contract/sentences/index.ts";
import { acceptedBy, type Wire } from "#domain/runs/repeat.ts";
import { ProviderError } from "../adapter.ts";

/**
 * How far an exchange had progressed when it failed. Only this decides whether it may be repeated.
 */
export type Progress = Wire & { host: string };

/** A refusal by the address policy: no socket was opened, and nothing was sent. */
export class BlockedAddress extends Error {
  static readonly code = "BOTTEGA_BLOCKED";
  readonly code = BlockedAddress.code;
}

/**
 * Converts errors of undici, TLS and DNS to a ProviderError that says what a person can do and
 * whether the provider may have accepted the request. `cause` keeps the original.
 */
export function toProviderError(error: unknown, progress: Progress): ProviderError {
  if (error instanceof ProviderError) return error;
  const { host } = progress;
  if (error instanceof BlockedAddress) {
    return new ProviderError(
      "provider_unreachable",
      "no",
      {
        message: sentences.network.addressNotAllowed({ reason: error.message }),
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
      code === "UND_ERR_BODY_TIMEOUT" ? sentences.network.stalled({ host }) : undefined;
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
      { message: sentences.network.tooSlow({ host }), reason: code },
      { cause: error },
    );
  }
  if (code.startsWith("HPE_") || (error instanceof Error && error.name === "HTTPParserError")) {
    const message = sentences.network.notHttp({ host });
    return new ProviderError(
      "provider_protocol",
      accepted,
      { message, reason: code },
      { cause: error },
    );
  }
  if (accepted === "no") {
    const message = sentences.network.closedEarly({ host });
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
    return sentences.network.nameNotFound({ host });
  if (code === "ECONNREFUSED") return sentences.network.connectionRefused({ host });
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT")
    return sentences.network.connectTimeout({ host });
  if (code === "ENETUNREACH" || code === "EHOSTUNREACH") return sentences.network.noRoute({ host });
  if (/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_VERIFY|ISSUER/.test(code))
    return sentences.network.badCertificate({ host, code });
  if (/^(ERR_SSL|EPROTO|ERR_TLS)/.test(code)) return sentences.network.tlsFailed({ host, code });
  return sentences.network.unreachable({ host, code });
}

/**
 * Returns the system's or undici's code, through causes and the several attempts of one connection.
 */
function errorCode(error: unknown): string {
  let current = error;
  for (let depth = 0; depth < 6 && current instanceof Error; depth++) {
    if ("code" in current && typeof current.code === "string") return current.code;
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return "";
}
