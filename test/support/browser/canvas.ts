import { WebSocket } from "ws";
import type { DrawFrame, DrawNews, DrawRequest } from "#contract/draw.ts";
import type { JsonObject } from "#contract/json.ts";
import { packFrame, unpackFrame } from "#domain/files/packed-frame.ts";
import { until } from "../server/instance.ts";

/** The smallest possible picture: one transparent pixel as PNG. */
export const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

type News<K extends string> = Extract<DrawNews, Record<K, unknown>>;

/** A test's connection to a live canvas's socket. */
export async function openCanvas(
  url: string,
  cookie: string,
  headers: Record<string, string> = {},
) {
  const ws = new WebSocket(`${url.replace("http", "ws")}/api/v1/draw`, {
    headers: { cookie, ...headers },
    perMessageDeflate: false,
  });
  const news: DrawNews[] = [];
  const frames: (DrawFrame & { bytes: Uint8Array })[] = [];
  ws.on("message", (data: Buffer, isBinary) => {
    if (!isBinary) return void news.push(JSON.parse(String(data)) as DrawNews);
    const packed = unpackFrame(data)!;
    frames.push({ ...(packed.header as DrawFrame), bytes: Uint8Array.from(packed.bytes) });
  });
  const closed = new Promise<number>((resolve) => ws.on("close", resolve));
  await new Promise<void>((resolve, reject) => {
    ws.once("open", resolve);
    ws.once("unexpected-response", (_, response) =>
      reject(new Error(`refused: ${response.statusCode}`)),
    );
    ws.once("error", reject);
  });
  ws.on("error", () => undefined);
  let inputs = 0;
  const said = <K extends string>(kind: K): News<K>[] =>
    news.filter((one): one is News<K> => kind in one);
  return {
    ws,
    news,
    frames,
    said,
    closed,
    say: (request: DrawRequest) => ws.send(JSON.stringify(request)),
    /** @returns the input's number */
    draw(settings: JsonObject, drawing: Uint8Array | null = pixel): number {
      const input = inputs++;
      ws.send(
        packFrame(
          { input, settings, ...(drawing ? { mime: "image/png" } : {}) },
          drawing ?? new Uint8Array(),
        ),
      );
      return input;
    },
    /** Waits for the n-th message of a kind, by default the first. */
    heard: <K extends string>(kind: K, count = 1): Promise<News<K>> =>
      until(
        `the canvas hears of "${kind}"; it heard ${JSON.stringify(news.slice(-3))}`,
        async () => said(kind)[count - 1],
      ),
    frameCame: (count = 1) =>
      until(
        `frame ${count} came; it heard ${JSON.stringify(news.slice(-3))}`,
        async () => frames[count - 1],
      ),
  };
}
export type TestCanvas = Awaited<ReturnType<typeof openCanvas>>;
