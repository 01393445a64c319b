import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { limits } from "#contract/limits.ts";
import { newText } from "#contract/live-text.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { runHint } from "#store/runs/unit.ts";
import type { EngineDeps } from "../deps.ts";
import { createHub, type LivePiece } from "../hub.ts";
import { createRunLog } from "./run-log.ts";

const run = { id: "r", fence: 1, attempts: 1, state: "running", messageId: null } as OwnedRun;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A run's log over a database that replies on demand. */
function openLog() {
  const hub = createHub();
  const told: LivePiece[] = [];
  const waiting: (() => void)[] = [];
  let commits = 0;
  let isAway = false;
  hub.subscribe(runHint(run.id), ({ words }) => words && told.push(words));
  const deps = {
    hub,
    log: { warn: () => undefined },
    clock: { now: () => Date.now(), monotonic: () => Date.now() },
    async commit() {
      commits += 1;
      if (isAway) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  } as unknown as EngineDeps;
  const log = createRunLog(deps, run, new AbortController().signal, () => undefined);
  return {
    log,
    commits: () => commits,
    say: (text: string) => log.add({ type: "text-delta", payload: { text } }),
    told: () => told.map(({ offset, text }) => `${offset} ${text}`),
    unwritten: () => log.unwritten().map(({ offset, text }) => `${offset} ${text}`),
    setAway(away: boolean) {
      isAway = away;
      if (!away) for (const answer of waiting.splice(0)) answer();
    },
  };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
/** The end of the event-loop turn, when its text is published. */
const endOfTurn = () => new Promise<void>((resolve) => process.nextTick(resolve));

it("words are shown as they arrive, each with its position, and written at most once a second", async () => {
  const { log, commits, say, told, unwritten } = openLog();
  say("one");
  await pass(limits.eventPauseMs);
  expect(commits()).toBe(1);
  for (const word of [" two", " three"]) {
    say(word);
    await endOfTurn();
  }
  log.add({ type: "reasoning-delta", payload: { text: "so" } });
  await endOfTurn();
  expect(told()).toEqual(["0 one", "3  two", "7  three", "0 so"]);
  expect(unwritten()).toEqual(["3  two three", "0 so"]);
  await pass(limits.wordsCheckpointMs - 1);
  expect(commits()).toBe(1);
  await pass(1);
  expect(commits()).toBe(2);
  expect(unwritten()).toEqual([]);
});

it("other events don't wait as long, and are written with the pending words", async () => {
  const { log, commits, say, unwritten } = openLog();
  say("one");
  await pass(limits.eventPauseMs);
  say(" two");
  log.add({ type: "progress", payload: { done: 1, total: 2 } });
  await pass(limits.eventPauseMs);
  expect(commits()).toBe(2);
  expect(unwritten()).toEqual([]);
});

it("no more words are shown while a write is a second late, and showing resumes after it", async () => {
  const { say, told, unwritten, setAway } = openLog();
  say("one");
  await pass(limits.eventPauseMs);
  setAway(true);
  say(" two");
  await pass(2 * limits.wordsCheckpointMs - 1);
  say(" three");
  await pass(1);
  say(" four");
  expect(told()).toEqual(["0 one", "3  two", "7  three"]);
  expect(unwritten()).toEqual(["3  two", "7  three four"]);
  setAway(false);
  await pass(limits.wordsCheckpointMs);
  say(" five");
  expect(told().at(-1)).toBe("18  five");
  expect(unwritten()).toEqual(["18  five"]);
});

it("an oversized burst of words isn't shown before it is written", async () => {
  const { commits, say, told } = openLog();
  say("one");
  await pass(limits.eventPauseMs);
  say("x".repeat(100_000));
  expect(told()).toEqual(["0 one"]);
  await pass(limits.eventPauseMs);
  expect(commits()).toBe(2);
});

it("words of one turn are shown as one, with thoughts and text in their original order", async () => {
  const { log, say, told } = openLog();
  for (const word of ["one", " two", " three"]) say(word);
  for (const thought of ["so", " on"])
    log.add({ type: "reasoning-delta", payload: { text: thought } });
  say(" four");
  await endOfTurn();
  expect(told()).toEqual(["0 one two three", "0 so on", "13  four"]);
  say(" five");
  await endOfTurn();
  expect(told().at(-1)).toBe("18  five");
});

it("a call is shown between the texts of its turn", async () => {
  const { log, say, told } = openLog();
  say("before");
  log.addArguments({ place: 0, name: "write", text: "{" });
  say("after");
  await endOfTurn();
  expect(told()).toEqual(["0 before", "0 {", "6 after"]);
});

it("a viewer who joins in the middle of a turn gets each of its words once", async () => {
  const { log, say, told, unwritten } = openLog();
  say("one");
  await endOfTurn();
  for (const word of [" two", " three"]) say(word);
  const [before] = log.unwritten();
  expect(unwritten()).toEqual(["0 one two three"]);
  say(" four");
  await endOfTurn();
  expect(told().at(-1)).toBe("3  two three four");
  expect(newText({ text: " two three four", offset: 3 }, before!.text.length)).toBe(" four");
});

it("a turn's words are shown before the write that includes them, and not again after it", async () => {
  const { log, say, told, unwritten } = openLog();
  say("one");
  const written = log.flush();
  expect(told()).toEqual(["0 one"]);
  await written;
  expect(unwritten()).toEqual([]);
  await pass(0);
  expect(told()).toEqual(["0 one"]);
  // Nothing is late, because everything has been written.
  await pass(10 * limits.wordsCheckpointMs);
  say(" two");
  await endOfTurn();
  expect(told().at(-1)).toBe("3  two");
});

it("an oversized turn is shown in pieces", async () => {
  const { say, told } = openLog();
  for (const letter of ["a", "b", "c"]) say(letter.repeat(20_000));
  await endOfTurn();
  expect(told()).toEqual(
    ["a", "b", "c"].map((letter, i) => `${i * 20_000} ${letter.repeat(20_000)}`),
  );
});

it("reasoning time counts from its start, pauses during text, and is recorded with it", async () => {
  const { log, say } = openLog();
  const think = (text: string) => log.add({ type: "reasoning-delta", payload: { text } });
  log.reasons(true);
  await pass(4_000);
  think("so");
  await pass(3_000);
  say("one");
  await pass(9_000);
  say(" two");
  think(" on");
  await pass(500);
  think(" and on");
  await pass(500);
  log.reasons(false);
  await pass(9_000);
  expect(log.said.reasonedMs).toBe(8_000);
  think(" more");
  say(" three");
  expect(log.unwritten()).toMatchObject([
    { type: "reasoning-delta", reasonedMs: 8_000 },
    { type: "text-delta", reasonedMs: 8_000 },
  ]);
});
