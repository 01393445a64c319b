import { once } from "node:events";
import { WebSocket } from "ws";
import type { DrawFrame, DrawNews } from "#contract/draw.ts";
import { packFrame, unpackFrame } from "#domain/files/packed-frame.ts";
import { readMsgpack, writeMsgpack } from "../../simulators/fal/msgpack.ts";
import type { Bench } from "../bench.ts";
import { type FalProvider, startFalProvider } from "../fal-provider.ts";
import {
  atMost,
  beside,
  contention,
  type Figure,
  percentile,
  type Row,
  round,
} from "../figures.ts";
import { openStudio, type Studio } from "../studio.ts";

/** A fast realtime model's time per frame, which the simulator reports itself. */
const frameMs = 30;
const boundMs = 5;
const warmUp = 30;
/** A drawing and a frame with the size of those of 768 by 768 pixels. */
const drawing = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47]), Buffer.alloc(60_000, 7)]);
const prompt = "[sim:frame-large] a boat";
const model = "sim/klein/realtime";

type Ask = (count: number) => Promise<number>;

/** The frame connection without Bottega: one input, one frame, in ms. */
async function askDirectly(fal: FalProvider): Promise<{ ask: Ask; close(): void }> {
  const headers = { authorization: `Key ${fal.key}`, "content-type": "application/json" };
  const body = JSON.stringify({ allowed_apps: ["klein"], token_expiration: 120 });
  const token = await (
    await fetch(`${fal.addresses.rest}/tokens/`, { method: "POST", headers, body })
  ).json();
  const ws = new WebSocket(`${fal.addresses.realtime}/${model}?fal_jwt_token=${token}`, {
    perMessageDeflate: false,
  });
  await once(ws, "open");
  let answered: (at: number) => void = () => undefined;
  ws.on("message", (content: Buffer) => {
    const at = performance.now();
    if ((readMsgpack(content) as { images?: unknown }).images) answered(at);
  });
  return {
    async ask(count) {
      const received = new Promise<number>((resolve) => (answered = resolve));
      const since = performance.now();
      const image_url = `data:image/png;base64,${drawing.toString("base64")}`;
      ws.send(writeMsgpack({ prompt, seed: count, image_url }));
      return (await received) - since;
    },
    close: () => ws.terminate(),
  };
}

/** The frame connection through Bottega, used like the screen does: a stroke in, its frame out. */
async function askThrough(
  studio: Studio,
  connectionId: string,
): Promise<{ ask: Ask; own: number[]; close(): void }> {
  const ws = new WebSocket(`${studio.server.url.replace("http", "ws")}/api/v1/draw`, {
    headers: { cookie: studio.session.cookie },
    perMessageDeflate: false,
  });
  await once(ws, "open");
  const own: number[] = [];
  let answered: (at: number) => void = () => undefined;
  const started = new Promise<void>((resolve, reject) => {
    ws.on("message", (content: Buffer, isBinary) => {
      const at = performance.now();
      if (isBinary) {
        own.push((unpackFrame(content)!.header as DrawFrame).ownMs);
        return answered(at);
      }
      const news = JSON.parse(String(content)) as DrawNews;
      if ("started" in news) resolve();
      if ("failed" in news || "ended" in news || "refused" in news)
        reject(new Error(JSON.stringify(news)));
    });
  });
  ws.send(
    JSON.stringify({
      start: {
        projectId: studio.projectId,
        model: { connectionId, modelId: model },
        settings: { prompt },
      },
    }),
  );
  await started;
  return {
    own,
    async ask(count) {
      const received = new Promise<number>((resolve) => (answered = resolve));
      const since = performance.now();
      ws.send(
        packFrame({ input: count, settings: { prompt, seed: count }, mime: "image/png" }, drawing),
      );
      return (await received) - since;
    },
    close: () => ws.terminate(),
  };
}

async function measure(bench: Bench): Promise<Figure[]> {
  const fal = await startFalProvider(frameMs);
  bench.onEnd(fal.stop);
  const studio = await openStudio(bench, {
    provider: { tokens: 1, firstTokenMs: 1, betweenMs: 1 },
  });
  try {
    const values = {
      key: fal.key,
      ...Object.fromEntries(
        Object.entries(fal.addresses).map(([name, url]) => [`${name}Address`, url]),
      ),
    };
    const { connection } = await studio.session.call("createConnection", {
      body: { kind: "fal", name: "fal", scope: "instance", values },
    });
    const [direct, through] = [await askDirectly(fal), await askThrough(studio, connection.id)];
    const samples: { direct: number[]; through: number[] } = { direct: [], through: [] };
    for (let i = 0; i < warmUp; i++) await Promise.all([direct.ask(i), through.ask(i)]);
    through.own.length = 0;
    const before = studio.server.coreTime();
    // Alternately, so that other activity on the machine affects both.
    for (let i = warmUp; i < warmUp + (bench.long ? 600 : 200); i++) {
      samples.direct.push(await direct.ask(i));
      samples.through.push(await through.ask(i));
    }
    const after = studio.server.coreTime();
    direct.close();
    through.close();
    const added = (share: number) =>
      percentile(samples.through, share) - percentile(samples.direct, share);
    const words = (list: readonly number[]): string =>
      `${round(percentile(list, 0.5))} / ${round(percentile(list, 0.99))} ms`;
    return [
      atMost(
        "added from stroke to frame, live canvas, p50",
        added(0.5),
        boundMs,
        "ms",
        `${samples.through.length} frames`,
      ),
      beside("  p99", `${round(added(0.99))} ms`),
      beside("  direct, through Bottega", [samples.direct, samples.through].map(words).join(", ")),
      beside("  as Bottega reports it", words(through.own)),
      contention(before, after),
    ];
  } finally {
    await studio.stop();
    await fal.stop();
  }
}

export const draw: Row<Bench> = {
  name: "draw",
  what: "time that Bottega adds from stroke to frame on the live canvas",
  measure,
};
