import { createHash } from "node:crypto";
import type { Call, Refusal } from "../kit/server.ts";
import { type AwsKeys, checkSignature } from "./aws-signature.ts";

/** A refusal in the form of AWS's JSON services: the name in a header, the message in the body. */
export const awsRefusal = (status: number, type: string, message: string): Refusal => ({
  status,
  body: { message },
  headers: {
    "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
    "x-amzn-requestid": "sim-request",
  },
});

/** Checks the caller by a signature of this very request, or an API key. Null accepts it. */
export function refuseCaller(
  call: Call,
  keys: AwsKeys,
  service: string,
  apiKey?: string,
): Refusal | null {
  const { authorization } = call.headers;
  if (!authorization)
    return awsRefusal(403, "MissingAuthenticationTokenException", "Missing Authentication Token");
  if (authorization.startsWith("Bearer ")) {
    if (apiKey !== undefined && authorization === `Bearer ${apiKey}`) return null;
    return awsRefusal(
      403,
      "AccessDeniedException",
      "Authentication failed: Please make sure your API Key is valid.",
    );
  }
  const request = {
    method: call.method,
    url: `${call.url.pathname}${call.url.search}`,
    headers: call.headers,
  };
  const bodySha256 = createHash("sha256").update(call.body).digest("hex");
  const refused = checkSignature(request, keys, Date.now(), { service, bodySha256 });
  if (!refused) return null;
  if (refused.code === "InvalidAccessKeyId") {
    return awsRefusal(
      403,
      "UnrecognizedClientException",
      "The security token included in the request is invalid.",
    );
  }
  if (refused.code !== "SignatureDoesNotMatch")
    return awsRefusal(refused.status, refused.code, refused.message);
  // The original prints the data that it signed, including the session's token.
  const said = `The request signature we calculated does not match the signature you provided. The Canonical String for this request should have been '${call.method}\n${call.url.pathname}\nx-amz-security-token:${call.headers["x-amz-security-token"] ?? ""}\n'`;
  return awsRefusal(403, "InvalidSignatureException", said);
}
