import { serveTasks } from "../worker-task.ts";
import { loadDoubler } from "./network.ts";
import { decodePicture, encodePicture, type Pixels } from "./picture.ts";
import { cutTiles, type Tile } from "./tiles.ts";

export type UpscaleTask = { bytes: Uint8Array; name: string };

/**
 * 12 pixels are more than the network sees around one: its convolutions reach 10. 104 + 2 x 12 =
 * 128.
 */
const margin = 12;
const maxKept = 104;

/** Loading takes longer than doubling a small picture. */
let loaded: ReturnType<typeof loadDoubler> | undefined;

serveTasks<UpscaleTask>(async ({ bytes, name }, tell) => {
  const source = await decodePicture(bytes, name);
  const tiles = cutTiles(source.width, source.height, maxKept, margin);
  const total = tiles.length;
  tell.part({ type: "progress", done: 0, total, label: "tiles" });
  loaded ??= loadDoubler();
  const network = await loaded;
  const doubled = new Uint8Array(source.width * source.height * 12);
  for (const [index, tile] of tiles.entries()) {
    const answer = await network.double(takeTile(source, tile), tile.width, tile.height);
    putTile(doubled, source.width, tile, answer);
    tell.part({ type: "progress", done: index + 1, total, label: "tiles" });
  }
  const size = { width: source.width * 2, height: source.height * 2 };
  const output = {
    name: `${name.replace(/\.[^.]*$/, "")}-2x.png`,
    mime: "image/png",
    ...size,
    bytes: await encodePicture(doubled, source),
  };
  tell.part({ type: "file", output });
  tell.part({
    type: "finish",
    reason: "stop",
    usage: { units: { images: "1", tiles: String(total) } },
    costMicros: 0,
  });
});

function takeTile(source: Pixels, tile: Tile): Uint8Array {
  const rgb = new Uint8Array(tile.width * tile.height * 3);
  for (let row = 0; row < tile.height; row++) {
    const from = ((tile.top + row) * source.width + tile.left) * 3;
    rgb.set(source.rgb.subarray(from, from + tile.width * 3), row * tile.width * 3);
  }
  return rgb;
}

/** Copies the kept part of a doubled tile into the doubled picture. */
function putTile(doubled: Uint8Array, sourceWidth: number, tile: Tile, answer: Uint8Array): void {
  const { kept } = tile;
  const [insetLeft, insetTop] = [(kept.left - tile.left) * 2, (kept.top - tile.top) * 2];
  for (let row = 0; row < kept.height * 2; row++) {
    const from = ((insetTop + row) * tile.width * 2 + insetLeft) * 3;
    const to = ((kept.top * 2 + row) * sourceWidth * 2 + kept.left * 2) * 3;
    doubled.set(answer.subarray(from, from + kept.width * 6), to);
  }
}
