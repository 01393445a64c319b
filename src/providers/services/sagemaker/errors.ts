import type { ErrorCode } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";
import { keyErrors } from "../../aws/key-errors.ts";
import { type Classify, toHttpError } from "../../wire/http-errors.ts";

/**
 * The runtime's own names
 * (https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_runtime_InvokeEndpoint.html).
 */
const codes: Readonly<Record<string, ErrorCode>> = {
  ...keyErrors,
  ThrottlingException: "provider_rate_limited",
  ModelNotReadyException: "provider_rate_limited",
  AccessDeniedException: "provider_forbidden",
  ServiceUnavailable: "provider_overloaded",
  InternalDependencyException: "provider_overloaded",
  ModelStreamError: "provider_interrupted",
  InternalStreamFailure: "provider_interrupted",
};
const tooLong =
  /context (length|window)|too (long|many tokens)|(inputs?|tokens?).*(must be|exceeds?|larger|more than).*\d|maximum (context|input)/i;

export const classify: Classify = ({ type = "", message = "", code }) => {
  if (/^Validation(Error|Exception)$/.test(type))
    return /not found|could not find/i.test(message) ? "model_gone" : "provider_invalid_input";
  // The container's own status, passed on: the model itself refuses.
  if (type === "ModelError") {
    if (/timed out/i.test(message)) return "provider_timeout";
    // The container may have made something before it failed, so the status decides.
    if (!/^4\d\d$/.test(code ?? "")) return undefined;
    if (tooLong.test(message)) return "provider_context_too_long";
    return code === "429" ? "provider_overloaded" : "provider_invalid_input";
  }
  if (type === "ModelStreamError" && code === "ModelInvocationTimeExceeded")
    return "provider_timeout";
  return codes[type];
};

/**
 * Reads an asynchronous endpoint's failure: the container's status and message, or SageMaker's own.
 */
export function codeOfFailure(errorMessage: string): ErrorCode {
  const [, status] = /error \((\d{3})\)/i.exec(errorMessage) ?? [];
  if (/out of memory/i.test(errorMessage)) return "provider_overloaded";
  if (/access ?denied|not authorized/i.test(errorMessage)) return "provider_forbidden";
  // Without a status, only an overlong input can be told from a broken container.
  const code = classify(
    { type: "ModelError", message: errorMessage, code: status ?? "400" },
    Number.NaN,
  );
  return code === undefined || (status === undefined && code === "provider_invalid_input")
    ? "provider_interrupted"
    : code;
}

/** @throws ProviderError for anything but 2xx */
export async function throwUnlessOk(
  response: Response,
  context: CallContext,
  method: string,
): Promise<void> {
  if (response.ok) return;
  throw await toHttpError(
    response,
    { method, secret: context.connection.secret, now: context.clock.now() },
    classify,
  );
}

export const isNotThis = () =>
  new ProviderError("provider_protocol", "no", {
    message: sentences.connections.notSageMaker,
  });
