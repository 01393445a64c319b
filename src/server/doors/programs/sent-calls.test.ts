import { expect, it } from "vitest";
import type { ToolCall } from "#engine/plan/turns.ts";
import { createSentCalls } from "./sent-calls.ts";

type Piece = readonly [call: number, offset: number, text: string];

/** Takes the pieces, then the rest of the saved calls. Returns the arguments that are sent. */
function send(pieces: readonly Piece[], saved: readonly string[]) {
  const sent = createSentCalls();
  const texts: string[] = [];
  const order: number[] = [];
  const add = (place: number, text: string): void => {
    texts[place] = `${texts[place] ?? ""}${text}`;
    if (order.at(-1) !== place) order.push(place);
  };
  for (const [call, offset, text] of pieces) {
    const payload = { call, name: "write", offset, text };
    const piece = sent.take({ type: "arguments-delta", payload });
    if (piece) add(piece.place, piece.text);
  }
  for (const [place, whole] of saved.entries()) {
    const call: ToolCall = { type: "tool-call", callId: `${place}`, name: "write", input: {} };
    const rest = sent.restOf(call, place, whole);
    if (rest.isFirst || rest.text !== "") add(place, rest.text);
  }
  return { texts, order };
}

const whole = '{"a":1}';

it("calls follow one another, and only what is missing comes at the end", () => {
  const pieces = [
    [0, 0, '{"a"'],
    [0, 4, ":1}"],
    [1, 0, "{"],
  ] as const;
  expect(send(pieces, [whole, whole])).toEqual({ texts: [whole, whole], order: [0, 1] });
});

it("a call whose start is lost comes whole at the end, also if later pieces arrive", () => {
  const pieces = [
    [0, 0, whole],
    [2, 0, "{"],
    [1, 0, whole],
    [2, 1, '"a":1}'],
  ] as const;
  expect(send(pieces, [whole, whole, whole])).toEqual({
    texts: [whole, whole, whole],
    order: [0, 1, 2],
  });
});

it("no call begins before the program has all of the one before it", () => {
  const pieces = [
    [0, 0, '{"a"'],
    [1, 0, whole],
    [0, 4, ":1}"],
    [1, 7, " "],
    [2, 0, whole],
  ] as const;
  expect(send(pieces, [whole, `${whole} `, whole])).toEqual({
    texts: [whole, `${whole} `, whole],
    order: [0, 1, 2],
  });
});
