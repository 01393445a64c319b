import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { limits } from "#contract/limits.ts";
import { ProviderError } from "../adapter.ts";
import { createOutbound, type Lookup } from "./outbound.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Starts a WebSocket server on 127.0.0.1 that counts connections and records their headers. */
async function serve(onSocket: (socket: WebSocket) => void = () => {}) {
  const http = createServer((_request, response) => response.writeHead(404).end());
  const sockets = new WebSocketServer({ server: http, path: "/ws" });
  let opened = 0;
  const headers: Record<string, unknown>[] = [];
  sockets.on("connection", (socket, request) => {
    opened++;
    headers.push(request.headers);
    onSocket(socket);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  closers.push(() => {
    for (const socket of sockets.clients) socket.terminate();
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  return {
    port,
    url: `ws://127.0.0.1:${port}/ws`,
    origin: `http://127.0.0.1:${port}`,
    opened: () => opened,
    headers,
  };
}

function open(
  url: string,
  options: { privateOrigins?: string[]; lookup?: Lookup; signal?: AbortSignal } = {},
) {
  const outbound = createOutbound(options.lookup ? { lookup: options.lookup } : {});
  closers.push(() => outbound.close());
  const openSocket = outbound.openSocket({ privateOrigins: options.privateOrigins ?? [] });
  return openSocket(url, {
    headers: { authorization: "Bearer k" },
    signal: options.signal ?? new AbortController().signal,
  });
}

async function failure(promise: Promise<unknown>): Promise<ProviderError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ProviderError);
  return error as ProviderError;
}

it("a socket reaches a loopback server only if its exact origin was stored with the connection", async () => {
  const server = await serve();
  expect(await failure(open(server.url))).toMatchObject({
    code: "provider_unreachable",
    accepted: "no",
  });
  await failure(open(server.url, { privateOrigins: [`http://127.0.0.1:${server.port + 1}`] }));
  await failure(open(server.url, { privateOrigins: [`https://127.0.0.1:${server.port}`] }));
  expect(server.opened()).toBe(0);
  (await open(server.url, { privateOrigins: [server.origin] })).close();
  expect(server.opened()).toBe(1);
  expect(server.headers[0]).toMatchObject({ authorization: "Bearer k" });
});

it("a socket connects only to the addresses that were allowed for its name", async () => {
  const server = await serve();
  const lookup: Lookup = async () => [{ address: "127.0.0.1", family: 4 }];
  const named = `ws://comfy.example:${server.port}/ws`;
  const blocked = await failure(open(named, { lookup }));
  expect(blocked).toMatchObject({ code: "provider_unreachable" });
  expect(blocked.message).toContain("not allowed");
  // A name that resolves to a public address first and a private one later changes nothing: it is
  // resolved once, for the socket itself.
  const asked: string[] = [];
  const counting: Lookup = async (name) => {
    asked.push(name);
    return [{ address: "127.0.0.1", family: 4 }];
  };
  (
    await open(named, { lookup: counting, privateOrigins: [`http://comfy.example:${server.port}`] })
  ).close();
  expect(asked).toEqual(["comfy.example"]);
  const metadata: Lookup = async () => [{ address: "169.254.169.254", family: 4 }];
  await failure(
    open(named, { lookup: metadata, privateOrigins: [`http://comfy.example:${server.port}`] }),
  );
  expect(server.opened()).toBe(1);
});

it("frames keep their order and type, and frames before the end aren't lost", async () => {
  const server = await serve((socket) => {
    socket.on("message", (data) => {
      socket.send(`echo ${data}`);
      socket.send(new Uint8Array([1, 2, 3]));
      socket.close();
    });
  });
  const socket = await open(server.url, { privateOrigins: [server.origin] });
  expect(await socket.next(1)).toBeNull();
  socket.send("hello");
  expect(await socket.next(10_000)).toBe("echo hello");
  expect(await socket.next(10_000)).toEqual(new Uint8Array([1, 2, 3]));
  expect(await failure(socket.next(10_000))).toMatchObject({ code: "provider_interrupted" });
});

it("a frame over the limit ends the socket", async () => {
  const server = await serve((socket) => socket.send(new Uint8Array(limits.socketFrameBytes + 1)));
  const socket = await open(server.url, { privateOrigins: [server.origin] });
  expect(await failure(socket.next(10_000))).toMatchObject({ code: "provider_protocol" });
});

it("an address that opens no socket and an aborting signal are reported as such", async () => {
  const server = await serve();
  const elsewhere = server.url.replace("/ws", "/other");
  expect(await failure(open(elsewhere, { privateOrigins: [server.origin] }))).toMatchObject({
    code: "provider_protocol",
  });
  const controller = new AbortController();
  const socket = await open(server.url, {
    privateOrigins: [server.origin],
    signal: controller.signal,
  });
  const next = socket.next(10_000);
  controller.abort(new Error("enough"));
  await expect(next).rejects.toThrow("enough");
});
