import { expect, it } from "vitest";
import { createLiveCalls } from "./live-calls.ts";

/** Adds the pieces, and returns the text that is published for each call. */
function publish(pieces: readonly (readonly [place: number, text: string])[]) {
  const calls = createLiveCalls();
  const shown: string[] = [];
  for (const [place, text] of pieces) {
    calls.add({ place, name: `tool${place}`, text });
    for (const piece of calls.take()) {
      expect(piece.offset).toBe(shown[piece.call]?.length ?? 0);
      shown[piece.call] = `${shown[piece.call] ?? ""}${piece.text}`;
    }
  }
  expect(calls.shown().map(({ text }) => text)).toEqual(shown);
  return { shown, calls };
}

it("a call is announced by its name, and its pieces follow as they come", () => {
  const calls = createLiveCalls();
  calls.add({ place: 0, name: "write", text: "" });
  expect(calls.isShown()).toBe(false);
  expect(calls.take()).toEqual([{ call: 0, name: "write", offset: 0, text: "" }]);
  expect(calls.isShown()).toBe(true);
  expect(calls.take()).toEqual([]);
  calls.add({ place: 0, name: "write", text: '{"a"' });
  calls.add({ place: 0, name: "write", text: ":1}" });
  expect(calls.take()).toEqual([{ call: 0, name: "write", offset: 0, text: '{"a":1}' }]);
  expect(calls.written()).toBe('write{"a":1}');
});

it("calls that nobody takes are never shown, also when one follows another", () => {
  const calls = createLiveCalls();
  calls.add({ place: 0, name: "write", text: "{}" });
  calls.add({ place: 1, name: "write", text: "{" });
  expect(calls.isShown()).toBe(false);
  expect(calls.shown()).toEqual([]);
  expect(calls.take().map(({ call, text }) => `${call} ${text}`)).toEqual(["0 {}", "1 {"]);
});

it("a call follows the one before it, once that one is complete", () => {
  expect(
    publish(
      [
        [0, '{"a":'],
        [0, "1}"],
        [1, "{"],
        [1, "}"],
      ].map(toPiece),
    ).shown,
  ).toEqual(['{"a":1}', "{}"]);
});

it("of calls that a model writes at once, only the first is published as it arrives", () => {
  const { shown } = publish(
    [
      [0, '{"a":'],
      [1, "{"],
      [0, "1}"],
      [1, "}"],
      [2, "{}"],
    ].map(toPiece),
  );
  expect(shown).toEqual(['{"a":1}']);
});

it("half of a character and leading spaces wait for what follows them", () => {
  expect(
    publish(
      [
        [0, " "],
        [0, '\n{"a":"\ud83d'],
      ].map(toPiece),
    ).shown,
  ).toEqual([' \n{"a":"']);
  const whole = publish(
    [
      [0, '{"a":"\ud83d'],
      [0, '\ude42"}'],
    ].map(toPiece),
  );
  expect(whole.shown).toEqual(['{"a":"🙂"}']);
  // Arguments of spaces alone are returned as {}.
  expect(publish([[0, "  "]].map(toPiece)).shown).toEqual([""]);
});

const toPiece = ([place, text]: (number | string)[]) => [Number(place), String(text)] as const;
