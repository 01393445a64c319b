import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, expect, it } from "vitest";
import { ProviderError } from "../adapter.ts";
import {
  createOutbound,
  type Lookup,
  type Outbound,
  type OutboundOptions,
  unpaid,
  type WireEvent,
} from "./outbound.ts";

const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(
  handler: Handler,
): Promise<{ origin: string; port: number; seen: IncomingMessage[]; server: Server }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    handler(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, port, seen, server };
}

/** A TCP server that passes each raw socket to the handler. */
async function serveRaw(handler: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    handler(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function open(options: Partial<OutboundOptions> = {}, lookup?: Lookup): typeof fetch {
  const outbound: Outbound = createOutbound(lookup ? { lookup } : {});
  closers.push(() => outbound.close());
  return outbound.open({ privateOrigins: [], ...options });
}

async function failure(promise: Promise<unknown>): Promise<ProviderError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ProviderError);
  return error as ProviderError;
}

it("a loopback server is reached only as an exact origin that was stored with the connection", async () => {
  const { origin, port, seen } = await serve((_request, response) => response.end("hello"));
  const blocked = await failure(open()(origin));
  expect(blocked).toMatchObject({ code: "provider_unreachable", accepted: "no" });
  expect(blocked.message).toContain("not allowed");
  await failure(open({ privateOrigins: [`http://127.0.0.1:${port + 1}`] })(origin));
  await failure(open({ privateOrigins: [`https://127.0.0.1:${port}`] })(origin));
  await failure(open({ privateOrigins: [`http://localhost:${port}`] })(origin));
  expect(seen).toHaveLength(0);
  const response = await open({ privateOrigins: [origin] })(`${origin}/v1`);
  expect(await response.text()).toBe("hello");
});

it("one connection's open socket to a private address isn't reused by another that may not reach it", async () => {
  const { origin, seen } = await serve((_request, response) => response.end("x"));
  const outbound = createOutbound();
  closers.push(() => outbound.close());
  await (await outbound.open({ privateOrigins: [origin] })(origin)).text();
  await failure(outbound.open({ privateOrigins: [] })(origin));
  expect(seen).toHaveLength(1);
});

it("a name that resolves to a loopback, private or metadata address is refused before a byte leaves", async () => {
  const { port, seen } = await serve((_request, response) => response.end("x"));
  for (const address of [
    "127.0.0.1",
    "::1",
    "10.0.0.1",
    "169.254.169.254",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
  ]) {
    const events: WireEvent[] = [];
    const fetch = open({ onWire: (event) => events.push(event) }, async () => [
      { address, family: address.includes(":") ? 6 : 4 },
    ]);
    const error = await failure(fetch(`http://evil.test:${port}/`));
    expect(error).toMatchObject({ code: "provider_unreachable", accepted: "no" });
    expect(error.message).toContain("evil.test has no public address");
    expect(error.message).not.toContain(address);
    expect(events).toEqual([]);
  }
  expect(seen).toHaveLength(0);
});

it("a name is checked at every connection, and the socket goes to the checked address", async () => {
  const { port, seen } = await serve((_request, response) => {
    response.setHeader("connection", "close");
    response.end("x");
  });
  const answers = ["127.0.0.1", "169.254.169.254"];
  let lookups = 0;
  const origin = `http://model.test:${port}`;
  const fetch = open({ privateOrigins: [origin] }, async () => [
    { address: answers[lookups++]!, family: 4 },
  ]);
  await (await fetch(origin)).text();
  expect(lookups).toBe(1);
  expect((await failure(fetch(origin))).message).toContain("169.254.169.254");
  expect(lookups).toBe(2);
  expect(seen).toHaveLength(1);
});

it("a name with one good and one bad address is refused", async () => {
  const fetch = open({}, async () => [
    { address: "1.1.1.1", family: 4 },
    { address: "127.0.0.1", family: 4 },
  ]);
  expect(await failure(fetch("http://half.test/"))).toMatchObject({
    code: "provider_unreachable",
    accepted: "no",
  });
});

it("localhost with a trailing dot, another port or a user name in the address is refused", async () => {
  const { port, seen } = await serve((_request, response) => response.end("x"));
  for (const address of [
    `http://localhost.:${port}/`,
    `http://localhost:${port}/`,
    `http://a:b@127.0.0.1:${port}/`,
    "ftp://127.0.0.1/",
    "nonsense",
  ]) {
    expect(await failure(open()(address))).toMatchObject({
      code: "provider_unreachable",
      accepted: "no",
    });
  }
  expect(seen).toHaveLength(0);
});

it("a redirect to loopback is checked like a first address", async () => {
  const inner = await serve((_request, response) => response.end("secret"));
  const outer = await serve((_request, response) => {
    response.writeHead(302, { location: `${inner.origin}/meta` });
    response.end();
  });
  const error = await failure(open({ privateOrigins: [outer.origin] })(outer.origin));
  expect(error).toMatchObject({ code: "provider_unreachable", accepted: "no" });
  expect(inner.seen).toHaveLength(0);
});

it("three redirects are followed, a fourth is not", async () => {
  const { origin } = await serve((request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) response.end("there");
    else response.writeHead(307, { location: `/${left - 1}` }).end();
  });
  const fetch = open({ privateOrigins: [origin] });
  expect(await (await fetch(`${origin}/3`)).text()).toBe("there");
  expect(await failure(fetch(`${origin}/4`))).toMatchObject({ code: "provider_protocol" });
});

it("a redirect to another origin takes no key, cookie or other credential of the caller along", async () => {
  const second = await serve((_request, response) => response.end("x"));
  const first = await serve((_request, response) =>
    response.writeHead(302, { location: second.origin }).end(),
  );
  const fetch = open({ privateOrigins: [first.origin, second.origin] });
  await fetch(first.origin, {
    headers: {
      authorization: "Bearer canary",
      cookie: "s=canary",
      "x-api-key": "canary",
      "api-key": "canary",
      accept: "image/png",
      range: "bytes=0-",
    },
  });
  expect(first.seen[0]?.headers.authorization).toBe("Bearer canary");
  expect(JSON.stringify(second.seen[0]?.rawHeaders)).not.toContain("canary");
  expect(second.seen[0]?.headers).toMatchObject({ accept: "image/png", range: "bytes=0-" });
});

it.each([301, 302, 307, 308])(
  "a POST doesn't follow a %i: a person must correct the address",
  async (status) => {
    const { origin, seen } = await serve((_request, response) =>
      response.writeHead(status, { location: "/elsewhere" }).end(),
    );
    const error = await failure(
      open({ privateOrigins: [origin] })(origin, { method: "POST", body: "{}" }),
    );
    expect(error).toMatchObject({ code: "provider_protocol", accepted: "no" });
    expect(seen).toHaveLength(1);
  },
);

it("a second POST of a paid attempt throws and does not leave; one marked unpaid, and any GET, may", async () => {
  const { origin, seen } = await serve((_request, response) => response.end("x"));
  const fetch = open({ privateOrigins: [origin], onePost: true });
  await fetch(origin, unpaid({ method: "POST", body: "ticket" }));
  await fetch(origin, { method: "POST", body: "{}" });
  await fetch(origin);
  const error = await failure(fetch(origin, { method: "post", body: "{}" }));
  expect(error.code).toBe("internal");
  expect(seen.map((request) => request.method)).toEqual(["POST", "POST", "GET"]);
});

it("the wire report of a paid attempt covers only its paid POST", async () => {
  const { origin } = await serve((_request, response) => response.end("x"));
  const events: WireEvent[] = [];
  const fetch = open({
    privateOrigins: [origin],
    onePost: true,
    onWire: (event) => events.push(event),
  });
  await fetch(origin, unpaid({ method: "POST", body: "ticket" }));
  await fetch(origin);
  expect(events).toEqual([]);
  await fetch(origin, { method: "POST", body: "12" });
  expect(events).toEqual([
    { type: "sent", bytes: 0 },
    { type: "sent", bytes: 2 },
    { type: "response", status: 200 },
  ]);
});

it("a key that can't be a header is refused without being repeated", async () => {
  const error = await failure(
    open()("https://example.test/", {
      method: "POST",
      headers: { authorization: "Bearer canary\u2026" },
    }),
  );
  expect(error).toMatchObject({ code: "provider_auth", accepted: "no" });
  expect(`${error.message}${JSON.stringify(error)}${String(error.cause)}`).not.toContain("canary");
});

it("two simultaneous POSTs of a paid attempt send one", async () => {
  const { origin, seen } = await serve((_request, response) => response.end("x"));
  const fetch = open({ privateOrigins: [origin], onePost: true });
  const outcomes = await Promise.allSettled([
    fetch(origin, { method: "POST", body: "1" }),
    fetch(origin, { method: "POST", body: "2" }),
  ]);
  expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(seen).toHaveLength(1);
});

it("a refused connection, an unknown name and a server without TLS are provably not accepted", async () => {
  const { origin, port, server } = await serve((_request, response) => response.end("x"));
  const tls = `https://127.0.0.1:${port}`;
  expect(
    await failure(open({ privateOrigins: [tls] })(tls, { method: "POST", body: "{}" })),
  ).toMatchObject({
    code: "provider_unreachable",
    accepted: "no",
  });
  server.close();
  const events: WireEvent[] = [];
  const refused = await failure(
    open({ privateOrigins: [origin], onWire: (event) => events.push(event) })(origin, {
      method: "POST",
      body: "{}",
    }),
  );
  expect(refused).toMatchObject({
    code: "provider_unreachable",
    accepted: "no",
    detail: { reason: "ECONNREFUSED" },
  });
  const unknown = open({}, () =>
    Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" })),
  );
  expect(
    await failure(unknown("https://nowhere.test/", { method: "POST", body: "{}" })),
  ).toMatchObject({
    accepted: "no",
    detail: { reason: "ENOTFOUND" },
  });
  expect(events).toEqual([]);
});

it("a name server that never answers ends at the connect timeout, with nothing sent", async () => {
  const error = await failure(
    open({ connectTimeoutMs: 30 }, () => new Promise(() => {}))("https://slow.test/", {
      method: "POST",
      body: "{}",
    }),
  );
  expect(error).toMatchObject({
    code: "provider_unreachable",
    accepted: "no",
    detail: { reason: "UND_ERR_CONNECT_TIMEOUT" },
  });
});

it("a POST whose connection breaks after bytes left is unconfirmed, a GET isn't", async () => {
  const origin = await serveRaw((socket) => socket.once("data", () => socket.resetAndDestroy()));
  const events: WireEvent[] = [];
  const fetch = open({ privateOrigins: [origin], onWire: (event) => events.push(event) });
  expect(await failure(fetch(origin, { method: "POST", body: "12345" }))).toMatchObject({
    code: "outcome_unknown",
    accepted: "unknown",
  });
  expect(events).toEqual([
    { type: "sent", bytes: 0 },
    { type: "sent", bytes: 5 },
  ]);
  expect(await failure(fetch(origin))).toMatchObject({
    code: "provider_unreachable",
    accepted: "no",
  });
});

it("an answer that doesn't begin in time is a timeout with an unknown outcome, because everything was sent", async () => {
  const origin = await serveRaw(() => {});
  const events: WireEvent[] = [];
  const fetch = open({
    privateOrigins: [origin],
    headersTimeoutMs: 50,
    onWire: (event) => events.push(event),
  });
  expect(await failure(fetch(origin, { method: "POST", body: "{}" }))).toMatchObject({
    code: "provider_timeout",
    accepted: "unknown",
  });
  expect(events.at(-1)).toEqual({ type: "sent", bytes: 2 });
});

it("a reset in the middle of sending has an unknown outcome, and the bytes sent until then are reported", async () => {
  const origin = await serveRaw((socket) => socket.once("data", () => socket.resetAndDestroy()));
  const events: WireEvent[] = [];
  const pieceBytes = 64 * 1024;
  const pieces = 10_000;
  let given = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (; given < pieces; given++) yield new Uint8Array(pieceBytes);
  }
  const fetch = open({ privateOrigins: [origin], onWire: (event) => events.push(event) });
  const init = {
    method: "POST",
    body: endless() as never,
    duplex: "half",
    headers: { "content-length": String(pieces * pieceBytes) },
  };
  expect(await failure(fetch(origin, init as RequestInit))).toMatchObject({ accepted: "unknown" });
  const last = events.at(-1);
  expect(last).toMatchObject({ type: "sent" });
  const sentBytes = last?.type === "sent" ? last.bytes : 0;
  expect(sentBytes).toBeGreaterThan(0);
  expect(sentBytes).toBeLessThanOrEqual(given * pieceBytes);
  expect(given).toBeLessThan(pieces);
});

it("an answer that isn't HTTP is a protocol error", async () => {
  const origin = await serveRaw((socket) =>
    socket.once("data", () => socket.end("SSH-2.0-OpenSSH_9.9\r\n")),
  );
  expect(
    await failure(open({ privateOrigins: [origin] })(origin, { method: "POST", body: "{}" })),
  ).toMatchObject({
    code: "provider_protocol",
    accepted: "unknown",
  });
});

it("data before an answer breaks is read before the error is thrown", async () => {
  const origin = await serveRaw((socket) => {
    socket.once("data", () => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nfirst words", () =>
        socket.destroy(),
      );
    });
  });
  const response = await open({ privateOrigins: [origin] })(origin, { method: "POST", body: "{}" });
  let text = "";
  const error = await failure(
    (async () => {
      for await (const chunk of response.body!) text += Buffer.from(chunk).toString();
    })(),
  );
  expect(text).toBe("first words");
  expect(error).toMatchObject({ code: "provider_interrupted", accepted: "yes" });
});

it("silence in the middle of an answer ends it as interrupted", async () => {
  const { origin } = await serve((_request, response) => void response.write("half"));
  const response = await open({ privateOrigins: [origin], idleTimeoutMs: 50 })(origin);
  expect(await failure(response.text())).toMatchObject({ code: "provider_interrupted" });
});

it("an answer is read up to its cap and not one byte over it, compressed or not", async () => {
  const { origin } = await serve((request, response) => {
    if (request.url === "/packed")
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(100_000)));
    else response.end(Buffer.alloc(1_000));
  });
  expect(
    (await (await open({ privateOrigins: [origin], mostBytes: 1_000 })(origin)).arrayBuffer())
      .byteLength,
  ).toBe(1_000);
  expect(
    await failure((await open({ privateOrigins: [origin], mostBytes: 999 })(origin)).arrayBuffer()),
  ).toMatchObject({
    code: "provider_protocol",
  });
  const packed = await open({ privateOrigins: [origin], mostBytes: 99_999 })(`${origin}/packed`);
  await expect(packed.arrayBuffer()).rejects.toThrow("after decompression");
});

it("an abort rejects with the caller's reason, before and after the answer begins", async () => {
  const { origin } = await serve((request, response) => {
    if (request.url === "/begun") response.write("half");
  });
  const fetch = open({ privateOrigins: [origin] });
  const before = new AbortController();
  const events: WireEvent[] = [];
  const waiting = open({
    privateOrigins: [origin],
    onWire: (event) => {
      events.push(event);
      before.abort("enough");
    },
  })(origin, {
    signal: before.signal,
  });
  await expect(waiting).rejects.toBe("enough");
  expect(events[0]).toEqual({ type: "sent", bytes: 0 });
  const after = new AbortController();
  const response = await fetch(`${origin}/begun`, { signal: after.signal });
  after.abort("later");
  await expect(response.text()).rejects.toBe("later");
});

it("a slow reader holds the sender back instead of filling memory", async () => {
  const wholeBytes = 64 * 1024 * 1024;
  const piece = Buffer.alloc(64 * 1024);
  const written: Record<string, number> = { "/unread": 0, "/read": 0 };
  const { origin } = await serve((request, response) => {
    const path = request.url!;
    const more = () => {
      while (written[path]! < wholeBytes) {
        written[path]! += piece.length;
        if (!response.write(piece)) return void response.once("drain", more);
      }
      response.end();
    };
    more();
  });
  const fetch = open({ privateOrigins: [origin] });
  const unread = (await fetch(`${origin}/unread`)).body!.getReader();
  await unread.read();
  // Reads as much to the end on a second connection: by then, a sender without backpressure would
  // be done as well.
  for await (const _ of (await fetch(`${origin}/read`)).body!);
  expect(written["/read"]).toBe(wholeBytes);
  expect(written["/unread"]).toBeLessThan(wholeBytes / 2);
  await unread.cancel();
});

it("forms, bytes and streams are sent as fetch sends them", async () => {
  const { origin } = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () =>
      response.end(
        JSON.stringify({ headers: request.headers, body: Buffer.concat(chunks).toString() }),
      ),
    );
  });
  const fetch = open({ privateOrigins: [origin] });
  const post = async (init: RequestInit & { duplex?: "half" }) =>
    (await (await fetch(origin, { method: "POST", ...init })).json()) as {
      headers: Record<string, string>;
      body: string;
    };
  const form = new FormData();
  form.set("a", new Blob(["bytes"]), "a.bin");
  const multipart = await post({ body: form });
  expect(multipart.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
  expect(multipart.headers["content-length"]).toBe(String(Buffer.byteLength(multipart.body)));
  expect(multipart.body).toContain('filename="a.bin"');
  expect((await post({ body: new Uint8Array([104, 105]) })).body).toBe("hi");
  const stream = new Blob(["streamed"]).stream();
  expect(
    await post({ body: stream, duplex: "half", headers: { "content-length": "8" } }),
  ).toMatchObject({
    body: "streamed",
    headers: { "content-length": "8" },
  });
});
