import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import { createGates } from "../kit/behaviour.ts";
import type { HttpCall } from "../mcp.ts";

const registration = z.strictObject({
  client_name: z.literal("Bottega"),
  redirect_uris: z.array(z.url()).length(1),
  grant_types: z.tuple([z.literal("authorization_code"), z.literal("refresh_token")]),
  response_types: z.tuple([z.literal("code")]),
  token_endpoint_auth_method: z.enum(["none", "client_secret_basic", "client_secret_post"]),
  application_type: z.enum(["native", "web"]).optional(),
  scope: z.string().optional(),
});

type AuthMethod = "none" | "client_secret_basic" | "client_secret_post";
type Client = { id: string; redirect: string; secret?: string };
type Asked = { client: string; challenge: string; redirect: string; state: string };

export type AuthorizationOptions = {
  /** An access token's lifetime, in seconds. */
  expiresIn?: number;
  /** How a client authenticates at the token endpoint. */
  authMethod?: AuthMethod;
  /** False: no registration endpoint; clients are created with `addClient`. */
  registers?: boolean;
  /** The endpoint that its tokens are for; by default its own. */
  resource?: () => string;
  /** Shows a consent page; otherwise consent is assumed. */
  asksPerson?: boolean;
};

/**
 * A strict authorization server next to the endpoint: RFC 9728 and 8414 metadata, RFC 7591
 * registration, single-use codes with PKCE (S256), the resource named (RFC 8707), and single-use
 * refresh tokens, whose reuse ends the whole sign-in (RFC 9700, section 4.14.2).
 */
export function createAuthorization(options: AuthorizationOptions = {}) {
  const { authMethod = "none", registers = true } = options;
  const clients = new Map<string, Client>();
  const asking = new Map<string, Asked>();
  const codes = new Map<string, Asked>();
  const refreshTokens = new Map<string, { client: string; isUsed: boolean }>();
  const tokens = new Set<string>();
  const refused: string[] = [];
  /** `turnedAway` counts tool calls with an invalid token. */
  const counts = { registered: 0, renewed: 0, tokenCalls: 0, turnedAway: 0 };
  const gates = createGates();
  /** The behaviors of the next calls to the token endpoint. */
  const behaviours: { status?: number; gate?: string }[] = [];

  const resourceAt = ({ url }: HttpCall): string => options.resource?.() ?? `${url.origin}/mcp`;

  const json = ({ response }: HttpCall, status: number, body: object): true => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    return true;
  };
  const refuse = (call: HttpCall, error: string, why: string, status = 400): true => {
    refused.push(why);
    return json(call, status, { error, error_description: why });
  };

  function register(call: HttpCall): true {
    const wish = registration.safeParse(JSON.parse(call.body.toString()));
    if (!wish.success) return refuse(call, "invalid_client_metadata", wish.error.message);
    if (wish.data.token_endpoint_auth_method !== authMethod)
      return refuse(call, "invalid_client_metadata", `not ${authMethod}`);
    const id = randomUUID();
    const secret = authMethod === "none" ? undefined : `secret-${id}`;
    counts.registered++;
    clients.set(id, { id, redirect: wish.data.redirect_uris[0]!, ...(secret && { secret }) });
    return json(call, 201, {
      ...wish.data,
      client_id: id,
      client_secret: secret,
      client_id_issued_at: 1_790_000_000,
    });
  }

  function authorize(call: HttpCall): true {
    const asked = Object.fromEntries(call.url.searchParams);
    const {
      client_id: client = "",
      redirect_uri: redirect = "",
      state = "",
      code_challenge: challenge = "",
      resource = "",
    } = asked;
    // With a wrong client or address, nobody is redirected.
    if (clients.get(client)?.redirect !== redirect)
      return refuse(call, "invalid_request", "an unknown client or redirect_uri");
    if (
      asked.response_type !== "code" ||
      asked.code_challenge_method !== "S256" ||
      !challenge ||
      state.length < 20
    )
      return refuse(call, "invalid_request", "PKCE and a state are needed");
    if (resource !== resourceAt(call))
      return refuse(call, "invalid_target", `not this resource: ${resource}`);
    const request: Asked = { client, challenge, redirect, state };
    if (!options.asksPerson) return sendBack(call, request, "allow");
    const id = randomUUID();
    asking.set(id, request);
    const page = `<!doctype html><html lang="en"><title>Notebook</title><h1>Let Bottega use your notebook?</h1><form method="post" action="/decide"><input type="hidden" name="request" value="${id}"><button name="word" value="allow">Allow</button><button name="word" value="deny">Deny</button></form>`;
    call.response.writeHead(200, { "content-type": "text/html" }).end(page);
    return true;
  }

  /** The person's decision on the consent page. */
  function decide(call: HttpCall): true {
    const said = Object.fromEntries(new URLSearchParams(call.body.toString()));
    const request = asking.get(said.request ?? "");
    asking.delete(said.request ?? "");
    return request
      ? sendBack(call, request, said.word)
      : refuse(call, "invalid_request", "nobody asks");
  }

  function sendBack(call: HttpCall, request: Asked, word: string | undefined): true {
    const code = randomUUID();
    if (word === "allow") codes.set(code, request);
    const no = { error: "access_denied", error_description: "<b>No</b> was said" };
    const answer: Record<string, string> = word === "allow" ? { code } : no;
    const back = new URL(request.redirect);
    back.search = new URLSearchParams({
      ...answer,
      state: request.state,
      iss: call.url.origin,
    }).toString();
    call.response.writeHead(302, { location: back.href }).end();
    return true;
  }

  function give(call: HttpCall, client: string): true {
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    tokens.add(access);
    refreshTokens.set(refresh, { client, isUsed: false });
    return json(call, 200, {
      access_token: access,
      token_type: "Bearer",
      refresh_token: refresh,
      expires_in: options.expiresIn ?? 3_600,
    });
  }

  function revokeAll(): void {
    tokens.clear();
    refreshTokens.clear();
  }

  /** The client, if it authenticates with this server's method. */
  function clientOf(call: HttpCall, asked: Record<string, string>): Client | undefined {
    const [, basic] = /^Basic (\S+)$/.exec(call.headers.authorization ?? "") ?? [];
    const [basicId, basicSecret] = basic ? Buffer.from(basic, "base64").toString().split(":") : [];
    if ((basic !== undefined) !== (authMethod === "client_secret_basic")) return undefined;
    if ((asked.client_secret !== undefined) !== (authMethod === "client_secret_post"))
      return undefined;
    const client = clients.get(basicId ?? asked.client_id ?? "");
    return client?.secret === (basicSecret ?? asked.client_secret) ? client : undefined;
  }

  async function token(call: HttpCall): Promise<true> {
    counts.tokenCalls++;
    const { status, gate } = behaviours.shift() ?? {};
    if (gate) await gates.wait(gate);
    if (status) {
      call.response.writeHead(status, { "content-type": "text/html" }).end("<h1>Away</h1>");
      return true;
    }
    const asked = Object.fromEntries(new URLSearchParams(call.body.toString()));
    const client = clientOf(call, asked);
    if (!client) return refuse(call, "invalid_client", "an unknown client, or another secret", 401);
    if (asked.resource !== resourceAt(call))
      return refuse(call, "invalid_target", "the resource is missing");
    if (asked.grant_type === "refresh_token") {
      const known = refreshTokens.get(asked.refresh_token ?? "");
      if (known?.isUsed) revokeAll();
      if (!known || known.isUsed || known.client !== client.id)
        return refuse(call, "invalid_grant", "an unknown or used refresh token");
      known.isUsed = true;
      counts.renewed++;
      return give(call, client.id);
    }
    const known = codes.get(asked.code ?? "");
    codes.delete(asked.code ?? "");
    const proof = createHash("sha256")
      .update(asked.code_verifier ?? "")
      .digest("base64url");
    if (asked.grant_type !== "authorization_code" || !known)
      return refuse(call, "invalid_grant", "an unknown or used code");
    if (known.client !== client.id || known.redirect !== asked.redirect_uri)
      return refuse(call, "invalid_grant", "another client");
    if (proof !== known.challenge)
      return refuse(call, "invalid_grant", "the verifier does not fit");
    return give(call, client.id);
  }

  return {
    tokens,
    refused,
    counts,
    isToken(given: string): boolean {
      if (!tokens.has(given)) counts.turnedAway++;
      return tokens.has(given);
    },
    addClient: (client: Client) => void clients.set(client.id, client),
    /** Acts as if the person had revoked access there. */
    revokeAll,
    /** Expires access tokens early; clients get new ones. */
    endTokens: () => tokens.clear(),
    script: (next: { status?: number; gate?: string }) => void behaviours.push(next),
    open: gates.open,
    reached: gates.reached,
    also(call: HttpCall): boolean {
      const { origin, pathname } = call.url;
      const at = `${call.method} ${pathname}`;
      if (at === "GET /.well-known/oauth-protected-resource/mcp")
        return json(call, 200, {
          resource: `${origin}/mcp`,
          authorization_servers: [origin],
          bearer_methods_supported: ["header"],
        });
      if (at === "GET /.well-known/oauth-authorization-server")
        return json(call, 200, {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          ...(registers && { registration_endpoint: `${origin}/register` }),
          response_types_supported: ["code"],
          grant_types_supported: ["authorization_code", "refresh_token"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: [authMethod],
          authorization_response_iss_parameter_supported: true,
        });
      if (at === "POST /register" && registers) return register(call);
      if (at === "GET /authorize") return authorize(call);
      if (at === "POST /decide") return decide(call);
      if (at !== "POST /token") return false;
      void token(call);
      return true;
    },
  };
}
export type Authorization = ReturnType<typeof createAuthorization>;
