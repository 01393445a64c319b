import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";
import { unpaid } from "../../outbound/outbound.ts";
import { toProviderError } from "../../outbound/outbound-failure.ts";
import { readText } from "../../wire/http-errors.ts";
import { type FalPhase, isHtml, isTaken, readFalFailure } from "./errors.ts";
import { type FalDoor, falAddresses } from "./kind.ts";

export type FalCall = {
  phase: FalPhase;
  method?: "GET" | "POST" | "PUT";
  json?: unknown;
  accept?: string;
  headers?: Record<string, string>;
};

/** Joins `https://queue.fal.run` and `owner/alias`. The base may have a path. */
export function falUrl(context: CallContext, door: FalDoor, path: string): URL {
  return new URL(`${doorAddress(context, door).replace(/\/+$/, "")}/${path.replace(/^\/+/, "")}`);
}

/**
 * Maps a URL that fal returned for one of its hosts to the connection's own address of that host.
 * The key goes nowhere else: throws ProviderError("provider_protocol") when the URL belongs to none
 * of the connection's addresses.
 */
export function givenUrl(context: CallContext, given: string): URL {
  for (const door of Object.keys(falAddresses) as FalDoor[]) {
    const set = doorAddress(context, door).replace(/\/+$/, "");
    if (isBelow(given, set)) return new URL(given);
    // A gateway may leave fal's own URLs in responses.
    if (isBelow(given, falAddresses[door]))
      return new URL(set + given.slice(falAddresses[door].length));
  }
  throw new ProviderError("provider_protocol", "yes", {
    message: sentences.fal.foreignAddress,
  });
}

/**
 * Makes one request with the key, without retries.
 * @throws ProviderError for any status except 2xx
 */
export async function callFal(context: CallContext, url: URL, call: FalCall): Promise<Response> {
  const method = call.method ?? "GET";
  // Only the list of models needs no key.
  if (!context.connection.secret && call.phase !== "list") {
    throw new ProviderError("provider_auth", isTaken(call.phase) ? "yes" : "no", {
      message: sentences.connections.noKey,
    });
  }
  const headers = new Headers({ accept: call.accept ?? "application/json", ...call.headers });
  if (context.connection.secret) headers.set("authorization", `Key ${context.connection.secret}`);
  if (call.json !== undefined) headers.set("content-type", "application/json");
  const init: RequestInit = { method, headers, signal: context.signal };
  if (call.json !== undefined) init.body = JSON.stringify(call.json);
  const response = await send(context, url, call.phase === "submit" ? init : unpaid(init));
  if (response.ok) return response;
  throw await readFalFailure(response, call.phase, context);
}

/**
 * Reads the body as JSON. HTML means a mistyped address or a portal; any other unreadable body
 * leaves a submit's outcome unknown.
 */
export async function readJson(response: Response, phase: FalPhase): Promise<unknown> {
  const text = await readText(response, limits.providerJsonBytes);
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (isHtml(response, text)) {
      const accepted = isTaken(phase) ? "yes" : phase === "submit" ? "unknown" : "no";
      throw new ProviderError(
        "provider_protocol",
        accepted,
        { message: sentences.answers.falWebPage },
        { cause },
      );
    }
    if (phase === "submit")
      throw new ProviderError(
        "outcome_unknown",
        "unknown",
        { httpStatus: response.status },
        { cause },
      );
    const message = sentences.answers.notJson;
    throw new ProviderError(
      "provider_protocol",
      isTaken(phase) ? "yes" : "no",
      { message, httpStatus: response.status },
      { cause },
    );
  }
}

/**
 * Sends a request without the key, for URLs that are themselves signed.
 * @throws ProviderError when there is no response
 */
export async function send(context: CallContext, url: URL, init: RequestInit): Promise<Response> {
  try {
    return await context.fetch(url, init);
  } catch (error) {
    if (context.signal.aborted) throw error;
    throw toProviderError(error, {
      method: init.method ?? "GET",
      sent: true,
      status: null,
      host: url.host,
    });
  }
}

const doorAddress = (context: CallContext, door: FalDoor) =>
  context.connection.addresses[door] ?? falAddresses[door];

const isBelow = (url: string, base: string) =>
  url.startsWith(base) && /^[/?]/.test(url.slice(base.length));

/** Parses an event of a stream. */
export function parseEvent(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new ProviderError(
      "provider_protocol",
      "yes",
      { message: sentences.fal.eventNotJson },
      { cause },
    );
  }
}
