import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { buildContext } from "../../../test/support/attempt.ts";
import { toToolError } from "./errors.ts";
import type { Grant } from "./grant.ts";
import { beginSignIn, finishSignIn } from "./sign-in.ts";

const redirectUrl = "http://bottega.test/back";

/** A server whose answers are the test's, and a sign-in at it that is kept in memory. */
async function build(
  answer: (request: IncomingMessage, response: ServerResponse, origin: string) => void,
  kept: (origin: string) => object = () => ({}),
) {
  const server = createServer((request, response) => answer(request, response, origin));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = { kind: "mcp", addresses: { server: `${origin}/mcp` }, options: { reach: "address and sign-in" }, secret: null };
  const { context } = buildContext({ origin, connection });
  let grant: string | null = JSON.stringify({ server: `${origin}/mcp`, ...kept(origin) });
  const store = {
    load: async () => grant,
    async update(change: (text: string | null) => string | null) {
      grant = change(grant) ?? grant;
    },
  };
  return { origin, context: { ...context, grant: store }, kept: () => JSON.parse(grant ?? "null") as Grant };
}

it("what a server says of itself is read up to 1 MB", async () => {
  let sent = 0;
  const { context } = await build((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const more = (): void => {
      while (!response.destroyed && sent < 64 * 1024 ** 2) {
        sent += 65_536;
        if (!response.write(" ".repeat(65_536))) return void response.once("drain", more);
      }
      response.end("{}");
    };
    more();
  });
  await expect(beginSignIn({ redirectUrl, state: "s" }, context)).rejects.toThrow(/more than 1 MB/);
});

const placeAt = (origin: string) => ({
  issuer: origin,
  metadata: {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
  },
});
const tokens = { access_token: "access-of-now-1", refresh_token: "refresh-of-now-1", token_type: "Bearer" };

it.each([
  ["no OAuth error", (said: string) => `<p>${said}</p>`, "Signing in at the server failed. It answers HTTP 400."],
  [
    "an OAuth error",
    (said: string) => JSON.stringify({ error: "invalid_scope", error_description: said }),
    "Signing in at the server failed. invalid_scope: code=•••&verifier=•••",
  ],
])("what was sent to get tokens is not told again where the server answers %s", async (_, toBody, words) => {
  const { context } = await build(
    (_request, response) => {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(toBody("code=the-code-1&verifier=the-verifier-1"));
    },
    (origin) => ({
      pending: { client: { client_id: "us", redirectUrl }, verifier: "the-verifier-1", place: placeAt(origin) },
    }),
  );
  await expect(finishSignIn({ code: "the-code-1" }, context)).rejects.toMatchObject({ detail: { message: words } });
});

it("the access token of now is not told again in the words of a failed call", async () => {
  const { context } = await build(
    () => undefined,
    (origin) => ({ held: { client: { client_id: "us", redirectUrl }, place: placeAt(origin), tokens } }),
  );
  const { ProtocolError } = await import("@modelcontextprotocol/client");
  const error = await toToolError(new ProtocolError(-32603, "no access-of-now-1, nor refresh-of-now-1"), context, true);
  expect(error).toMatchObject({ detail: { message: expect.stringContaining("no •••, nor •••") } });
});
