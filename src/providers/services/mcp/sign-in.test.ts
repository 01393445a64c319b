import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { buildContext } from "../../../../test/support/contracts/attempt.ts";
import { toToolError } from "./errors.ts";
import type { Grant } from "./grant.ts";
import { beginSignIn, finishSignIn } from "./sign-in.ts";

const redirectUrl = "http://bottega.test/back";

/** Starts a server that answers as the test says, with a sign-in that is kept in memory. */
async function build(
  answer: (request: IncomingMessage, response: ServerResponse, origin: string) => void,
  kept: (origin: string) => object = () => ({}),
) {
  const server = createServer((request, response) => answer(request, response, origin));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = {
    kind: "mcp",
    addresses: { server: `${origin}/mcp` },
    options: { reach: "address and sign-in" },
    secret: null,
  };
  const { context } = buildContext({ origin, connection });
  let grant: string | null = JSON.stringify({ server: `${origin}/mcp`, ...kept(origin) });
  const store = {
    load: async () => grant,
    async update(change: (text: string | null) => string | null) {
      grant = change(grant) ?? grant;
    },
  };
  return {
    origin,
    context: { ...context, grant: store },
    kept: () => JSON.parse(grant ?? "null") as Grant,
  };
}

it("a server's metadata is read up to 1 MB", async () => {
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
  await expect(beginSignIn({ redirectUrl, state: "s" }, context)).rejects.toThrow(/limit of 1 MB/);
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
const tokens = {
  access_token: "access-of-now-1",
  refresh_token: "refresh-of-now-1",
  token_type: "Bearer",
};

it.each([
  [
    "no OAuth error",
    (said: string) => `<p>${said}</p>`,
    "Signing in to the tool server failed. The sign-in server returned HTTP 400.",
  ],
  [
    "an OAuth error",
    (said: string) => JSON.stringify({ error: "invalid_scope", error_description: said }),
    "Signing in to the tool server failed. invalid_scope: code=•••&verifier=•••",
  ],
])(
  "secrets sent for tokens are not repeated if the server answers %s",
  async (_, toBody, words) => {
    const { context } = await build(
      (_request, response) => {
        response.writeHead(400, { "content-type": "application/json" });
        response.end(toBody("code=the-code-1&verifier=the-verifier-1"));
      },
      (origin) => ({
        pending: {
          client: { client_id: "us", redirectUrl },
          verifier: "the-verifier-1",
          place: placeAt(origin),
        },
      }),
    );
    await expect(finishSignIn({ code: "the-code-1" }, context)).rejects.toMatchObject({
      detail: { message: words },
    });
  },
);

it("a failed call's error doesn't repeat the current access token", async () => {
  const { context } = await build(
    () => undefined,
    (origin) => ({
      held: { client: { client_id: "us", redirectUrl }, place: placeAt(origin), tokens },
    }),
  );
  const { ProtocolError } = await import("@modelcontextprotocol/client");
  const error = await toToolError(
    new ProtocolError(-32603, "no access-of-now-1, nor refresh-of-now-1"),
    context,
    "call",
  );
  expect(error).toMatchObject({ detail: { message: expect.stringContaining("no •••, nor •••") } });
});

/** Answers with these JSON documents by path, and 404 for any other path. */
const saying =
  (pages: (origin: string) => Record<string, object>) =>
  (request: IncomingMessage, response: ServerResponse, origin: string): void => {
    const page = pages(origin)[new URL(request.url ?? "/", origin).pathname];
    response
      .writeHead(page ? 200 : 404, { "content-type": "application/json" })
      .end(JSON.stringify(page ?? {}));
  };
const resourceAt = "/.well-known/oauth-protected-resource/mcp";
const serverAt = "/.well-known/oauth-authorization-server";
const honest = (origin: string) => ({
  [resourceAt]: { resource: `${origin}/mcp`, authorization_servers: [origin] },
  [serverAt]: { ...placeAt(origin).metadata, registration_endpoint: `${origin}/register` },
  "/register": { client_id: "us", redirect_uris: [redirectUrl] },
});

/** Another server on this machine, which the connection doesn't name. It records its requests. */
async function startInner(): Promise<{ origin: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

it("a server with correct metadata is signed in to", async () => {
  const { context, origin } = await build(saying(honest));
  expect(await beginSignIn({ redirectUrl, state: "s" }, context)).toMatch(
    new RegExp(`^${origin}/authorize\\?.*code_challenge=`),
  );
});

it.each([
  ["its metadata", (inner: string) => ({ challenge: `${inner}/secret` })],
  [
    "the authorization server",
    (inner: string) => ({ [resourceAt]: { authorization_servers: [inner] } }),
  ],
  [
    "the place to register at",
    (inner: string) => ({ [serverAt]: { registration_endpoint: `${inner}/register` } }),
  ],
])(
  "no other server in the local network is contacted if a server names it as %s",
  async (_, lie) => {
    const inner = await startInner();
    const told: Record<string, object | string> = lie(inner.origin);
    const { context } = await build((request, response, origin) => {
      if (request.url === "/mcp" && typeof told.challenge === "string")
        return void response
          .writeHead(401, { "www-authenticate": `Bearer resource_metadata="${told.challenge}"` })
          .end();
      const right = honest(origin);
      saying(() => ({
        ...right,
        [resourceAt]: { ...right[resourceAt], ...(told[resourceAt] as object) },
        [serverAt]: { ...right[serverAt], ...(told[serverAt] as object) },
      }))(request, response, origin);
    });
    await beginSignIn({ redirectUrl, state: "s" }, context).catch(() => undefined);
    expect(inner.asked).toEqual([]);
  },
);

it.each([
  ["another issuer's metadata", { issuer: "https://bank.example" }],
  ["no web page for signing in", { authorization_endpoint: "javascript:alert(1)" }],
  [
    "a page of too long an address",
    { authorization_endpoint: `https://tools.example/${"a".repeat(9_000)}` },
  ],
  ["no PKCE", { code_challenge_methods_supported: ["plain"] }],
])("nobody is redirected by %s", async (_, lie) => {
  const { context, kept } = await build(
    saying((origin) => ({
      ...honest(origin),
      [serverAt]: { ...honest(origin)[serverAt], ...lie },
    })),
  );
  await expect(beginSignIn({ redirectUrl, state: "s" }, context)).rejects.toMatchObject({
    code: "provider_protocol",
  });
  expect(kept().pending).toBeUndefined();
});

const onTheWay = (origin: string) => ({
  pending: {
    client: { client_id: "us", redirectUrl },
    verifier: "the-verifier-1",
    place: placeAt(origin),
  },
});

it("a code goes only to the named address, whatever that address answers", async () => {
  const inner = await startInner();
  const { context } = await build(
    (_request, response) => response.writeHead(307, { location: `${inner.origin}/token` }).end(),
    onTheWay,
  );
  await expect(finishSignIn({ code: "the-code-1" }, context)).rejects.toMatchObject({
    detail: { message: expect.stringContaining("HTTP 307") },
  });
  expect(inner.asked).toEqual([]);
});

it.each([
  ["of another kind", { access_token: "fine-token-1", token_type: "mac" }],
  ["that no header carries", { access_token: "a-token\r\nx-evil: 1", token_type: "Bearer" }],
])("a token %s is not saved", async (_, given) => {
  const { context, kept } = await build(
    saying(() => ({ "/token": given })),
    onTheWay,
  );
  await expect(finishSignIn({ code: "the-code-1" }, context)).rejects.toMatchObject({
    code: "provider_protocol",
  });
  expect(kept()).toMatchObject({ problem: { said: expect.not.stringContaining("evil") } });
  expect(kept().held).toBeUndefined();
});

it("the secret of a person's own app never goes to a place that the server names later", async () => {
  let path = "";
  const { context, kept } = await build(
    saying((at) => {
      const issuer = `${at}${path}`;
      const right = honest(at);
      return {
        ...right,
        [resourceAt]: { resource: `${at}/mcp`, authorization_servers: [issuer] },
        [`${serverAt}${path}`]: { ...right[serverAt], issuer },
        "/token": tokens,
      };
    }),
  );
  const asOwn = (clientSecret: string) => ({
    ...context,
    connection: {
      ...context.connection,
      options: { reach: "address and sign-in", clientId: "app-1" },
      secret: JSON.stringify({ clientSecret }),
    },
  });
  const begin = (secret: string) => beginSignIn({ redirectUrl, state: "s" }, asOwn(secret));
  await begin("app-secret-1");
  await finishSignIn({ code: "the-code-1" }, asOwn("app-secret-1"));
  expect(kept().held?.tokens.access_token).toBe(tokens.access_token);
  expect(JSON.stringify(kept())).not.toContain("app-secret-1");
  expect(await begin("app-secret-1")).toContain("/authorize");
  path = "/elsewhere";
  await expect(begin("app-secret-1")).rejects.toThrow(/another sign-in server/);
  // A person who enters a new secret has seen the change.
  expect(await begin("app-secret-2")).toContain("/authorize");
});

it("the metadata is read from the address in the server's refusal, and its scopes are requested", async () => {
  const { context, origin } = await build((request, response, at) => {
    const refusal = `Bearer resource_metadata="${at}/about-me", scope="notes.read notes.write"`;
    if (request.url === "/mcp")
      return void response.writeHead(401, { "www-authenticate": refusal }).end();
    const { [resourceAt]: resource, [serverAt]: server, ...rest } = honest(at);
    // The authorization server can only be found through this document.
    const pages = {
      "/about-me": { ...resource, authorization_servers: [`${at}/sign-in`] },
      [`${serverAt}/sign-in`]: { ...server, issuer: `${at}/sign-in` },
    };
    saying(() => ({ ...rest, ...pages }))(request, response, at);
  });
  const url = new URL(await beginSignIn({ redirectUrl, state: "s" }, context));
  expect([url.origin, url.searchParams.get("scope"), url.searchParams.get("resource")]).toEqual([
    origin,
    "notes.read notes.write",
    `${origin}/mcp`,
  ]);
});
