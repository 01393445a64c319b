import { Malformed, viewOf } from "./file-bytes.ts";

/**
 * The values that content credentials need: maps by text key, arrays and texts. Everything else is
 * null.
 */
export type Cbor = string | null | Cbor[] | ReadonlyMap<string, Cbor>;

/** Claims nest five deep and have some hundred values. */
const depthMost = 32;
const valuesMost = 20_000;

const breakByte = 0xff;
const indefinite = 31;

/**
 * Reads the first value of these bytes (RFC 8949). Tags are skipped, so a date or an address reads
 * as its text.
 * @throws Malformed for bytes that aren't CBOR, are truncated, or have too many values
 */
export function readCbor(bytes: Uint8Array): Cbor {
  const view = viewOf(bytes);
  const decoder = new TextDecoder();
  let at = 0;
  let values = 0;

  function take(count: number): number {
    const from = at;
    if (count > view.byteLength - at) throw new Malformed("a value ends early");
    at += count;
    return from;
  }

  /** Reads the argument after the major type: a number or a count. */
  function readArgument(info: number): number {
    if (info < 24) return info;
    if (info === 24) return view.getUint8(take(1));
    if (info === 25) return view.getUint16(take(2));
    if (info === 26) return view.getUint32(take(4));
    if (info === 27) return Number(view.getBigUint64(take(8)));
    if (info === indefinite) return Number.POSITIVE_INFINITY;
    throw new Malformed("no such length");
  }

  /** Calls `read` `count` times, or until the break code if the count is indefinite. */
  function each(count: number, read: () => void): void {
    for (let index = 0; index < count; index += 1) {
      if (count === Number.POSITIVE_INFINITY && bytes[at] === breakByte) {
        at += 1;
        return;
      }
      read();
    }
  }

  function readText(count: number, depth: number): string {
    if (count !== Number.POSITIVE_INFINITY) {
      const from = take(count);
      return decoder.decode(bytes.subarray(from, at));
    }
    const parts: string[] = [];
    each(count, () => {
      const part = readValue(depth + 1);
      if (typeof part === "string") parts.push(part);
    });
    return parts.join("");
  }

  function readValue(depth: number): Cbor {
    values += 1;
    if (depth > depthMost || values > valuesMost) throw new Malformed("too many values");
    const head = view.getUint8(take(1));
    const kind = head >> 5;
    const count = readArgument(head & 31);
    switch (kind) {
      case 2:
        if (count === Number.POSITIVE_INFINITY) each(count, () => readValue(depth + 1));
        else take(count);
        return null;
      case 3:
        return readText(count, depth);
      case 4: {
        const items: Cbor[] = [];
        each(count, () => items.push(readValue(depth + 1)));
        return items;
      }
      case 5: {
        const map = new Map<string, Cbor>();
        each(count, () => {
          const key = readValue(depth + 1);
          const value = readValue(depth + 1);
          if (typeof key === "string") map.set(key, value);
        });
        return map;
      }
      case 6:
        return readValue(depth + 1);
      default:
        return null;
    }
  }

  return readValue(0);
}
