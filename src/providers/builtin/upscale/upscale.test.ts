import type { Worker } from "node:worker_threads";
import sharp from "sharp";
import { expect, it } from "vitest";
import {
  askAdapter,
  buildInputFile,
  collectParts,
  fileOf,
  sha256,
} from "../../../../test/support/contracts/answer.ts";
import { builtin } from "../adapter.ts";
import { loadDoubler } from "./network.ts";
import { cutTiles } from "./tiles.ts";

/** A picture with soft shapes and hard edges, which makes seams and wrong colors visible. */
async function buildPicture(width: number, height: number, alpha = ""): Promise<Uint8Array> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><defs><linearGradient id="g"><stop stop-color="#c63"/><stop offset="1" stop-color="#259"/></linearGradient></defs><rect width="${width}" height="${height}" fill="url(#g)" ${alpha}/><circle cx="${width / 2}" cy="${height / 2}" r="${height / 3}" fill="#fed"/></svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}

const upscale = (bytes: Uint8Array, facts = {}) =>
  collectParts(
    askAdapter(builtin, {
      model: "upscale",
      task: "upscale",
      input: { image: "asset:a" },
      files: [buildInputFile("a", bytes, facts)],
    }),
  );

it("doubles width and height, keeps the picture, and reports each finished tile", async () => {
  const source = await buildPicture(230, 120);
  const parts = await upscale(source);
  const file = fileOf(parts);
  expect(await sharp(file.bytes).metadata()).toMatchObject({
    format: "png",
    width: 460,
    height: 240,
    channels: 3,
  });
  const shrink = (bytes: Uint8Array) =>
    sharp(bytes).resize(46, 24, { fit: "fill" }).removeAlpha().raw().toBuffer();
  const [before, after] = await Promise.all([shrink(source), shrink(file.bytes)]);
  const difference =
    before.reduce((sum, value, index) => sum + Math.abs(value - after[index]!), 0) / before.length;
  expect(difference).toBeLessThan(4);
  expect(
    parts.flatMap((part) => (part.type === "progress" ? [`${part.done}/${part.total}`] : [])),
  ).toEqual(["0/6", "1/6", "2/6", "3/6", "4/6", "5/6", "6/6"]);
  expect(parts.at(-1)).toMatchObject({ type: "finish", costMicros: 0 });
}, 60_000);

it("gives the same bytes for the same picture, and tiles match the picture upscaled at once", async () => {
  const [width, height] = [150, 60];
  const source = await buildPicture(width, height);
  const file = fileOf(await upscale(source));
  const network = await loadDoubler();
  const rgb = await sharp(source).removeAlpha().raw().toBuffer();
  const whole = await network.double(rgb, width, height);
  const tiled = await sharp(file.bytes).raw().toBuffer();
  const furthest = tiled.reduce(
    (most, value, index) => Math.max(most, Math.abs(value - whole[index]!)),
    0,
  );
  expect(furthest).toBeLessThanOrEqual(1);
  expect(sha256(fileOf(await upscale(source)).bytes)).toBe(sha256(file.bytes));
}, 60_000);

it("keeps transparency", async () => {
  const source = await buildPicture(60, 60, `opacity="0"`);
  const { data, info } = await sharp(fileOf(await upscale(source)).bytes)
    .raw()
    .toBuffer({ resolveWithObject: true });
  expect(info).toMatchObject({ width: 120, height: 120, channels: 4 });
  expect([data[3], data[(60 * 120 + 60) * 4 + 3]]).toEqual([0, 255]);
}, 60_000);

it("rotates a photo upright by its camera's orientation", async () => {
  const lying = await sharp(await buildPicture(80, 40))
    .jpeg()
    .withExif({ IFD0: {} })
    .withMetadata({ orientation: 6 })
    .toBuffer();
  expect(fileOf(await upscale(lying, { mime: "image/jpeg", name: "photo.jpg" }))).toMatchObject({
    width: 80,
    height: 160,
    name: "photo-2x.png",
  });
}, 60_000);

it("stops in the middle when canceled: no further tile is processed and the thread ends", async () => {
  const started: Worker[] = [];
  const workedOn: number[] = [];
  const watch = (worker: Worker) => {
    started.push(worker);
    worker.on(
      "message",
      (message) => message.part?.type === "progress" && workedOn.push(message.part.done),
    );
  };
  const files = [buildInputFile("a", await buildPicture(1000, 1000))];
  let seen: number[] = [];
  const cancelAt = async (done: number) => {
    const canceller = new AbortController();
    seen = [];
    for await (const part of askAdapter(builtin, {
      model: "upscale",
      input: { image: "asset:a" },
      files,
      signal: canceller.signal,
    })) {
      if (part.type !== "progress") continue;
      expect(part.total).toBe(100);
      seen.push(part.done);
      if (part.done === done) canceller.abort();
    }
  };
  // Ends an earlier test's thread, which was kept for the next run.
  await expect(cancelAt(0)).rejects.toThrow(/aborted/);
  process.on("worker", watch);
  await expect(cancelAt(3)).rejects.toThrow(/aborted/);
  process.off("worker", watch);
  expect(seen).toEqual([0, 1, 2, 3]);
  expect(started).toHaveLength(1);
  // A terminated worker has no thread id and does no further work.
  expect(started[0]!.threadId).toBe(-1);
  expect(Math.max(...workedOn)).toBeLessThanOrEqual(4);
}, 60_000);

it("refuses an unreadable picture and names the field and the file", async () => {
  const source = await buildPicture(200, 200);
  const field = { code: "provider_invalid_input", detail: { field: "image" } };
  await expect(upscale(source.subarray(0, source.byteLength / 2))).rejects.toMatchObject(field);
  await expect(upscale(source.subarray(0, source.byteLength / 2))).rejects.toThrow(
    /a\.png can’t be read as a picture/,
  );
  await expect(
    upscale(new TextEncoder().encode("<html>not a picture</html>")),
  ).rejects.toMatchObject(field);
  await expect(upscale(new Uint8Array(0))).rejects.toThrow(/is empty/);
  await expect(upscale(source, { mime: "text/plain" })).rejects.toThrow(/is not a picture/);
  const wide = await sharp({
    create: { width: 4100, height: 1100, channels: 3, background: "#888" },
  })
    .png()
    .toBuffer();
  await expect(upscale(wide)).rejects.toThrow(/4100 x 1100 pixels/);
});

it("cuts a picture into tiles that cover every pixel exactly once", () => {
  for (const [width, height] of [
    [1, 1],
    [104, 104],
    [105, 300],
    [1000, 333],
  ] as const) {
    const covered = new Uint8Array(width * height);
    for (const { kept, ...tile } of cutTiles(width, height, 104, 12)) {
      expect(tile.left).toBe(Math.max(0, kept.left - 12));
      expect(tile.left + tile.width).toBe(Math.min(width, kept.left + kept.width + 12));
      expect(Math.max(kept.width, kept.height)).toBeLessThanOrEqual(104);
      for (let y = kept.top; y < kept.top + kept.height; y++)
        for (let x = kept.left; x < kept.left + kept.width; x++) covered[y * width + x]! += 1;
    }
    expect(covered.every((times) => times === 1)).toBe(true);
  }
});
