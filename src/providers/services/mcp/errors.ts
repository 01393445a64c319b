import type { ErrorCode } from "#contract/errors.ts";
import { acceptedBy } from "#domain/runs/repeat.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";
import { readErrorWords, redact } from "../../wire/error-words.ts";
import { grantSecrets } from "./grant.ts";
import { asksForSignIn } from "./kind.ts";
import { signInNeeded } from "./sign-in.ts";

/** JSON-RPC's own words for what was not even begun: not read, no such method, wrong parameters. */
const notBegun: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602]);
const wordsMost = 500;

/** Whatever a session threw as an error of the catalogue. `isCall`: it may have done something at the server. */
export async function toToolError(
  error: unknown,
  context: CallContext,
  isCall: boolean,
): Promise<unknown> {
  if (error instanceof ProviderError) return error;
  const { connection, signal } = context;
  if (signal.aborted) return signal.reason;
  const sdk = await import("@modelcontextprotocol/client");
  const unsure = isCall ? "unknown" : "no";
  // Where it can't be read what to leave out, nothing of the server's is told; what the error means for the call stays.
  const granted = await grantSecrets(context).catch(() => undefined);
  const say = (words: string): string =>
    granted === undefined
      ? ""
      : redact(redact(words, granted), connection.secret).slice(0, wordsMost);
  const isUnauthorized =
    error instanceof sdk.UnauthorizedError ||
    (error instanceof sdk.SdkHttpError && error.status === 401);
  if (isUnauthorized && asksForSignIn(context))
    return signInNeeded("The server of tools does not take this sign-in. Sign in again.");
  if (error instanceof sdk.SdkHttpError)
    return ofStatus(
      error.status ?? 0,
      say(readErrorWords(String(error.data.text ?? "")).message ?? ""),
      isCall,
    );
  if (error instanceof sdk.UnauthorizedError) return ofStatus(401, "", isCall);
  if (error instanceof sdk.ProtocolError) {
    const accepted = !isCall || notBegun.has(error.code) ? "no" : "yes";
    return new ProviderError(
      "provider_invalid_input",
      accepted,
      { message: `The server of tools says: ${say(error.message)}` },
      { cause: error },
    );
  }
  if (error instanceof sdk.SdkError) return ofSdk(sdk, error, unsure);
  // What can't be read as the protocol: an answer that is no JSON, or JSON of another kind.
  return new ProviderError(
    "provider_protocol",
    unsure,
    { message: "What this server answers is not the Model Context Protocol." },
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
      ? ["provider_timeout", "The server of tools took too long to answer."]
      : error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected
        ? ["provider_unreachable", "The server of tools has ended."]
        : ["provider_protocol", "What this server answers is not the Model Context Protocol."];
  return new ProviderError(code, accepted, { message }, { cause: error });
}

function ofStatus(status: number, said: string, isCall: boolean): ProviderError {
  const accepted = acceptedBy({ method: isCall ? "POST" : "GET", sent: true, status });
  const [code, words] = meaning(status, isCall);
  const message = [words, said].filter(Boolean).join(" ");
  // A client opens a new session then and calls again (specification, "Session Management").
  return new ProviderError(code, accepted, {
    message,
    httpStatus: status,
    ...(status === 404 && isCall && { forgotten: true }),
  });
}

function meaning(status: number, isCall: boolean): [ErrorCode, string] {
  if (status === 401) return ["provider_auth", "The server of tools did not accept the key."];
  if (status === 403)
    return ["provider_auth", "The server of tools does not allow this with this key."];
  // It was there a moment ago: what it has forgotten is our session.
  if (status === 404 && isCall)
    return ["provider_unreachable", "The server of tools has forgotten the session."];
  if (status === 429) return ["provider_rate_limited", "The server of tools asks us to slow down."];
  if (status >= 500) return ["provider_overloaded", "The server of tools fails."];
  return [
    "provider_protocol",
    `This address answers ${status}, and not as a server of tools does.`,
  ];
}
