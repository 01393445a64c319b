import type { ErrorCode } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { acceptedBy } from "#domain/runs/repeat.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";
import { readErrorFields, redact } from "../../wire/error-fields.ts";
import { grantSecrets } from "./grant.ts";
import { asksForSignIn } from "./kind.ts";
import { signInNeeded } from "./sign-in.ts";

/**
 * JSON-RPC's codes for requests that were not started: parse error, unknown method, invalid
 * parameters.
 */
const notBegun: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602]);
const maxWords = 500;
/**
 * A restarted server knows no earlier session. The specification requires 404; servers of the
 * official SDK respond with 400 and these words ("Bad Request: No valid session ID provided", "Bad
 * Request: Server not initialized").
 */
const lostSession = /\bsession\b|not initialized/i;

/**
 * What failed: the handshake, a query in an open session, or a call, which may have had an effect
 * at the server.
 */
export type SessionUse = "opening" | "question" | "call";

/** Maps an error of a session to the error table. */
export async function toToolError(
  error: unknown,
  context: CallContext,
  use: SessionUse,
): Promise<unknown> {
  if (error instanceof ProviderError) return error;
  const isCall = use === "call";
  const { connection, signal } = context;
  if (signal.aborted) return signal.reason;
  const sdk = await import("@modelcontextprotocol/client");
  const unsure = isCall ? "unknown" : "no";
  // If the secrets to redact can't be read, none of the server's words are shown; the meaning for
  // the call stays.
  const granted = await grantSecrets(context).catch(() => undefined);
  const say = (errorText: string): string =>
    granted === undefined
      ? ""
      : redact(redact(errorText, granted), connection.secret).slice(0, maxWords);
  const isUnauthorized =
    error instanceof sdk.UnauthorizedError ||
    (error instanceof sdk.SdkHttpError && error.status === 401);
  if (isUnauthorized && asksForSignIn(context)) return signInNeeded(sentences.signIn.refused);
  if (error instanceof sdk.SdkHttpError) {
    const { status = 0, data } = error;
    const text = String(data.text ?? "");
    const forgotten =
      use !== "opening" && (status === 404 || (status === 400 && lostSession.test(text)));
    return ofStatus(status, say(readErrorFields(text).message ?? ""), { isCall, forgotten });
  }
  if (error instanceof sdk.UnauthorizedError)
    return ofStatus(401, "", { isCall, forgotten: false });
  if (error instanceof sdk.ProtocolError) {
    const accepted = !isCall || notBegun.has(error.code) ? "no" : "yes";
    return new ProviderError(
      "provider_invalid_input",
      accepted,
      { message: sentences.tools.quote({ words: say(error.message) }) },
      { cause: error },
    );
  }
  if (error instanceof sdk.SdkError) return ofSdk(sdk, error, unsure);
  // Not readable as the protocol: a response that isn't JSON, or other JSON.
  return new ProviderError(
    "provider_protocol",
    unsure,
    { message: sentences.tools.notMcp },
    { cause: error },
  );
}

function ofSdk(
  sdk: typeof import("@modelcontextprotocol/client"),
  error: InstanceType<typeof sdk.SdkError>,
  accepted: "unknown" | "no",
): ProviderError {
  const { SdkErrorCode } = sdk;
  const [code, message]: [ErrorCode, string] =
    error.code === SdkErrorCode.RequestTimeout
      ? ["provider_timeout", sentences.tools.tooSlow]
      : error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected
        ? ["provider_unreachable", sentences.tools.exited]
        : ["provider_protocol", sentences.tools.notMcp];
  return new ProviderError(code, accepted, { message }, { cause: error });
}

/** @param of `forgotten`: the server no longer knows the session */
function ofStatus(
  status: number,
  errorMessage: string,
  { isCall, forgotten }: { isCall: boolean; forgotten: boolean },
): ProviderError {
  const accepted = acceptedBy({ method: isCall ? "POST" : "GET", sent: true, status });
  const [code, errorText] = meaning(status, forgotten);
  const message = [errorText, errorMessage].filter(Boolean).join(" ");
  // The client then opens a new session and repeats the call (specification, "Session Management").
  return new ProviderError(code, accepted, {
    message,
    httpStatus: status,
    ...(forgotten && { forgotten }),
  });
}

function meaning(status: number, forgotten: boolean): [ErrorCode, string] {
  if (forgotten) return ["provider_unreachable", sentences.tools.sessionLost];
  if (status === 401) return ["provider_auth", sentences.tools.keyRefused];
  if (status === 403) return ["provider_forbidden", sentences.tools.keyNotAllowed];
  if (status === 429) return ["provider_rate_limited", sentences.tools.rateLimited];
  if (status >= 500) return ["provider_overloaded", sentences.tools.failed];
  return ["provider_protocol", sentences.tools.httpStatus({ status })];
}
