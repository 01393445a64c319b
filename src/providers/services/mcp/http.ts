import type { AuthProvider, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { limits } from "#contract/limits.ts";
import { sentences } from "#contract/sentences/index.ts";
import { requestBounds } from "#domain/schemas/json-scan.ts";
import { type CallContext, ProviderError } from "../../adapter.ts";
import { bounded } from "../../outbound/answer-bounds.ts";
import { unpaid } from "../../outbound/outbound.ts";
import { secretsOf } from "../../wire/connection.ts";
import { textOf } from "../../wire/values.ts";
import { accessToken } from "./access-token.ts";
import { callInHand } from "./call-in-hand.ts";
import { asksForSignIn } from "./kind.ts";

type Sdk = typeof import("@modelcontextprotocol/client");

/**
 * Streamable HTTP (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports), only
 * through the guarded fetch.
 */
export function createHttpTransport(sdk: Sdk, context: CallContext): StreamableHTTPClientTransport {
  const { addresses, options, secret: sealed } = context.connection;
  const secret = textOf(secretsOf(sealed).key) ?? null;
  if (!addresses.server)
    throw new ProviderError("provider_unreachable", "no", {
      message: sentences.connections.noAddress,
    });
  const header =
    typeof options.header === "string" && options.header ? options.header : "authorization";
  const isBearer = header.toLowerCase() === "authorization" && !/\s/.test(secret ?? "");
  const key: AuthProvider = { token: async () => (isBearer ? (secret ?? undefined) : undefined) };
  const authProvider = asksForSignIn(context) ? signedIn(context) : key;
  return new sdk.StreamableHTTPClientTransport(new URL(addresses.server), {
    fetch: sessionFetch(context.fetch),
    authProvider,
    requestInit: { headers: secret && !isBearer ? { [header]: secret } : {} },
  });
}

/** Provides tokens, and renews one that the server refuses before it expires. */
function signedIn(context: CallContext): AuthProvider {
  let sent: string | undefined;
  return {
    async token() {
      sent = await accessToken(context);
      return sent;
    },
    async onUnauthorized() {
      await accessToken(context, sent);
      // An attempt sends a tool call once; the next attempt uses the new token.
      if (callInHand.getStore())
        throw new ProviderError("provider_unreachable", "no", {
          message: sentences.signIn.newerNeeded,
        });
    },
  };
}

/** A tool call is sent once, like the paid POST. Other POSTs of the protocol have no effects. */
function sessionFetch(own: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const method = init?.method ?? "GET";
    // A standing stream would report changes that nothing here waits for; only a broken response is
    // resumed.
    if (
      method === "GET" &&
      new Headers(init?.headers).has("last-event-id") === false &&
      !isMetadata(init)
    )
      return new Response(null, { status: 405 });
    const call = callInHand.getStore();
    const response =
      call && isToolCall(init?.body)
        ? await call.fetch(input, init)
        : await own(input, unpaid({ ...init }));
    return bounded(response, limits.toolAnswerBytes, requestBounds, "The server of tools");
  };
}

const isMetadata = (init: RequestInit | undefined): boolean =>
  !new Headers(init?.headers).get("accept")?.includes("text/event-stream");

function isToolCall(body: unknown): boolean {
  try {
    return (
      typeof body === "string" && (JSON.parse(body) as { method?: unknown }).method === "tools/call"
    );
  } catch {
    return false;
  }
}
