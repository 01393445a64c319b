/**
 * MessagePack by its specification (github.com/msgpack/msgpack/blob/master/spec.md), written only
 * for this simulator, so that the program's messages are checked by independent code. Strict: no
 * extension types, no trailing bytes, valid UTF-8 text, and text map keys that occur once.
 */
export function readMsgpack(bytes: Uint8Array): unknown {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const take = (count: number): number => {
    if (at + count > bytes.length)
      throw new Error(`a frame ends in the middle of a value, at byte ${at}`);
    at += count;
    return at - count;
  };
  const uint = (size: 1 | 2 | 4 | 8): number => {
    const from = take(size);
    if (size === 8) return Number(view.getBigUint64(from));
    return size === 1
      ? view.getUint8(from)
      : size === 2
        ? view.getUint16(from)
        : view.getUint32(from);
  };
  const text = (length: number): string => {
    const from = take(length);
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(from, from + length));
  };
  const bin = (length: number): Uint8Array => {
    const from = take(length);
    return bytes.slice(from, from + length);
  };
  const list = (length: number): unknown[] => Array.from({ length }, value);
  function map(length: number): Record<string, unknown> {
    const entries = new Map<string, unknown>();
    for (let i = 0; i < length; i++) {
      const key = value();
      if (typeof key !== "string") throw new Error("a key that is not text");
      if (entries.has(key)) throw new Error(`the key ${key} twice`);
      entries.set(key, value());
    }
    return Object.fromEntries(entries);
  }

  function value(): unknown {
    const type = uint(1);
    if (type <= 0x7f) return type;
    if (type <= 0x8f) return map(type & 0x0f);
    if (type <= 0x9f) return list(type & 0x0f);
    if (type <= 0xbf) return text(type & 0x1f);
    if (type >= 0xe0) return type - 0x100;
    switch (type) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
        return bin(uint(1));
      case 0xc5:
        return bin(uint(2));
      case 0xc6:
        return bin(uint(4));
      case 0xca:
        return view.getFloat32(take(4));
      case 0xcb:
        return view.getFloat64(take(8));
      case 0xcc:
        return uint(1);
      case 0xcd:
        return uint(2);
      case 0xce:
        return uint(4);
      case 0xcf:
        return uint(8);
      case 0xd0:
        return view.getInt8(take(1));
      case 0xd1:
        return view.getInt16(take(2));
      case 0xd2:
        return view.getInt32(take(4));
      case 0xd3:
        return Number(view.getBigInt64(take(8)));
      case 0xd9:
        return text(uint(1));
      case 0xda:
        return text(uint(2));
      case 0xdb:
        return text(uint(4));
      case 0xdc:
        return list(uint(2));
      case 0xdd:
        return list(uint(4));
      case 0xde:
        return map(uint(2));
      case 0xdf:
        return map(uint(4));
      default:
        throw new Error(`the type 0x${type.toString(16)}, which no realtime model reads`);
    }
  }

  const whole = value();
  if (at !== bytes.length) throw new Error(`${bytes.length - at} bytes after the value`);
  return whole;
}

/**
 * Writes each value in its longest valid form, so that a reader that knows only the short ones
 * fails.
 */
export function writeMsgpack(value: unknown): Buffer {
  if (value === null || value === undefined) return Buffer.of(0xc0);
  if (typeof value === "boolean") return Buffer.of(value ? 0xc3 : 0xc2);
  if (typeof value === "number")
    return Number.isInteger(value) && value >= 0 ? head(0xcf, 8, BigInt(value)) : float(value);
  if (typeof value === "string") {
    const text = Buffer.from(value);
    return Buffer.concat([head(0xdb, 4, text.length), text]);
  }
  if (value instanceof Uint8Array) return Buffer.concat([head(0xc6, 4, value.length), value]);
  if (Array.isArray(value))
    return Buffer.concat([head(0xdd, 4, value.length), ...value.map(writeMsgpack)]);
  const entries = Object.entries(value as object);
  return Buffer.concat([
    head(0xdf, 4, entries.length),
    ...entries.flatMap(([key, inner]) => [writeMsgpack(key), writeMsgpack(inner)]),
  ]);
}

function head(type: number, size: 4 | 8, amount: number | bigint): Buffer {
  const bytes = Buffer.alloc(1 + size);
  bytes[0] = type;
  if (size === 4) bytes.writeUInt32BE(Number(amount), 1);
  else bytes.writeBigUInt64BE(BigInt(amount), 1);
  return bytes;
}

function float(value: number): Buffer {
  const bytes = Buffer.alloc(9);
  bytes[0] = 0xcb;
  bytes.writeDoubleBE(value, 1);
  return bytes;
}
