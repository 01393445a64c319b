import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { createHub } from "#engine/hub.ts";
import type { Hint, Store } from "#store/database/store.ts";
import type { OwnedRun } from "#store/runs/run-rows.ts";
import { createTestClock } from "../../../../test/support/server/instance.ts";
import { createAnswers } from "./answers.ts";

function setUp(engine: Store["engine"] = "postgres") {
  const clock = createTestClock();
  const hub = createHub();
  const told: string[] = [];
  const store = {
    engine,
    db: {},
    notify: async (_: unknown, hints: readonly Hint[]) =>
      void told.push(...hints.map(({ topic }) => topic)),
  };
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const answers = createAnswers({ clock, hub, log, store } as never);
  let ended = 0;
  function give(key: string, isDirect = false): ServerResponse {
    const outgoing = new ServerResponse(new IncomingMessage(new Socket()));
    answers.give(
      { scope: "scope", key, isDirect, run: Promise.resolve({} as OwnedRun) },
      outgoing,
      () => (ended += 1),
    );
    return outgoing;
  }
  return {
    answers,
    clock,
    hub,
    told,
    give,
    ended: () => ended,
    /** Checks an equal request whose headers arrive now. */
    isRepeated: (key: string, arrivedAt = clock.monotonic()) => answers.isRepeated(key, arrivedAt),
  };
}

it("an equal request is new while its client waits, and a repeat once the connection broke", () => {
  const { give, isRepeated } = setUp();
  expect(isRepeated("nobody's")).toBeUndefined();
  const outgoing = give("one");
  expect(isRepeated("one")).toBe(false);
  outgoing.emit("close");
  expect(isRepeated("one")).toBe(true);
  give("one");
  expect(isRepeated("one")).toBe(false);
});

it("a fully sent result is repeated no sooner than the client waits, and no later than it retries", () => {
  const { clock, give, isRepeated } = setUp();
  give("direct", true).emit("finish");
  const sentAt = clock.monotonic();
  const after = (ms: number): boolean | undefined => isRepeated("direct", sentAt + ms);
  expect([after(0), after(299), after(300), after(1_000), after(1_001)]).toEqual([
    false,
    false,
    true,
    true,
    false,
  ]);
});

it("a fully sent submit is never repeated, however soon or late an equal one arrives", () => {
  const { clock, ended, give, isRepeated } = setUp();
  const outgoing = give("submit");
  outgoing.emit("finish");
  outgoing.emit("close");
  const sentAt = clock.monotonic();
  expect([0, 600, 1_000, 60_000].map((ms) => isRepeated("submit", sentAt + ms))).toEqual(
    Array(4).fill(false),
  );
  expect(ended()).toBe(1);
});

it("a request that arrived before an answer was sent isn't its repeat, however late it is examined", () => {
  const { clock, give, isRepeated } = setUp();
  const arrivedAt = clock.monotonic();
  clock.advance(5_000);
  give("slow", true).emit("finish");
  clock.advance(500);
  expect([isRepeated("slow", arrivedAt), isRepeated("slow")]).toEqual([false, true]);
});

it("a request whose client was heard from has no repeat, and is forgotten after a while, like lost ones", () => {
  const { answers, clock, give, isRepeated } = setUp();
  give("heard").emit("finish");
  give("lost").emit("close");
  answers.end("heard");
  give("waits");
  clock.advance(120_000);
  answers.forgetOld();
  expect([isRepeated("heard"), isRepeated("lost")]).toEqual([false, true]);
  clock.advance(1);
  answers.forgetOld();
  expect([isRepeated("heard"), isRepeated("lost"), isRepeated("waits")]).toEqual([
    undefined,
    undefined,
    false,
  ]);
});

it("tells another server which requests it knows to be separate, and nothing if news was missed", () => {
  const { answers, hub, told, give } = setUp();
  const lost = give("lost");
  give("waits");
  hub.gap();
  expect(told).toEqual([]);
  lost.emit("close");
  for (const key of ["lost", "waits", "unknown"]) hub.hint(`fal-asked:${key}`);
  expect(told).toEqual(["fal-waited-for:waits"]);
  answers.forget("waits");
  hub.hint("fal-asked:waits");
  expect(told).toHaveLength(1);
});

it("a waiting client's connection is probed, so that a silent disconnect is noticed", () => {
  const { give } = setUp();
  const probe = vi.spyOn(Socket.prototype, "setKeepAlive");
  onTestFinished(() => probe.mockRestore());
  give("silent", true);
  const [isOn, idleMs = 0, betweenMs = 0, times = 0] = probe.mock.calls[0] as unknown as [
    boolean,
    number,
    number,
    number,
  ];
  expect(isOn).toBe(true);
  expect(idleMs + betweenMs * times).toBeLessThan(10_000);
});

it("a single server with its own file asks and waits for nobody", async () => {
  const { answers, told } = setUp("sqlite");
  const waits = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => waits.mockRestore());
  expect(await answers.mayBeRepeatedElsewhere("before a restart")).toBe(true);
  expect([told.length, waits.mock.calls.length]).toEqual([0, 0]);
});
