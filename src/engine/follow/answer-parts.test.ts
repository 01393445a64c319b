import { expect, it } from "vitest";
import { partsOf, wholeAnswer } from "./answer.ts";
import { addEvent, emptyAnswer } from "./saved-answer.ts";

it("a message says how long its model reasoned, with the time of the answer that it continues", () => {
  const said = { text: "three", reasoning: " and on", reasonedMs: 2_400.4 };
  const before = [{ type: "reasoning" as const, text: "so", durationMs: 5_000 }];
  expect(partsOf(said, before, [])).toEqual([
    { type: "reasoning", text: "so and on", durationMs: 7_400 },
    { type: "text", text: "three" },
  ]);
});

it("a job's answer, whose words came at once, says no time", () => {
  const { parts } = wholeAnswer(
    [
      { type: "reasoning", text: "so" },
      { type: "text", text: "three" },
    ],
    [],
  );
  expect(parts[0]).toEqual({ type: "reasoning", text: "so" });
});

it("the time of an attempt whose worker died is in its log, without that of the attempt before", () => {
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
