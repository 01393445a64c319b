import sharp from "sharp";
import { beforeAll, expect, it } from "vitest";
import { provenance } from "#contract/entities.ts";
import {
  box,
  type Claim,
  cbor,
  film,
  intoJpeg,
  intoPng,
  intoRiff,
  iptc,
  longStore,
  madeByModel,
  manifestStore,
  xmpOf,
} from "../../../../test/support/content-credentials.ts";
import { buildWav } from "../../../../test/support/wav.ts";
import { readCbor } from "./cbor.ts";
import { readProvenance } from "./read-provenance.ts";

const plain = { png: Buffer.alloc(0), jpeg: Buffer.alloc(0), webp: Buffer.alloc(0) };
const wav = buildWav({ samples: Buffer.alloc(80), samplesPerSecond: 8_000, channels: 1, bits: 16 });

beforeAll(async () => {
  const picture = sharp({ create: { width: 64, height: 64, channels: 3, background: "#7a5" } });
  plain.png = await picture.clone().png().toBuffer();
  plain.jpeg = await picture.clone().jpeg().toBuffer();
  plain.webp = await picture.clone().webp().toBuffer();
});

/** Reads a file as from disk, and counts the reads. */
function read(file: Buffer, size = file.length) {
  const reads = { count: 0, bytes: 0 };
  const found = readProvenance((offset, bytes) => {
    const part = file.subarray(offset, offset + bytes);
    reads.count += 1;
    reads.bytes += part.length;
    return part;
  }, size);
  if (found) provenance.parse(found);
  return { found, reads };
}

const carriers = {
  PNG: (parts: { store?: Buffer; xmp?: string }) => intoPng(plain.png, parts),
  JPEG: (parts: { store?: Buffer; xmp?: string }) => intoJpeg(plain.jpeg, parts),
  WebP: (parts: { store?: Buffer; xmp?: string }) => intoRiff(plain.webp, parts),
  WAV: (parts: { store?: Buffer; xmp?: string }) => intoRiff(wav, parts),
  film,
};
const kinds = Object.keys(carriers) as (keyof typeof carriers)[];

const byModel = {
  credentials: { claimGenerator: "ChatGPT", isVerified: false },
  digitalSourceType: "trainedAlgorithmicMedia",
};

it.each(kinds)(
  "finds who claims a %s and how it was made, and says that the claim is unverified",
  (kind) => {
    expect(read(carriers[kind]({ store: manifestStore(madeByModel) })).found).toEqual(byModel);
  },
);

it.each(kinds)("reads the source type of a %s from XMP if it has no credentials", (kind) => {
  const xmp = xmpOf("compositeWithTrainedAlgorithmicMedia");
  expect(read(carriers[kind]({ xmp })).found).toEqual({
    credentials: null,
    digitalSourceType: "compositeWithTrainedAlgorithmicMedia",
  });
});

it.each(kinds)("finds nothing in a plain %s", (kind) => {
  expect(read(carriers[kind]({})).found).toBeNull();
});

it("reads a JPEG's credentials from many segments, in either length encoding", () => {
  for (const store of [manifestStore(madeByModel), longStore(madeByModel)])
    for (const pieceBytes of [700, 64_000])
      expect(read(intoJpeg(plain.jpeg, { store, pieceBytes })).found).toEqual(byModel);
});

it("uses the file's own manifest, which is the last, not an ingredient's", () => {
  const edited: Claim = {
    claim: { claim_generator: "Adobe_Photoshop/26.0 c2pa-rs/0.36" },
    actions: [{ action: "c2pa.opened" }, { action: "c2pa.edited" }],
  };
  expect(read(intoPng(plain.png, { store: manifestStore(madeByModel, edited) })).found).toEqual({
    credentials: { claimGenerator: "Adobe_Photoshop", isVerified: false },
    digitalSourceType: null,
  });
});

it("reads the second version of claims and actions", () => {
  const claim: Claim = {
    label: "c2pa.claim.v2",
    claim: { claim_generator_info: { name: "Google C2PA Core", version: "1" } },
    actionsLabel: "c2pa.actions.v2__1",
    actions: [
      { action: "c2pa.edited", digitalSourceType: iptc("humanEdits") },
      { action: "c2pa.created", digitalSourceType: iptc("trainedAlgorithmicMedia") },
    ],
  };
  expect(read(intoPng(plain.png, { store: manifestStore(claim) })).found).toEqual({
    credentials: { claimGenerator: "Google C2PA Core", isVerified: false },
    digitalSourceType: "trainedAlgorithmicMedia",
  });
});

it("accepts only source types of IPTC's list, and shortens a name to one line", () => {
  const claim: Claim = {
    claim: {
      claim_generator_info: [{ name: `\u202e Evil\n\u0000<b>\u0007 ${"x".repeat(1_000)}` }],
    },
    actions: [{ action: "c2pa.created", digitalSourceType: "https://evil.example/verified" }],
  };
  const { found } = read(intoPng(plain.png, { store: manifestStore(claim) }));
  expect(found?.digitalSourceType).toBeNull();
  expect(found?.credentials?.claimGenerator).toMatch(/^Evil <b> x+$/);
  expect(found?.credentials?.claimGenerator).toHaveLength(200);
});

it("cuts a name before normalizing it, because that takes quadratic time", () => {
  const marks = "\u0301".repeat(60_000) + "\u0316".repeat(60_000);
  const claim: Claim = { claim: { claim_generator: `a${marks}` } };
  const { found } = read(intoPng(plain.png, { store: manifestStore(claim) }));
  expect(found?.credentials?.claimGenerator).toHaveLength(200);
});

it("reports credentials even if their claim can't be read", () => {
  const lying = Buffer.from([0x7b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x61]);
  const stores = [
    manifestStore(),
    manifestStore({}),
    manifestStore({ claim: "no map" }),
    manifestStore({ claim: { claim_generator_info: [] } }),
    replaced(manifestStore(madeByModel), cbor(madeByModel.claim!), lying),
  ];
  for (const store of stores) {
    const { found } = read(intoPng(plain.png, { store }));
    expect(found?.credentials).toEqual({ claimGenerator: null, isVerified: false });
  }
});

/** Replaces bytes with others of the same length. */
function replaced(store: Buffer, before: Buffer, after: Buffer): Buffer {
  const copy = Buffer.from(store);
  const at = copy.indexOf(before);
  expect(at).toBeGreaterThan(0);
  copy.fill(0, at, at + before.length);
  after.copy(copy, at);
  return copy;
}

it("ignores a store that is longer than its container", () => {
  const store = manifestStore(madeByModel).subarray(0, -1);
  for (const kind of kinds) expect(read(carriers[kind]({ store })).found).toBeNull();
});

it("ignores JUMBF boxes of other kinds", () => {
  const other = replaced(
    manifestStore(madeByModel),
    Buffer.from("c2pa\0\x11\0\x10", "latin1"),
    Buffer.from("mp7t\0\x11\0\x10", "latin1"),
  );
  expect(read(intoPng(plain.png, { store: other })).found).toBeNull();
});

/** Reads the file with one byte changed. */
function readChanged(file: Buffer, at: number, byte: number) {
  const before = file[at]!;
  file[at] = byte;
  const { found } = read(file);
  file[at] = before;
  return found;
}

it.each(kinds)("never throws for a %s that is truncated or has any byte changed", (kind) => {
  const whole = carriers[kind]({ store: manifestStore(madeByModel), xmp: xmpOf("print") });
  for (let near = 0; near < 800; near += 1)
    for (const at of [near, whole.length - 1 - near]) {
      read(whole.subarray(0, at));
      // The file shrinks while it is read.
      read(whole.subarray(0, at), whole.length);
      for (const byte of [0, 1, 0x7f, 0xff]) readChanged(whole, at, byte);
    }
});

it("never throws for a claim with any byte changed", () => {
  const file = intoPng(plain.png, { store: manifestStore(madeByModel) });
  const from = file.indexOf("c2pa.actions");
  const to = file.indexOf("IDAT");
  for (let at = from; at < to; at += 1)
    for (const byte of [0, 0x1f, 0x3b, 0x5f, 0x7f, 0x9b, 0x9f, 0xbb, 0xbf, 0xdb, 0xff])
      readChanged(file, at, byte);
  expect(read(file).found).toEqual(byModel);
});

it("reads a claim with a seed of 64 bits", () => {
  const seed = Buffer.concat([Buffer.from([0x1b]), Buffer.alloc(8, 0xff)]);
  const claim = Buffer.concat([Buffer.from([0xa1]), cbor("seed"), seed]);
  expect(readCbor(claim)).toEqual(new Map([["seed", 2n ** 64n - 1n]]));
});

it.each([
  ["arrays in arrays", Buffer.alloc(200_000, 0x81)],
  ["endless arrays in arrays", Buffer.alloc(200_000, 0x9f)],
  ["tags on tags", Buffer.alloc(200_000, 0xc1)],
  ["texts in texts", Buffer.alloc(200_000, 0x7f)],
  [
    "a million empty maps",
    Buffer.concat([Buffer.from([0x9a, 0, 15, 66, 64]), Buffer.alloc(200_000, 0xa0)]),
  ],
  [
    "a name and more lists than any claim has",
    cbor({ claim_generator: "Evil", lists: Array<string[]>(3_000).fill([]) }),
  ],
  [
    "an array of 2^64",
    Buffer.concat([Buffer.alloc(1, 0x9b), Buffer.alloc(8, 0xff), Buffer.alloc(200_000)]),
  ],
  [
    "text that is no UTF-8",
    Buffer.concat([Buffer.from([0x7a, 0, 3, 0, 0]), Buffer.alloc(0x30000, 0xfe)]),
  ],
  ["a gigabyte that isn't there", Buffer.from([0x5a, 0x40, 0, 0, 0])],
])("a claim of %s costs only a few reads and names nobody", (_, bomb) => {
  const bombed = Buffer.concat([
    manifestStore().subarray(8),
    box(
      "jumb",
      box("jumd", Buffer.from("63326d6100110010800000aa00389b71", "hex"), Buffer.from("\x03m\0")),
      box(
        "jumb",
        box(
          "jumd",
          Buffer.from("6332636c00110010800000aa00389b71", "hex"),
          Buffer.from("\x03c2pa.claim\0"),
        ),
        box("cbor", bomb),
      ),
    ),
  ]);
  const { found, reads } = read(intoPng(plain.png, { store: box("jumb", bombed) }));
  expect(found?.credentials).toEqual({ claimGenerator: null, isVerified: false });
  expect(reads.count).toBeLessThan(100);
});

it("gives up on a file of a million parts, and reads at most a megabyte of any file", () => {
  const emptyChunk = Buffer.concat([Buffer.alloc(4), Buffer.from("teXt"), Buffer.alloc(4)]);
  const png = Buffer.concat([plain.png.subarray(0, 33), ...Array(100_000).fill(emptyChunk)]);
  const jpeg = intoJpeg(plain.jpeg, {
    store: box("jumb", Buffer.alloc(300_000)),
    pieceBytes: 4,
  });
  const boxes = Buffer.concat([box("ftyp", Buffer.alloc(8)), ...Array(100_000).fill(box("free"))]);
  const store = box("jumb", manifestStore().subarray(8), ...Array(100_000).fill(box("free")));
  const assertions = manifestStore(
    ...Array(50).fill({ ...madeByModel, claim: { claim_generator: "y".repeat(250_000) } }),
  );
  for (const file of [
    png,
    jpeg,
    boxes,
    intoPng(plain.png, { store }),
    intoPng(plain.png, { store: assertions }),
  ]) {
    const { reads } = read(file);
    expect(reads.count).toBeLessThan(50_000);
    expect(reads.bytes).toBeLessThan(1024 ** 2);
  }
});
