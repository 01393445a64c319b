import { type CallContext, ProviderError } from "../../../adapter.ts";
import { isRecord } from "../../../wire/error-fields.ts";
import { openSigned, withHeaders } from "../../../wire/open-file.ts";
import { textOf } from "../../../wire/values.ts";
import { callFal, falUrl, readJson, send } from "../call.ts";
import { fileLifetimeSeconds } from "../kind.ts";

/**
 * Anybody with the link can read a file, unless requested otherwise (docs.fal.ai, "File access
 * controls"). "link" is for keys that may not sign, and models that can't read a signed URL.
 */
export const isPrivate = (context: CallContext) => context.connection.options.fileAccess !== "link";

/**
 * Returns the settings of a submit and an upload that make their files private and let them expire.
 */
export function lifecycle(context: CallContext): string {
  return JSON.stringify({
    expiration_duration_seconds: fileLifetimeSeconds,
    ...(isPrivate(context) && { initial_acl: { default: "forbid" } }),
  });
}

/**
 * foreign: fal says that the file isn't on its CDN, and so needs no signature. unsigned: the key
 * lacks the right `assets:read`, or an intermediary answered; such a file is opened with the key.
 */
export type SignedFile = { url: string } | { refused: "foreign" | "unsigned" };

/**
 * Returns a URL that opens a private file for a week.
 * @throws ProviderError when fal can't be reached
 */
export async function signFile(context: CallContext, url: string): Promise<SignedFile> {
  const address = falUrl(context, "api", "v1/storage/files/sign");
  address.searchParams.set("url", url);
  try {
    const json = { expiration_seconds: fileLifetimeSeconds };
    const answer = await readJson(
      await callFal(context, address, { phase: "job", method: "POST", json }),
      "job",
    );
    return isRecord(answer) && typeof answer.signed_url === "string"
      ? { url: answer.signed_url }
      : { refused: "unsigned" };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const { httpStatus: status, message: said } = error.detail;
    if (status === 403) return { refused: "unsigned" };
    const isOwn = error.code !== "provider_protocol" && said !== undefined;
    if (status === 400 || status === 404 || status === 422)
      return { refused: isOwn ? "foreign" : "unsigned" };
    throw error;
  }
}

/**
 * Reads a private file with a token that every key may create (POST /storage/auth/token). Each
 * iteration requests a new one. The token goes only to its CDN.
 * @throws ProviderError("output_unavailable")
 */
export const openPrivateFile = (url: string, context: CallContext): AsyncIterable<Uint8Array> =>
  openSigned(url, context, async () => {
    const address = falUrl(context, "rest", "storage/auth/token?storage_type=fal-cdn-v3");
    const grant = await readJson(
      await callFal(context, address, { phase: "job", method: "POST", json: {} }),
      "job",
    );
    const { token, base_url } = isRecord(grant) ? grant : {};
    const key = isOfCdn(url, textOf(base_url) ?? "") ? textOf(token) : undefined;
    const fetch: typeof context.fetch = (to, init) =>
      send(context, new URL(String(to)), init ?? {});
    return key === undefined ? fetch : withHeaders(fetch, { authorization: `Bearer ${key}` });
  });

function isOfCdn(url: string, base: string): boolean {
  const { protocol, hostname, origin } = new URL(url);
  return (
    (URL.canParse(base) && new URL(base).origin === origin) ||
    (protocol === "https:" && hostname.endsWith(".fal.media"))
  );
}
