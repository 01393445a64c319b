import { crc32 } from "node:zlib";

/**
 * C2PA manifests and files that contain them, written from ISO/IEC 19566-5, RFC 8949 and C2PA 2.1,
 * section 11.3. Unsigned.
 */
type Value = string | Buffer | Tagged | readonly Value[] | { readonly [key: string]: Value };
/** A tagged value, such as a date. */
type Tagged = { readonly tag: number; readonly of: Value };

const isTagged = (value: Value): value is Tagged =>
  typeof (value as { tag?: unknown }).tag === "number";

/** Encodes a value as CBOR. */
export function cbor(value: Value): Buffer {
  if (typeof value === "string")
    return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([cborHead(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([cborHead(4, value.length), ...value.map(cbor)]);
  if (isTagged(value)) return Buffer.concat([cborHead(6, value.tag), cbor(value.of)]);
  const fields = Object.entries(value as { [key: string]: Value });
  return Buffer.concat([
    cborHead(5, fields.length),
    ...fields.flat().map((part) => cbor(part as Value)),
  ]);
}

function cborHead(kind: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(kind << 5) | count]);
  if (count < 256) return Buffer.from([(kind << 5) | 24, count]);
  const head = Buffer.alloc(5, (kind << 5) | 26);
  head.writeUInt32BE(count, 1);
  return head;
}

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** A JUMBF box, which is also an ISO base media file box. */
export function box(type: string, ...content: Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  return Buffer.concat([u32(8 + bytes.length), Buffer.from(type, "latin1"), bytes]);
}

/** A box with a 64-bit length. */
function longBox(type: string, content: Buffer): Buffer {
  return Buffer.concat([
    u32(1),
    Buffer.from(type, "latin1"),
    u32(0),
    u32(16 + content.length),
    content,
  ]);
}

const typeUuid = (name: string) =>
  Buffer.concat([Buffer.from(name, "latin1"), Buffer.from("00110010800000aa00389b71", "hex")]);

/** Toggles: requestable by its label (1), has a label (2). */
const superBox = (name: string, label: string, ...content: Buffer[]): Buffer =>
  box("jumb", box("jumd", typeUuid(name), Buffer.from([3]), Buffer.from(`${label}\0`)), ...content);

export type Claim = {
  label?: string;
  claim?: Value;
  actionsLabel?: string;
  actions?: readonly Value[];
};

export const iptc = (type: string): string =>
  `http://cv.iptc.org/newscodes/digitalsourcetype/${type}`;

/** As written by ChatGPT. */
export const madeByModel: Claim = {
  claim: { claim_generator_info: [{ name: "ChatGPT" }], signature: "self#jumbf=c2pa.signature" },
  actions: [
    {
      action: "c2pa.created",
      when: { tag: 0, of: "2026-11-27T10:00:00Z" },
      softwareAgent: { name: "GPT-4o" },
      digitalSourceType: iptc("trainedAlgorithmicMedia"),
    },
    { action: "c2pa.converted" },
  ],
};

/** A manifest with a thumbnail before its list of actions, a claim, and no signature. */
function manifest({
  label = "c2pa.claim",
  claim,
  actionsLabel = "c2pa.actions",
  actions,
}: Claim): Buffer {
  const thumbnail = superBox(
    "@\u00cb\u000c\u00bb",
    "c2pa.thumbnail.claim.jpeg",
    box("bidb", Buffer.alloc(90_000, 7)),
  );
  const list = actions && superBox("cbor", actionsLabel, box("cbor", cbor({ actions })));
  return superBox(
    "c2ma",
    "urn:uuid:00000000-0000-4000-8000-000000000000",
    superBox("c2as", "c2pa.assertions", thumbnail, ...(list ? [list] : [])),
    ...(claim === undefined ? [] : [superBox("c2cl", label, box("cbor", cbor(claim)))]),
  );
}

/** A manifest store: the sources' manifests first, the file's own last. */
export const manifestStore = (...claims: Claim[]): Buffer =>
  superBox("c2pa", "c2pa", ...claims.map(manifest));

export const longStore = (...claims: Claim[]): Buffer =>
  longBox("jumb", manifestStore(...claims).subarray(8));

/** XMP according to IPTC's recommendation. */
export const xmpOf = (type: string): string =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" Iptc4xmpExt:DigitalSourceType="${iptc(type)}"/></rdf:RDF></x:xmpmeta>`;

/** Inserts the parts into a PNG, before its picture. */
export function intoPng(png: Buffer, parts: { store?: Buffer; xmp?: string }): Buffer {
  const chunk = (type: string, bytes: Buffer) => {
    const named = Buffer.concat([Buffer.from(type, "latin1"), bytes]);
    return Buffer.concat([u32(bytes.length), named, u32(crc32(named))]);
  };
  const headerEnd = 8 + 12 + 13;
  return Buffer.concat([
    png.subarray(0, headerEnd),
    ...(parts.store ? [chunk("caBX", parts.store)] : []),
    ...(parts.xmp ? [chunk("iTXt", Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${parts.xmp}`))] : []),
    png.subarray(headerEnd),
  ]);
}

/**
 * Inserts the parts into a JPEG, after its start: JUMBF in segments of at most 64 KB, each of which
 * repeats the box header.
 */
export function intoJpeg(
  jpeg: Buffer,
  parts: { store?: Buffer; xmp?: string; pieceBytes?: number },
): Buffer {
  const segment = (marker: number, bytes: Buffer) => {
    const head = Buffer.from([0xff, marker, 0, 0]);
    head.writeUInt16BE(bytes.length + 2, 2);
    return Buffer.concat([head, bytes]);
  };
  const { store = Buffer.alloc(0), xmp, pieceBytes = 64_000 } = parts;
  const headBytes = store.length > 4 && store.readUInt32BE(0) === 1 ? 16 : 8;
  const pieces: Buffer[] = [];
  for (let at = headBytes; at < store.length; at += pieceBytes)
    pieces.push(
      segment(
        0xeb,
        Buffer.concat([
          Buffer.from("JP\0\x01", "latin1"),
          u32(pieces.length + 1),
          store.subarray(0, headBytes),
          store.subarray(at, at + pieceBytes),
        ]),
      ),
    );
  const text = xmp ? [segment(0xe1, Buffer.from(`http://ns.adobe.com/xap/1.0/\0${xmp}`))] : [];
  return Buffer.concat([jpeg.subarray(0, 2), ...text, ...pieces, jpeg.subarray(2)]);
}

/** Appends the parts to a WebP or WAV. */
export function intoRiff(riff: Buffer, parts: { store?: Buffer; xmp?: string }): Buffer {
  const chunk = (type: string, bytes: Buffer) => {
    const head = Buffer.from(`${type}\0\0\0\0`, "latin1");
    head.writeUInt32LE(bytes.length, 4);
    return Buffer.concat([head, bytes, Buffer.alloc(bytes.length % 2)]);
  };
  const whole = Buffer.concat([
    riff,
    ...(parts.store ? [chunk("C2PA", parts.store)] : []),
    ...(parts.xmp ? [chunk("XMP ", Buffer.from(parts.xmp))] : []),
  ]);
  whole.writeUInt32LE(whole.length - 8, 4);
  return whole;
}

/** The boxes of a video or an AVIF: the file type, the manifest or XMP, and media. */
export const film = (parts: { store?: Buffer; xmp?: string }): Buffer =>
  Buffer.concat([
    box("ftyp", Buffer.from("isom\0\0\0\0isom")),
    ...(parts.store
      ? [
          box(
            "uuid",
            Buffer.from("d8fec3d61b0e483c92975828877ec481", "hex"),
            Buffer.alloc(4),
            Buffer.from("manifest\0"),
            Buffer.alloc(8),
            parts.store,
          ),
        ]
      : []),
    ...(parts.xmp
      ? [
          box(
            "uuid",
            Buffer.from("be7acfcb97a942e89c71999491e3afac", "hex"),
            Buffer.from(parts.xmp),
          ),
        ]
      : []),
    box("mdat", Buffer.alloc(5_000)),
  ]);
