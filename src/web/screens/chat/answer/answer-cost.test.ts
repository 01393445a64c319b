import { expect, it } from "vitest";
import type { Message, Run } from "#contract/entities.ts";
import { settingsFor } from "../../../components/composer/chat-settings.ts";
import { priceOfAll, totalsOf } from "./answer-cost.ts";
import { requestTurns } from "./request-turns.ts";

const say = (
  id: string,
  parentId: string | null,
  role: Message["role"],
  text: string,
): Message => ({
  id,
  parentId,
  role,
  conversationId: "c",
  state: "complete",
  parts: [{ type: "text", text }],
  runId: null,
  createdAt: 0,
});
const buildRun = (change: Partial<Run>) =>
  ({ input: {}, usage: null, costMicros: null, finishedAt: 1, ...change }) as Run;

it("a conversation's total counts unknown prices and leaves out open runs", () => {
  const runs = [
    buildRun({ costMicros: 300 }),
    buildRun({ costMicros: 0 }),
    buildRun({}),
    buildRun({ finishedAt: null }),
  ];
  expect(totalsOf(runs)).toEqual({
    spent: { kind: "exact", micros: 300 },
    unknown: 1,
    open: 1,
    runs: 4,
  });
});

it("an open or unconfirmed answer is not free, unless its model is free", () => {
  const open = { finishedAt: null };
  expect(totalsOf([buildRun({ ...open, state: "running" })])).toMatchObject({
    unknown: 0,
    open: 1,
  });
  expect(totalsOf([buildRun({ ...open, state: "unconfirmed" })])).toMatchObject({
    unknown: 1,
    open: 0,
  });
  expect(totalsOf([buildRun({ ...open, state: "running", isFree: true })])).toMatchObject({
    unknown: 0,
    open: 0,
  });
});

it("an imported conversation is not free", () => {
  const elsewhere = (costMicros: number | null) =>
    buildRun({ imported: { costMicros } as Run["imported"] });
  expect(totalsOf([elsewhere(40), buildRun({ costMicros: 0 })])).toMatchObject({
    spent: { kind: "elsewhere", micros: 40 },
    unknown: 0,
  });
  expect(totalsOf([elsewhere(null)])).toMatchObject({ spent: { kind: "unknown" }, unknown: 1 });
  expect(totalsOf([buildRun({ finishedAt: null, isFree: true })]).spent).toEqual({ kind: "free" });
});

it("the price of several runs is as certain as the least certain, and says if one is unknown", () => {
  const exact = buildRun({ costMicros: 300 });
  const free = buildRun({ costMicros: 0 });
  expect(priceOfAll([exact, free, buildRun({ finishedAt: null })])).toEqual({
    price: { kind: "exact", micros: 300 },
    hasUnknown: false,
  });
  expect(priceOfAll([exact, buildRun({ costMicros: 50, costBasis: "estimated" })]).price).toEqual({
    kind: "about",
    micros: 350,
  });
  expect(priceOfAll([exact, buildRun({ costMicros: 50, costBasis: "held" })]).price).toEqual({
    kind: "about",
    micros: 350,
  });
  expect(priceOfAll([free, free])).toEqual({ price: { kind: "free" }, hasUnknown: false });
  expect(priceOfAll([exact, buildRun({})])).toEqual({
    price: { kind: "exact", micros: 300 },
    hasUnknown: true,
  });
  expect(priceOfAll([free, buildRun({})])).toEqual({
    price: { kind: "unknown" },
    hasUnknown: false,
  });
  const elsewhere = buildRun({ imported: { costMicros: 40 } as Run["imported"] });
  expect(priceOfAll([elsewhere, free]).price).toEqual({ kind: "elsewhere", micros: 40 });
});

it("a model's input ends at the message it answered, plus the answer it continues", () => {
  const branch = [
    say("1", null, "user", "Why"),
    say("2", "1", "assistant", "Because"),
    say("3", "2", "user", "And"),
    say("4", "3", "assistant", "Then"),
  ];
  const run = buildRun({ input: { systemPrompt: "Be brief", parentMessageId: "3" } });
  expect(requestTurns(run, branch, undefined).map(({ text }) => text)).toEqual([
    "Be brief",
    "Why",
    "Because",
    "And",
  ]);
  expect(requestTurns(run, branch, say("5", "3", "assistant", "Half a")).at(-1)?.text).toBe(
    "Half a",
  );
});

it("a model gets the settings it knows, and always the answer limit", () => {
  const schema = { properties: { temperature: { type: "number" } } };
  expect(
    settingsFor(schema, { temperature: 0.2, topP: 1, maxOutputTokens: 50, model: {} }),
  ).toEqual({
    temperature: 0.2,
    maxOutputTokens: 50,
  });
  expect(settingsFor(null, { temperature: 1 })).toEqual({});
});
