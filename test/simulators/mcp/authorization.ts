import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import type { HttpCall } from "../mcp.ts";

const registration = z.strictObject({
  client_name: z.literal("Bottega"),
  redirect_uris: z.array(z.url()).length(1),
  grant_types: z.tuple([z.literal("authorization_code"), z.literal("refresh_token")]),
  response_types: z.tuple([z.literal("code")]),
  token_endpoint_auth_method: z.literal("none"),
  application_type: z.enum(["native", "web"]).optional(),
  scope: z.string().optional(),
});

/**
 * An authorization server beside the endpoint, strictly: RFC 9728 and 8414 metadata, RFC 7591 registration, codes that hold once with
 * PKCE (S256), the resource named (RFC 8707), refresh tokens that are used up by their use.
 */
export function createAuthorization(options: { expiresIn?: number } = {}) {
  const clients = new Map<string, string>();
  const codes = new Map<string, { client: string; challenge: string; redirect: string; resource: string }>();
  const refreshTokens = new Map<string, string>();
  const tokens = new Set<string>();
  const refused: string[] = [];
  const counts = { registered: 0, renewed: 0 };

  const json = ({ response }: HttpCall, status: number, body: object): true => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    return true;
  };
  const refuse = (call: HttpCall, error: string, why: string): true => {
    refused.push(why);
    return json(call, 400, { error, error_description: why });
  };

  function register(call: HttpCall): true {
    const wish = registration.safeParse(JSON.parse(call.body.toString()));
    if (!wish.success) return refuse(call, "invalid_client_metadata", wish.error.message);
    const id = randomUUID();
    counts.registered++;
    clients.set(id, wish.data.redirect_uris[0]!);
    return json(call, 201, { ...wish.data, client_id: id, client_id_issued_at: 1_790_000_000 });
  }

  /** As if a person had said yes: straight back with a code. */
  function authorize(call: HttpCall): true {
    const asked = Object.fromEntries(call.url.searchParams);
    const { client_id: client = "", redirect_uri: redirect = "", state = "", code_challenge: challenge = "", resource = "" } = asked;
    if (clients.get(client) !== redirect) return refuse(call, "invalid_request", "an unknown client or redirect_uri");
    if (asked.response_type !== "code" || asked.code_challenge_method !== "S256" || !challenge || state.length < 20)
      return refuse(call, "invalid_request", "PKCE and a state are needed");
    if (resource !== `${call.url.origin}/mcp`) return refuse(call, "invalid_target", `not this resource: ${resource}`);
    const code = randomUUID();
    codes.set(code, { client, challenge, redirect, resource });
    const back = new URL(redirect);
    back.search = new URLSearchParams({ code, state, iss: call.url.origin }).toString();
    call.response.writeHead(302, { location: back.href }).end();
    return true;
  }

  function give(call: HttpCall, client: string): true {
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    tokens.add(access);
    refreshTokens.set(refresh, client);
    return json(call, 200, { access_token: access, token_type: "Bearer", refresh_token: refresh, expires_in: options.expiresIn ?? 3_600 });
  }

  function token(call: HttpCall): true {
    const asked = Object.fromEntries(new URLSearchParams(call.body.toString()));
    if (asked.resource !== `${call.url.origin}/mcp`) return refuse(call, "invalid_target", "the resource is missing");
    if (asked.grant_type === "refresh_token") {
      const client = refreshTokens.get(asked.refresh_token ?? "");
      if (!client || client !== asked.client_id) return refuse(call, "invalid_grant", "an unknown or used refresh token");
      refreshTokens.delete(asked.refresh_token!);
      counts.renewed++;
      return give(call, client);
    }
    const known = codes.get(asked.code ?? "");
    codes.delete(asked.code ?? "");
    const proof = createHash("sha256")
      .update(asked.code_verifier ?? "")
      .digest("base64url");
    if (asked.grant_type !== "authorization_code" || !known) return refuse(call, "invalid_grant", "an unknown or used code");
    if (known.client !== asked.client_id || known.redirect !== asked.redirect_uri) return refuse(call, "invalid_grant", "another client");
    if (proof !== known.challenge) return refuse(call, "invalid_grant", "the verifier does not fit");
    return give(call, known.client);
  }

  return {
    tokens,
    refused,
    counts,
    isToken: (given: string): boolean => tokens.has(given),
    also(call: HttpCall): boolean {
      const { origin, pathname } = call.url;
      const at = `${call.method} ${pathname}`;
      if (at === "GET /.well-known/oauth-protected-resource/mcp")
        return json(call, 200, { resource: `${origin}/mcp`, authorization_servers: [origin], bearer_methods_supported: ["header"] });
      if (at === "GET /.well-known/oauth-authorization-server")
        return json(call, 200, {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ["code"],
          grant_types_supported: ["authorization_code", "refresh_token"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
          authorization_response_iss_parameter_supported: true,
        });
      if (at === "POST /register") return register(call);
      if (at === "GET /authorize") return authorize(call);
      if (at === "POST /token") return token(call);
      return false;
    },
  };
}
