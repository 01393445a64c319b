import { json } from "./kit/json.ts";
import { type Call, type ProviderWire, type Simulator, startSimulator } from "./kit/server.ts";
import { openAiOwnWire } from "./openai.ts";
import type { SimulatorOptions } from "./openai-compatible.ts";

export type Azure = Omit<Simulator, "origin"> & {
  /** The address of the resource and of its sign-in, without a path. */
  url: string;
  key: string;
  client: { tenant: string; clientId: string; clientSecret: string };
  /** The number of issued tokens. */
  tokens(): number;
  /** Invalidates all tokens issued so far. */
  revokeTokens(): void;
  /** Ends or fails a job by its id immediately. */
  endJob(id: string, error?: { code: string; message: string }): void;
};

const models = [
  {
    id: "gpt-5.5",
    object: "model",
    capabilities: { inference: true },
    lifecycle_status: "generally-available",
  },
  { id: "gpt-image-2", object: "model", capabilities: { inference: true } },
  { id: "FLUX-9-pro", object: "model", capabilities: { inference: true } },
  { id: "Llama-Guard-9", object: "model", capabilities: { inference: true } },
  { id: "gpt-4-base", object: "model", capabilities: { inference: false } },
];

/**
 * A strict Azure OpenAI resource with its v1 API: accepts `api-key`, or a token of its own Entra
 * ID, and no other sign-in. Like the original, it doesn't list deployments.
 */
export async function startAzure(
  options: Pick<SimulatorOptions, "defaults"> & { expiresIn?: number; apiVersion?: string } = {},
): Promise<Azure> {
  const key = "azure-sim-key";
  const client = { tenant: "11111111-aaaa", clientId: "app-1", clientSecret: "secret/with+signs" };
  let tokens = 0;
  let valid = new Set<string>();
  const isAuthorized = ({ headers, url }: Call): boolean => {
    if (
      options.apiVersion !== undefined &&
      url.searchParams.get("api-version") !== options.apiVersion
    )
      return false;
    const bearer = headers.authorization?.replace(/^Bearer /, "");
    return headers["api-key"] === undefined
      ? valid.has(bearer ?? "")
      : headers["api-key"] === key && bearer === undefined;
  };
  const { wire, endJob } = openAiOwnWire({ models }, isAuthorized, "/openai/v1");

  const withSignIn: ProviderWire = {
    ...wire,
    answerFree(call, origin) {
      const [, tenant] = /^\/([^/]+)\/oauth2\/v2\.0\/token$/.exec(call.url.pathname) ?? [];
      if (call.method !== "POST" || tenant === undefined) return wire.answerFree!(call, origin);
      giveToken(call, tenant);
      return true;
    },
  };

  /** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
  function giveToken({ body, headers, response }: Call, tenant: string): void {
    const form = new URLSearchParams(body.toString());
    const isWhole =
      headers["content-type"] === "application/x-www-form-urlencoded" &&
      form.get("grant_type") === "client_credentials" &&
      form.get("scope") === "https://cognitiveservices.azure.com/.default";
    if (!isWhole) {
      response.statusCode = 400;
      json(response, {
        error: "invalid_request",
        error_description: "AADSTS900144: a parameter is missing.",
      });
      return;
    }
    if (
      tenant !== client.tenant ||
      form.get("client_id") !== client.clientId ||
      form.get("client_secret") !== client.clientSecret
    ) {
      response.statusCode = 401;
      json(response, {
        error: "invalid_client",
        error_description: `AADSTS7000215: Invalid client secret provided: ${form.get("client_secret")}`,
      });
      return;
    }
    const token = `token-${++tokens}-eyJ0eXAi`;
    valid.add(token);
    json(response, {
      token_type: "Bearer",
      expires_in: options.expiresIn ?? 3_599,
      ext_expires_in: 3_599,
      access_token: token,
    });
  }

  const { origin, ...simulator } = await startSimulator(withSignIn, options);
  const revokeTokens = () => {
    valid = new Set();
  };
  return { ...simulator, url: origin, key, client, tokens: () => tokens, revokeTokens, endJob };
}
