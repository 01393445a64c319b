import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import { realtimePath } from "#domain/models/fal-apps.ts";
import {
  ProviderError,
  type RealtimeAdapter,
  type RealtimeContext,
  type RealtimeInput,
  type Socket,
} from "../../../adapter.ts";
import { isRecord } from "../../../wire/error-fields.ts";
import { falUrl } from "../call.ts";
import { isRefusal, readMessage } from "./realtime-messages.ts";
import { realtimeToken, sessionToken } from "./realtime-token.ts";

/**
 * A session of a realtime model: one socket, msgpack in both directions. Its short-lived token is
 * used nowhere else, and is checked only when the socket opens. Each input gets one answer, in
 * order.
 */
export const realtime: RealtimeAdapter = {
  token: realtimeToken,
  async open(model, context, on) {
    const { decode, encode } = await import("@msgpack/msgpack");
    const read = (content: Uint8Array | string): unknown => {
      if (typeof content === "string") return JSON.parse(content);
      return decode(content);
    };
    let isClosed = false;
    const close = (error: ProviderError | null): void => {
      if (isClosed) return;
      isClosed = true;
      on.closed(error);
    };
    const socket = await openSocket(model.id, context);
    const end = (error: ProviderError | null): void => {
      close(error);
      socket.close();
    };
    const take = (content: Uint8Array | string): void => {
      let message: unknown;
      try {
        message = read(content);
      } catch (cause) {
        end(
          new ProviderError(
            "provider_protocol",
            "yes",
            { message: sentences.fal.frameNotMsgpack },
            { cause },
          ),
        );
        return;
      }
      const received = readMessage(message, context.connection.secret);
      if (received === null) return;
      if (!(received instanceof ProviderError)) on.frames(received);
      else if (isRefusal(received)) on.refused(received);
      else end(received);
    };
    void (async () => {
      while (!isClosed) {
        const content = await socket.next();
        if (content !== null && !isClosed) take(content);
      }
    })().catch((error: unknown) => close(toEnd(error)));
    const drawing = drawingField(model.inputSchema);
    return {
      send: (input) => socket.send(encode(toMessage(input, drawing), { ignoreUndefined: true })),
      close() {
        isClosed = true;
        socket.close();
      },
    };
  },
};

/**
 * 1000: the service is done. 1001: it goes away, as an idle runner does. Any other end broke the
 * connection.
 */
function toEnd(error: unknown): ProviderError | null {
  if (!(error instanceof ProviderError)) return null;
  if (error.detail.reason === "1000" || error.detail.reason === "1001") return null;
  if (error.code === "provider_protocol") return error;
  return new ProviderError("provider_interrupted", "yes", {
    message: sentences.fal.socketClosed,
    reason: error.detail.reason,
  });
}

async function openSocket(model: string, context: RealtimeContext): Promise<Socket> {
  const url = falUrl(context, "realtime", realtimePath(model));
  url.searchParams.set("fal_jwt_token", await sessionToken(model, context));
  try {
    return await context.openSocket(url.href, { signal: context.signal });
  } catch (error) {
    const status = error instanceof ProviderError ? error.detail.httpStatus : undefined;
    if (status === undefined) throw error;
    if (status === 401 || status === 403)
      throw new ProviderError(status === 401 ? "provider_auth" : "provider_forbidden", "no", {
        message: sentences.sessions.tokenRefused,
        httpStatus: status,
      });
    if (status === 404)
      throw new ProviderError("model_gone", "no", {
        message: sentences.fal.noRealtime,
        httpStatus: status,
      });
    if (status === 429)
      throw new ProviderError("provider_rate_limited", "no", { httpStatus: status });
    throw new ProviderError("provider_overloaded", "no", {
      message: sentences.sessions.refusedByFal({ status }),
      httpStatus: status,
    });
  }
}

/**
 * Sends the drawing as bytes if the model accepts bytes, else as a `data:` URL, because fal fetches
 * no files within a session.
 */
function toMessage(
  { settings, drawing }: RealtimeInput,
  field: string | null,
): JsonObject | Record<string, unknown> {
  if (!drawing || field === null) return settings;
  const { bytes, mime } = drawing;
  if (field === bytesField) return { ...settings, [field]: bytes };
  return {
    ...settings,
    [field]: `data:${mime};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")}`,
  };
}

/**
 * The name of realtime inputs that accept a picture's bytes (fal's schemas: RealtimeInput,
 * RealtimeLivePortraitInput).
 */
const bytesField = "image_bytes";

/** Returns the input for the drawing: the required picture, or else the first optional one. */
export function drawingField(schema: JsonSchema | null): string | null {
  const properties = isRecord(schema?.properties) ? schema.properties : {};
  if (bytesField in properties) return bytesField;
  const required = Array.isArray(schema?.required) ? schema.required : [];
  const pictures = Object.entries(properties).flatMap(([name, field]) =>
    isRecord(field) && takesPicture(field) ? [name] : [],
  );
  return pictures.find((name) => required.includes(name)) ?? pictures[0] ?? null;
}

const takesPicture = (field: Record<string, unknown>): boolean =>
  field["x-file"] === "image" ||
  (Array.isArray(field.anyOf) &&
    field.anyOf.some((choice) => isRecord(choice) && choice["x-file"] === "image"));
