import type { ErrorCode } from "#contract/errors.ts";

/**
 * The names with which AWS refuses a key or its signature, mostly as 403
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html and
 * https://docs.aws.amazon.com/sagemaker/latest/APIReference/CommonErrors.html). Services of AWS's
 * older protocols leave out "Exception".
 */
export const keyErrors: Readonly<Record<string, ErrorCode>> = Object.fromEntries(
  [
    "ExpiredToken",
    "IncompleteSignature",
    "InvalidAccessKeyId",
    "InvalidClientTokenId",
    "InvalidSignature",
    "MissingAuthenticationToken",
    "SignatureDoesNotMatch",
    "UnrecognizedClient",
  ].flatMap((name) => [
    [name, "provider_auth"],
    [`${name}Exception`, "provider_auth"],
  ]),
);
