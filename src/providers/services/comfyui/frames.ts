import { isRecord } from "../../wire/error-fields.ts";

/** A frame of /ws that concerns a job. */
export type Frame =
  | { type: string; data: Record<string, unknown>; promptId: string | null }
  | { type: "preview"; mime: string; bytes: Uint8Array; promptId: string | null };

export const isPreview = (frame: Frame): frame is Extract<Frame, { mime: string }> =>
  "mime" in frame;

/** Larger pictures aren't previews: they would stay in the run's log until the run ends. */
const maxPreviewBytes = 1024 ** 2;

/** Undefined for unknown frames, because the protocol grows. */
export function readFrame(frame: string | Uint8Array): Frame | undefined {
  return typeof frame === "string" ? readText(frame) : readBinary(frame);
}

function readText(text: string): Frame | undefined {
  try {
    const message: unknown = JSON.parse(text);
    if (!isRecord(message) || typeof message.type !== "string") return undefined;
    const data = isRecord(message.data) ? message.data : {};
    return {
      type: message.type,
      data,
      promptId: typeof data.prompt_id === "string" ? data.prompt_id : null,
    };
  } catch {
    return undefined;
  }
}

/**
 * Big-endian: 4 bytes of type. 1: 4 bytes of format (1 JPEG, 2 PNG), then the picture. 4: 4 bytes
 * of length, JSON of that length ({prompt_id, image_type, node_id, …}), then the picture
 * (protocol.py, server.py).
 */
function readBinary(bytes: Uint8Array): Frame | undefined {
  if (bytes.byteLength < 8 || bytes.byteLength > maxPreviewBytes) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [type, second] = [view.getUint32(0), view.getUint32(4)];
  if (type === 1)
    return toPreview(second === 2 ? "image/png" : "image/jpeg", bytes.subarray(8), null);
  if (type !== 4 || 8 + second > bytes.byteLength) return undefined;
  const frameText = readText(
    `{"type":"preview","data":${new TextDecoder().decode(bytes.subarray(8, 8 + second))}}`,
  );
  if (!frameText || isPreview(frameText)) return undefined;
  return toPreview(
    String(frameText.data.image_type),
    bytes.subarray(8 + second),
    frameText.promptId,
  );
}

/** Shown in a page, so only the two formats that the server makes are accepted. */
const toPreview = (mime: string, bytes: Uint8Array, promptId: string | null): Frame | undefined =>
  (mime === "image/png" || mime === "image/jpeg") && bytes.byteLength > 0
    ? { type: "preview", mime, bytes, promptId }
    : undefined;
