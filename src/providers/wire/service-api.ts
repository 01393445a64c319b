import { isUtf8 } from "node:buffer";
import { sentences } from "#contract/sentences/index.ts";
import { type AnswerPart, type CallContext, ProviderError } from "../adapter.ts";
import { unpaid } from "../outbound/outbound.ts";
import { baseUrl, keyOf } from "./connection.ts";
import { isRecord } from "./error-fields.ts";
import {
  type Classify,
  type IsOwnShape,
  readJson,
  readOptions,
  toHttpError,
  unlessPage,
} from "./http-errors.ts";

/** A service with a JSON API. Its base URL is the connection's address `api`. */
export type Service = {
  name: string;
  /** The headers that carry the key. */
  sign(key: string): Record<string, string>;
  classify: Classify;
  /** Recognizes its own errors, if they differ from the usual forms. */
  isOwnShape?: IsOwnShape;
};

export type ServiceRequest = {
  method?: "GET" | "POST" | "DELETE" | "QUERY";
  headers?: Record<string, string>;
  body?: BodyInit;
  /**
   * A POST that only queries, ends or uploads something. Its response proves nothing about a paid
   * request.
   */
  isFree?: boolean;
};

/**
 * Creates the calls of one service over the guarded fetch. Each throws ProviderError; without a key
 * nothing is sent.
 */
export function createServiceApi(service: Service) {
  const isPaid = ({ method, isFree }: ServiceRequest) => method === "POST" && !isFree;
  const optionsOf = (context: CallContext, request: ServiceRequest) =>
    readOptions(context, isPaid(request) ? "POST" : "GET");

  /** Returns a 2xx response that isn't a web page, with its body unread. */
  async function call(
    context: CallContext,
    path: string,
    request: ServiceRequest = {},
  ): Promise<Response> {
    const init: RequestInit = {
      method: request.method ?? "GET",
      headers: {
        accept: "application/json, */*",
        ...service.sign(keyOf(context)),
        ...request.headers,
      },
      ...(request.body !== undefined && { body: request.body }),
      ...(request.body instanceof ReadableStream && { duplex: "half" }),
      signal: context.signal,
    };
    const response = await context.fetch(
      `${baseUrl(context)}${path}`,
      isPaid(request) ? init : unpaid(init),
    );
    const options = optionsOf(context, request);
    if (!response.ok)
      throw await toHttpError(response, options, service.classify, service.isOwnShape);
    return unlessPage(response, options.method);
  }

  const unexpected = (request: ServiceRequest) =>
    new ProviderError("provider_protocol", isPaid(request) ? "unknown" : "no", {
      message: sentences.connections.notService({ service: service.name }),
    });

  /** Like `call`, for a JSON response, as an object or as a list. */
  async function callJson(
    context: CallContext,
    path: string,
    request: ServiceRequest = {},
  ): Promise<unknown> {
    return readJson(await call(context, path, request), optionsOf(context, request));
  }

  async function callObject(
    context: CallContext,
    path: string,
    request: ServiceRequest = {},
  ): Promise<Record<string, unknown>> {
    const body = await callJson(context, path, request);
    if (isRecord(body)) return body;
    throw unexpected(request);
  }

  return { call, callJson, callObject, unexpected };
}

/** Builds a JSON body. Undefined fields are left out. */
export const jsonBody = (body: {
  [field: string]: unknown;
}): Pick<ServiceRequest, "headers" | "body"> => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** Some hours of audio. A longer response isn't a recording. */
const recordingBytes = 256 * 1024 ** 2;

/**
 * Passes on the sound that is the whole body of a paid response, as it arrives. The engine stores
 * it, so that a paid result can still be saved on a second try. A text label over other bytes is
 * the server's mistake.
 * @throws ProviderError
 */
export async function* answerRecording(
  response: Response,
  name: string,
  unexpected: ProviderError,
): AsyncGenerator<AnswerPart> {
  const mime = mimeOf(response);
  const isText = /^(application\/json|text\/)/.test(mime);
  const known = mime.startsWith("audio/") ? { mime } : {};
  const held: Uint8Array[] = [];
  let isEmpty = true;
  for await (const bytes of recordingIn(response.body ?? [])) {
    if (bytes.byteLength > 0) isEmpty = false;
    if (isText) held.push(bytes);
    else yield { type: "sound", bytes, ...known };
  }
  // An empty response is the provider's own and final.
  if (isEmpty)
    throw new ProviderError("provider_protocol", "yes", {
      message: sentences.answers.noSound,
      ownShape: true,
    });
  const whole = Buffer.concat(held);
  if (isText && isUtf8(whole)) throw unexpected;
  if (isText) yield { type: "sound", bytes: whole };
  yield { type: "recorded", name, ...known };
}

/** @throws ProviderError for a body that is no recording, because it never ends */
export async function* recordingIn(
  body: AsyncIterable<Uint8Array> | [],
): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const bytes of body) {
    length += bytes.byteLength;
    if (length > recordingBytes)
      throw new ProviderError("provider_protocol", "yes", {
        message: sentences.answers.endlessSound,
      });
    yield bytes;
  }
}

export const mimeOf = ({ headers }: Response): string =>
  headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
