import { errors } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import { ProviderError, type RealtimeFrame } from "../../../adapter.ts";
import { isRecord, redact } from "../../../wire/error-fields.ts";
import { readDataUrl } from "../files/output-files.ts";

/**
 * Reads a message of a session: frames, an error, or null for messages without interest to a
 * person: fal's own remarks, and the notice that no input has arrived for a while. The forms are
 * those that fal's client 1.10.1 distinguishes.
 */
export function readMessage(
  message: unknown,
  secret: string | null,
): RealtimeFrame[] | ProviderError | null {
  if (!isRecord(message))
    return new ProviderError("provider_protocol", "yes", {
      message: sentences.fal.otherFrame,
    });
  if (message.type === "x-fal-message") return null;
  if (message.type === "x-fal-error")
    return message.error === "TIMEOUT" ? null : toError(message, secret);
  if (message.status === "error") {
    if (message.error === "Unauthorized")
      return new ProviderError("provider_auth", "no", {
        message: sentences.sessions.tokenRefused,
      });
    return toError(message, secret);
  }
  const frames = framesOf(message);
  return frames.length > 0
    ? frames
    : new ProviderError("provider_invalid_input", "yes", {
        message: sentences.sessions.noPicture,
      });
}

/** Errors of a single input: the session continues. */
export const isRefusal = (error: ProviderError): boolean =>
  error.code === "provider_invalid_input" || error.code === "provider_rejected";

/** fal names its errors in capitals, and gives the reason as text. */
function toError(
  { error, reason, detail }: Record<string, unknown>,
  secret: string | null,
): ProviderError {
  const name = typeof error === "string" ? error : "";
  const reasonText = typeof reason === "string" ? redact(reason, secret).slice(0, 1_000) : "";
  const issue = Array.isArray(detail) && isRecord(detail[0]) ? detail[0] : undefined;
  if (
    issue?.type === "content_policy_violation" ||
    /content.?policy|nsfw|flagged/i.test(`${name} ${reasonText}`)
  )
    return new ProviderError("provider_rejected", "yes", {
      ...(reasonText && { message: reasonText }),
    });
  if (/out ?of ?memory|at capacity/i.test(reasonText))
    return new ProviderError("provider_overloaded", "yes", { message: reasonText, reason: name });
  // fal's runtime passes on a model's exception: for a validated input, the second line names the
  // field.
  const [, thrown] = /^\d+ validation errors? for \S+\n(\S+)/.exec(reasonText) ?? [];
  if (thrown)
    return new ProviderError("provider_invalid_input", "yes", {
      field: thrown,
      message: reasonText,
    });
  if (issue || /INVALID|VALIDATION|BAD_?REQUEST|UNPROCESSABLE/i.test(name)) {
    const field =
      issue && Array.isArray(issue.loc)
        ? issue.loc.filter((part) => part !== "body").join(".")
        : undefined;
    const message = issue && typeof issue.msg === "string" ? redact(issue.msg, secret) : reasonText;
    return new ProviderError("provider_invalid_input", "yes", {
      ...(field && { field }),
      ...(message && { message }),
    });
  }
  if (/UNAUTHORI[SZ]ED|FORBIDDEN|TOKEN/i.test(name))
    return new ProviderError(
      /FORBIDDEN/i.test(name) ? "provider_forbidden" : "provider_auth",
      "yes",
      {
        ...(reasonText && { message: reasonText }),
      },
    );
  if (/BALANCE|LOCKED/i.test(`${name} ${reasonText}`))
    return new ProviderError("provider_quota", "yes", {
      ...(reasonText && { message: reasonText }),
    });
  const message = reasonText
    ? `${errors.provider_interrupted.text} fal says: ${reasonText}`
    : sentences.sessions.endedByFal({ name });
  return new ProviderError("provider_interrupted", "yes", { message, reason: name });
}

/** `images` (or one `image`): `content` as bytes or base64, or a `data:` URL. */
function framesOf(message: Record<string, unknown>): RealtimeFrame[] {
  const images = Array.isArray(message.images) ? message.images : [message.image];
  const seed =
    typeof message.seed === "number" && Number.isSafeInteger(message.seed)
      ? { seed: message.seed }
      : {};
  return images.filter(isRecord).flatMap((image): RealtimeFrame[] => {
    const size = sizeOf(image);
    const named = typeof image.content_type === "string" ? image.content_type : "image/jpeg";
    if (image.content instanceof Uint8Array)
      return [{ mime: named, bytes: image.content, ...size, ...seed }];
    if (typeof image.content === "string")
      return [
        {
          mime: named,
          bytes: new Uint8Array(Buffer.from(image.content, "base64")),
          ...size,
          ...seed,
        },
      ];
    if (typeof image.url !== "string" || !image.url.startsWith("data:")) return [];
    const file = readDataUrl({ url: image.url, name: "frame" });
    return file && "bytes" in file
      ? [{ mime: file.mime ?? named, bytes: file.bytes, ...size, ...seed }]
      : [];
  });
}

function sizeOf({ width, height }: Record<string, unknown>): { width?: number; height?: number } {
  return typeof width === "number" && typeof height === "number" && width > 0 && height > 0
    ? { width: Math.round(width), height: Math.round(height) }
    : {};
}
