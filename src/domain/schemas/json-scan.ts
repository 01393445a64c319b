import { Problem } from "#contract/errors.ts";

/**
 * `depth`: levels of arrays and objects. `values`: texts, numbers, arrays, objects and so on,
 * without the keys of objects.
 */
export type JsonBounds = { depth: number; values: number };

/**
 * The limits of one request. No screen produces a quarter of this depth, and the number of values
 * far exceeds the thousand ids of the largest selection.
 */
export const requestBounds: JsonBounds = { depth: 64, values: 100_000 };

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/**
 * A part of a JSON string, without its quotes. `begins` and `ends` tell whether its quotes are in
 * this chunk.
 */
export type TextPart = { from: number; to: number; begins: boolean; ends: boolean };

/**
 * Counts the depth and values of JSON as its bytes arrive, so that input that would block
 * JSON.parse for seconds never reaches it. Brackets and commas inside strings don't count. A line
 * break ends an open string, because strings can't contain one; so the events of a stream can be
 * counted in one pass. Invalid JSON is counted arbitrarily and left for the parser to refuse.
 */
export function createJsonScan({ depth: deepest, values: most }: JsonBounds): {
  /**
   * @param onText receives each part of a text, in order
   * @throws Problem invalid_input at the first byte beyond a limit
   */
  take(chunk: Uint8Array, onText?: (part: TextPart) => void): void;
} {
  let depth = 0;
  let values = 1;
  let isText = false;
  let isEscaped = false;
  /**
   * True right after an opening bracket: the next byte starts its first value unless it closes the
   * bracket.
   */
  let isOpened = false;

  function take(chunk: Uint8Array, onText?: (part: TextPart) => void): void {
    let from = 0;
    let begins = false;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote || byte === 0x0a || byte === 0x0d) {
          isText = false;
          onText?.({ from, to: i, begins, ends: true });
        }
        continue;
      }
      if (byte <= 0x20) continue;
      const closes = byte === 0x5d || byte === 0x7d;
      if (isOpened) {
        isOpened = false;
        if (!closes) values += 1;
      }
      if (byte === quote) {
        isText = true;
        isEscaped = false;
        from = i + 1;
        begins = true;
      } else if (byte === comma) values += 1;
      else if (byte === 0x5b || byte === 0x7b) {
        depth += 1;
        isOpened = true;
        if (depth > deepest + 1) throw tooDeep(deepest);
      } else if (closes && depth > 0) depth -= 1;
      if (values > most) throw tooMany(most);
    }
    if (isText) onText?.({ from, to: chunk.length, begins, ends: false });
  }
  return { take };
}

const tooDeep = (deepest: number): Problem =>
  new Problem("invalid_input", {
    message: `This JSON is nested more than ${deepest} levels deep.`,
  });
const tooMany = (most: number): Problem =>
  new Problem("invalid_input", {
    message: `This JSON holds more than ${most.toLocaleString("en")} values.`,
  });

/**
 * JSON.parse for complete bytes.
 * @throws Problem invalid_input beyond a limit, before anything is parsed
 * @throws SyntaxError for invalid JSON
 */
export function parseBounded(bytes: Uint8Array, bounds: JsonBounds): unknown {
  createJsonScan(bounds).take(bytes);
  return JSON.parse(new TextDecoder().decode(bytes));
}
