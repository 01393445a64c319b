import { createVerify, generateKeyPairSync, randomUUID } from "node:crypto";
import { json } from "../kit/json.ts";
import type { Call } from "../kit/server.ts";

/** One key pair for all simulators of a process, because generating one takes a while. */
let pair: { publicKey: string; privateKey: string } | undefined;
const pairOf = () => {
  pair ??= generateKeyPairSync("rsa", {
    modulusLength: 2_048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return pair;
};

/** A key file in the console's format. */
export const buildKeyFile = (changes: object = {}): string =>
  JSON.stringify({
    type: "service_account",
    project_id: "sim-project",
    private_key_id: "key-1",
    private_key: pairOf().privateKey,
    client_email: "bottega@sim-project.iam.gserviceaccount.com",
    client_id: "1",
    token_uri: "https://oauth2.googleapis.com/token",
    ...changes,
  });

const scope = "https://www.googleapis.com/auth/cloud-platform";

/**
 * POST /token (RFC 7523): a grant signed with the account's key, for this address, valid for at
 * most an hour.
 */
export function createTokens() {
  // Unique for each simulator, because tokens are cached by account, and another simulator may soon
  // have the same port.
  const email = `bottega-${randomUUID()}@sim-project.iam.gserviceaccount.com`;
  const given: string[] = [];
  const revoked = new Set<string>();

  function refuse({ body, headers }: Call, address: string): string | null {
    if (!headers["content-type"]?.startsWith("application/x-www-form-urlencoded"))
      return "The request must be a form.";
    const form = new URLSearchParams(body.toString());
    if (form.get("grant_type") !== "urn:ietf:params:oauth:grant-type:jwt-bearer")
      return "Invalid grant_type.";
    const [head = "", claims = "", signature = ""] = (form.get("assertion") ?? "").split(".");
    const verifier = createVerify("RSA-SHA256").update(`${head}.${claims}`);
    if (!verifier.verify(pairOf().publicKey, signature, "base64url"))
      return "Invalid JWT Signature.";
    const read = (part: string) =>
      JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>;
    const { alg, typ, kid } = read(head);
    if (alg !== "RS256" || typ !== "JWT" || kid !== "key-1")
      return "Invalid JWT: its header is not known.";
    const { iss, aud, scope: wanted, iat, exp } = read(claims);
    if (iss !== email) return "Invalid grant: account not found";
    if (aud !== address || wanted !== scope)
      return "Invalid JWT: its audience or scope is not known.";
    const seconds = Number(exp) - Number(iat);
    return seconds > 0 && seconds <= 3_600
      ? null
      : "Invalid JWT: Token must be a short-lived token (60 minutes).";
  }

  return {
    given,
    /** The only account's key file. */
    keyFile: buildKeyFile({ client_email: email }),
    isGood: (token: string): boolean => given.includes(token) && !revoked.has(token),
    revoke: (token: string) => revoked.add(token),
    answer(call: Call, address: string): void {
      const problem = refuse(call, address);
      if (problem) {
        call.response.statusCode = 400;
        json(call.response, { error: "invalid_grant", error_description: problem });
        return;
      }
      const token = `ya29.sim-${given.length + 1}-${"x".repeat(20)}`;
      given.push(token);
      json(call.response, { access_token: token, expires_in: 3_599, token_type: "Bearer" });
    },
  };
}
