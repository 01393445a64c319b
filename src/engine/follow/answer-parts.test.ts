import { expect, it } from "vitest";
import { partsOf, wholeAnswer } from "./answer.ts";
import { addEvent, emptyAnswer } from "./saved-answer.ts";

it("a message states its model's reasoning time, including the answer that it continues", () => {
  const said = { text: "three", reasoning: " and on", reasonedMs: 2_400.4 };
  const before = [{ type: "reasoning" as const, text: "so", durationMs: 5_000 }];
  expect(partsOf(said, before, [])).toEqual([
    { type: "reasoning", text: "so and on", durationMs: 7_400 },
    { type: "text", text: "three" },
  ]);
});

it("a job's answer, whose text came at once, states no reasoning time", () => {
  const { parts } = wholeAnswer(
    [
      { type: "reasoning", text: "so" },
      { type: "text", text: "three" },
    ],
    [],
  );
  expect(parts[0]).toEqual({ type: "reasoning", text: "so" });
});

it("a log contains only the last attempt's reasoning time, not that of a dead worker's", () => {
  const said = emptyAnswer();
  const events = [
    { type: "run-started", payload: { attempt: 1 } },
    { type: "reasoning-delta", payload: { text: "lost", offset: 0, reasonedMs: 90_000 } },
    { type: "run-started", payload: { attempt: 2 } },
    { type: "reasoning-delta", payload: { text: "so", offset: 0, reasonedMs: 1_500 } },
    { type: "text-delta", payload: { text: "one", offset: 0, reasonedMs: 4_000 } },
    { type: "text-delta", payload: { text: " two", offset: 3 } },
  ];
  for (const event of events) addEvent(said, event);
  expect(partsOf(said, [], said.sources)).toEqual([
    { type: "reasoning", text: "so", durationMs: 4_000 },
    { type: "text", text: "one two" },
  ]);
});
