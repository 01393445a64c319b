import { expect, it } from "vitest";
import type { RunEvent } from "#contract/entities.ts";
import { foldLog, joinEvents } from "./run-log.tsx";

const event = (seq: number, type: string): RunEvent => ({
  runId: "r",
  seq,
  type,
  payload: {},
  at: seq,
});

it("shows each event once, however often it arrives", () => {
  const known = [event(1, "run-queued"), event(2, "run-started")];
  expect(
    joinEvents(known, [event(2, "run-started"), event(3, "run-running")]).map(({ seq }) => seq),
  ).toEqual([1, 2, 3]);
});

it("merges consecutive pieces into one line, and keeps other events separate", () => {
  const events = ["run-started", "text-delta", "text-delta", "log", "text-delta", "log"].map(
    (type, at) => event(at + 1, type),
  );
  expect(
    foldLog(events).map(({ event: { type, seq }, count }) => `${type} ${seq} ${count}`),
  ).toEqual(["run-started 1 1", "text-delta 3 2", "log 4 1", "text-delta 5 1", "log 6 1"]);
});
