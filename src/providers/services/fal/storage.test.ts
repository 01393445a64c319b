import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type FalSimulator, startFal } from "../../../../test/simulators/fal.ts";
import { type InputFile, ProviderError, type RunContext } from "../../adapter.ts";
import { createOutbound, type Outbound } from "../../outbound/outbound.ts";
import { uploadFile } from "./files/storage.ts";

const partBytes = 10 * 1024 * 1024;
const bytes = 90 * 1024 * 1024 + 1;
/** One chunk of a video, reused for all of them. */
const piece = new Uint8Array(256 * 1024).fill(7);

let sim: FalSimulator;
let outbound: Outbound;
beforeEach(async () => {
  outbound = createOutbound();
  sim = await startFal();
});
afterEach(async () => {
  await outbound.close();
  await sim.stop();
});

function buildContext(signal: AbortSignal = new AbortController().signal): RunContext {
  return {
    connection: { id: "c1", kind: "fal", addresses: sim.addresses, options: {}, secret: sim.key },
    fetch: outbound.open({ privateOrigins: [sim.url], onePost: true }),
    signal,
    clock: { now: () => 1_000 },
    clientToken: "t1",
    warn: () => undefined,
  };
}

/** A video that is never in memory as a whole. `opened` records the ranges that are read. */
function buildFilm(
  name: string,
): InputFile & { opened: [start: number, end: number][]; openMost: number } {
  const film = {
    ...{
      assetId: "a",
      sha256: "0".repeat(64),
      mime: "video/mp4",
      bytes,
      name,
      width: null,
      height: null,
    },
    opened: [] as [number, number][],
    openMost: 0,
    async open(range: { start: number; end: number } = { start: 0, end: bytes - 1 }) {
      film.opened.push([range.start, range.end]);
      return read(range.end - range.start + 1);
    },
  };
  let open = 0;
  async function* read(size: number): AsyncGenerator<Uint8Array> {
    film.openMost = Math.max(film.openMost, ++open);
    try {
      for (let left = size; left > 0; left -= piece.length)
        yield left < piece.length ? piece.subarray(0, left) : piece;
    } finally {
      open--;
    }
  }
  return film;
}

const storedAs = (name: string) => [...sim.files.values()].find((file) => file.name.includes(name));
const failureOf = async (upload: Promise<unknown>): Promise<ProviderError> => {
  const error = await upload.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ProviderError)) throw new Error(`not a failure of the provider: ${error}`);
  return error;
};
const partsPut = () =>
  sim.ledger.requests.filter((request) => /^PUT \/cdn\/multipart\/[^/]+\/\d+$/.test(request));
const hashOf = (size: number) => {
  const hash = createHash("sha256");
  for (let left = size; left > 0; left -= piece.length)
    hash.update(left < piece.length ? piece.subarray(0, left) : piece);
  return hash.digest("hex");
};

it("a video is uploaded in parts of 10 MB, one read at a time, private and for a week, and no part is read twice", async () => {
  const film = buildFilm("a long film");
  const url = await uploadFile(buildContext(), film);
  const stored = storedAs("a long film")!;
  expect(stored).toMatchObject({
    complete: true,
    size: bytes,
    mime: "video/mp4",
    isPrivate: true,
    lifetimeSeconds: 604_800,
  });
  expect([...stored.pieces]).toEqual([
    ...Array.from({ length: 9 }, (_, i) => [i + 1, { sha256: hashOf(partBytes), size: partBytes }]),
    [10, { sha256: hashOf(1), size: 1 }],
  ]);
  expect([film.opened.length, film.openMost]).toEqual([10, 1]);
  expect(url).toContain("identity=");
});

it("a failed part and a failed final call are retried; uploaded parts are not", async () => {
  sim.script("a rough film", "part-503");
  sim.script("a rough film", "part-reset");
  sim.script("a rough film", "complete-503");
  const film = buildFilm("a rough film");
  await uploadFile(buildContext(), film);
  expect(storedAs("a rough film")).toMatchObject({ complete: true, size: bytes });
  expect(partsPut().length).toBe(12);
  expect(sim.ledger.requests.filter((request) => request.endsWith("/complete")).length).toBe(2);
  expect(sim.ledger.posts).toEqual([]);
});

it("a part is tried three times, a refused one only once, and no paid request was sent", async () => {
  sim.script("a hopeless film", "part-503", 9);
  expect(await failureOf(uploadFile(buildContext(), buildFilm("a hopeless film")))).toMatchObject({
    code: "provider_overloaded",
    accepted: "no",
  });
  expect(partsPut().length).toBe(3);
  sim.script("a forbidden film", "part-403");
  expect(await failureOf(uploadFile(buildContext(), buildFilm("a forbidden film")))).toMatchObject({
    accepted: "no",
  });
  expect(partsPut().length).toBe(4);
});

it("an aborted upload stops at once", async () => {
  sim.script("an endless film", "part-hold");
  const stop = new AbortController();
  const film = buildFilm("an endless film");
  const upload = uploadFile(buildContext(stop.signal), film).catch((error: unknown) => error);
  while (partsPut().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort(new Error("given up"));
  expect(await upload).toMatchObject({ message: "given up" });
  expect([film.opened.length, partsPut().length, storedAs("an endless film")!.complete]).toEqual([
    1,
    1,
    false,
  ]);
});
