import type { AuthProvider, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { limits } from "#contract/limits.ts";
import { type CallContext, ProviderError } from "../adapter.ts";
import { unpaid } from "../outbound.ts";
import { mcpKind } from "./kind.ts";
import { limited } from "./limited.ts";
import { secretsOf } from "./program.ts";
import { callInHand } from "./session.ts";
import { accessToken } from "./sign-in.ts";

type Sdk = typeof import("@modelcontextprotocol/client");

/** Streamable HTTP (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports), over the guarded fetch alone. */
export function createHttpTransport(sdk: Sdk, context: CallContext): StreamableHTTPClientTransport {
  const { addresses, options, secret: sealed } = context.connection;
  const secret = secretsOf(sealed).key ?? null;
  if (!addresses.server) throw new ProviderError("provider_unreachable", "no", { message: "This connection has no address." });
  const header = typeof options.header === "string" && options.header ? options.header : "authorization";
  const isBearer = header.toLowerCase() === "authorization" && !/\s/.test(secret ?? "");
  const isSignedIn = options.reach === mcpKind.signInWhen?.is;
  const authProvider: AuthProvider = {
    token: async () => (isSignedIn ? accessToken(context) : isBearer ? (secret ?? undefined) : undefined),
  };
  return new sdk.StreamableHTTPClientTransport(new URL(addresses.server), {
    fetch: sessionFetch(context.fetch),
    authProvider,
    requestInit: { headers: secret && !isBearer ? { [header]: secret } : {} },
  });
}

/** The call of a tool goes out as what it is, once; whatever else the protocol posts changes nothing. */
function sessionFetch(own: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const method = init?.method ?? "GET";
    // A standing stream would tell of changes for which nobody waits here; only a torn answer is asked for again.
    if (method === "GET" && new Headers(init?.headers).has("last-event-id") === false && !isMetadata(init))
      return new Response(null, { status: 405 });
    const call = callInHand.getStore();
    const response = call && isToolCall(init?.body) ? await call.fetch(input, init) : await own(input, unpaid({ ...init }));
    return limited(response, limits.toolAnswerBytes);
  };
}

const isMetadata = (init: RequestInit | undefined): boolean => !new Headers(init?.headers).get("accept")?.includes("text/event-stream");

function isToolCall(body: unknown): boolean {
  try {
    return typeof body === "string" && (JSON.parse(body) as { method?: unknown }).method === "tools/call";
  } catch {
    return false;
  }
}
