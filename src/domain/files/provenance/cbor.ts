import { Malformed, viewOf } from "./file-bytes.ts";

/** What content credentials are read for: maps by their text keys, arrays and texts. Everything else is null. */
export type Cbor = string | null | Cbor[] | ReadonlyMap<string, Cbor>;

/** Claims nest five deep and have some hundred values. */
const depthMost = 32;
const valuesMost = 20_000;

const breakByte = 0xff;
const indefinite = 31;

/**
 * The first value of these bytes (RFC 8949). Tags are passed over: a date or an address reads as its text.
 * @throws Malformed for what is no CBOR, ends early, or has too many values
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

  /** What follows the kind: a number, or how many there are. */
  function readArgument(info: number): number {
    if (info < 24) return info;
    if (info === 24) return view.getUint8(take(1));
    if (info === 25) return view.getUint16(take(2));
    if (info === 26) return view.getUint32(take(4));
    if (info === 27) return Number(view.getBigUint64(take(8)));
    if (info === indefinite) return Number.POSITIVE_INFINITY;
    throw new Malformed("no such length");
  }

  /** Calls for each of a number of parts; without a number until the break. */
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
