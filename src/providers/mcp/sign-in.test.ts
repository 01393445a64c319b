import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { buildContext } from "../../../test/support/attempt.ts";
import { beginSignIn } from "./sign-in.ts";

const redirectUrl = "http://bottega.test/back";

/** A server whose answers are the test's, and a sign-in at it that is kept in memory. */
async function build(answer: (request: IncomingMessage, response: ServerResponse, origin: string) => void, kept: object = {}) {
  const server = createServer((request, response) => answer(request, response, origin));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = { kind: "mcp", addresses: { server: `${origin}/mcp` }, options: { reach: "sign-in" }, secret: null };
  const { context } = buildContext({ origin, connection });
  const grant = JSON.stringify({ server: `${origin}/mcp`, redirectUrl, ...kept });
  return { origin, context: { ...context, grant: { load: async () => grant, save: async () => undefined } } };
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
