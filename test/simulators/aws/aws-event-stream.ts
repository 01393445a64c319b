import { crc32 } from "node:zlib";

/**
 * AWS's event stream as a server writes it, implemented from the published text
 * (https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html, "Event stream
 * encoding"): total length, headers' length and the CRC of those eight bytes; headers with a name,
 * type 7 (a string) and a value; the payload; the CRC of everything before it.
 */
export function encodeFrame(
  headers: Readonly<Record<string, string>>,
  payload: Uint8Array | string,
): Buffer {
  const body = Buffer.from(payload as string);
  const named = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const nameBytes = Buffer.from(name);
      const valueBytes = Buffer.from(value);
      const lengths = Buffer.alloc(3);
      lengths.writeUInt8(7, 0);
      lengths.writeUInt16BE(valueBytes.length, 1);
      return Buffer.concat([Buffer.from([nameBytes.length]), nameBytes, lengths, valueBytes]);
    }),
  );
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(12 + named.length + body.length + 4, 0);
  prelude.writeUInt32BE(named.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const whole = Buffer.concat([prelude, named, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(whole), 0);
  return Buffer.concat([whole, checksum]);
}

export const encodeEvent = (name: string, payload: object): Buffer =>
  encodeFrame(
    { ":event-type": name, ":content-type": "application/json", ":message-type": "event" },
    JSON.stringify(payload),
  );

export const encodeException = (name: string, payload: object): Buffer =>
  encodeFrame(
    { ":exception-type": name, ":content-type": "application/json", ":message-type": "exception" },
    JSON.stringify(payload),
  );

/** Flips a bit in a frame's payload, so that its checksum is wrong. */
export function damage(frame: Buffer): Buffer {
  const damaged = Buffer.from(frame);
  const at = frame.length - 8;
  damaged[at] = damaged[at]! ^ 1;
  return damaged;
}
