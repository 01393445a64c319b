import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { createTempFolder } from "../../test/support/temp.ts";
import { openS3Store } from "./s3.ts";
import { parseS3Url } from "./s3-location.ts";

vi.setConfig({ testTimeout: 30_000 });

// Node's own undici then offers its agent to every other undici of the process.
await vi.hoisted(() => fetch("data:,"));

/**
 * A storage that answers a GET with `connection: close` and closes it after the last byte, like
 * many proxies.
 */
async function startClosingStorage(body: Buffer, sentBytes = body.byteLength) {
  const server = createServer((socket: Socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.write(
        `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${body.byteLength}\r\n\r\n`,
      );
      socket.end(body.subarray(0, sentBytes));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const location = parseS3Url(`s3://bucket?endpoint=http://127.0.0.1:${port}`, {
    AWS_ACCESS_KEY_ID: "a",
    AWS_SECRET_ACCESS_KEY: "b",
  });
  return openS3Store({ location, spoolFolder: createTempFolder("s3"), retryDelaysMs: [1, 1, 1] });
}

/** Lets the sockets work between two chunks, so that the answer is held back and its end arrives while it is. */
async function readSlowly(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) {
    chunks.push(chunk);
    for (let turns = 0; turns < 20; turns++) await turn();
  }
  return Buffer.concat(chunks);
}

it("a storage that closes the connection after its answer gives a slow reader every byte", async () => {
  const body = randomBytes(4 * 1024 ** 2);
  const store = await startClosingStorage(body);
  const read = await readSlowly(await store.get("0".repeat(64)));
  expect(read.equals(body)).toBe(true);
});

it("a storage that closes the connection in mid-answer is unavailable, and nothing else ends", async () => {
  const body = randomBytes(4 * 1024 ** 2);
  const store = await startClosingStorage(body, 3 * 1024 ** 2);
  await expect(readSlowly(await store.get("0".repeat(64)))).rejects.toMatchObject({
    code: "unavailable",
  });
});
