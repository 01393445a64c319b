import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { createOutbound } from "./outbound.ts";
import { openDownload } from "./outbound-download.ts";

const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const file = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251));

/**
 * Starts a server whose handler gets the requested start of the range. `asked` records the Range
 * headers.
 */
async function serve(
  handler: (from: number, request: IncomingMessage, response: ServerResponse) => void,
) {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers.range);
    handler(Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0), request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const outbound = createOutbound();
  closers.push(() => outbound.close());
  closers.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const download = async (mostBytes = 1_000_000) => {
    const opened = await openDownload({
      fetch: outbound.open({ privateOrigins: [origin] }),
      url: `${origin}/out.png`,
      mostBytes,
      signal: AbortSignal.timeout(10_000),
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of opened.stream) chunks.push(chunk);
    return { mime: opened.mime, bytes: Buffer.concat(chunks) };
  };
  return { asked, download };
}

/** Sends the range that starts at `from`, and breaks the connection after `most` bytes. */
function sendPart(response: ServerResponse, from: number, most: number, etag: string) {
  const ranged = from > 0;
  response.writeHead(ranged ? 206 : 200, {
    "content-type": "image/png; charset=binary",
    "content-length": file.length - from,
    "accept-ranges": "bytes",
    etag,
    ...(ranged && { "content-range": `bytes ${from}-${file.length - 1}/${file.length}` }),
  });
  const part = file.subarray(from, from + most);
  if (from + part.length === file.length) response.end(part);
  else response.write(part, () => response.destroy());
}

it("a download that breaks twice resumes and gives the same file", async () => {
  const { asked, download } = await serve((from, _request, response) =>
    sendPart(response, from, 40_000, '"v1"'),
  );
  const { mime, bytes } = await download();
  expect(bytes.equals(file)).toBe(true);
  expect(mime).toBe("image/png");
  expect(asked).toEqual([undefined, "bytes=40000-", "bytes=80000-"]);
});

it("parts of a file that changed in between are never joined", async () => {
  let part = 0;
  const { download } = await serve((from, _request, response) =>
    sendPart(response, from, 40_000, `"v${++part}"`),
  );
  await expect(download()).rejects.toMatchObject({ code: "provider_interrupted", accepted: "yes" });
});

it("a server that answers a range with the whole file isn't trusted with the rest", async () => {
  const { asked, download } = await serve((_from, _request, response) =>
    sendPart(response, 0, 40_000, '"v1"'),
  );
  await expect(download()).rejects.toMatchObject({ code: "provider_interrupted" });
  expect(asked).toHaveLength(2);
});

it("a server without ranges is asked once", async () => {
  const { asked, download } = await serve((_from, _request, response) => {
    response
      .writeHead(200, { "content-length": file.length })
      .write(file.subarray(0, 10), () => response.destroy());
  });
  await expect(download()).rejects.toMatchObject({ code: "provider_interrupted", accepted: "yes" });
  expect(asked).toHaveLength(1);
});

it("a transfer without progress ends", async () => {
  const { asked, download } = await serve((from, _request, response) =>
    sendPart(response, from, from === 0 ? 10 : 0, '"v1"'),
  );
  await expect(download()).rejects.toMatchObject({ code: "provider_interrupted" });
  expect(asked).toHaveLength(2);
});

it.each([403, 404, 410])(
  "an output that answers %i was made but can't be fetched",
  async (status) => {
    const { download } = await serve((_from, _request, response) =>
      response.writeHead(status).end("no"),
    );
    await expect(download()).rejects.toMatchObject({
      code: "output_unavailable",
      accepted: "yes",
      detail: { httpStatus: status },
    });
  },
);

it("a web page isn't saved in place of media", async () => {
  const { download } = await serve((_from, _request, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
  );
  await expect(download()).rejects.toMatchObject({ code: "output_unavailable" });
});

it.each([429, 500, 503])("a %i may be transient and keeps a retryable code", async (status) => {
  const { download } = await serve((_from, _request, response) => response.writeHead(status).end());
  await expect(download()).rejects.toMatchObject({ code: "provider_overloaded" });
});

it("an output is saved up to the cap, announced or not, and not one byte over it", async () => {
  const announced = await serve((from, _request, response) =>
    sendPart(response, from, file.length, '"v1"'),
  );
  expect((await announced.download(file.length)).bytes).toHaveLength(file.length);
  await expect(announced.download(file.length - 1)).rejects.toMatchObject({
    code: "output_unavailable",
  });
  const chunked = await serve((_from, _request, response) => response.end(file));
  await expect(chunked.download(file.length - 1)).rejects.toMatchObject({
    code: "output_unavailable",
  });
});
