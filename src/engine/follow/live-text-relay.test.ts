import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { limits } from "#contract/limits.ts";
import type { LiveArguments, LiveText } from "#contract/live-text.ts";
import type { Hint } from "#store/database/store.ts";
import { runHint } from "#store/runs/unit.ts";
import type { EngineDeps } from "../deps.ts";
import { createHub } from "../hub.ts";
import { createLiveTextRelay } from "./live-text-relay.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const words = (offset: number, text: string): LiveText => ({
  type: "text-delta",
  attempt: 1,
  offset,
  text,
});

/** Servers of one database whose notifications arrive immediately. */
function openServers(...ids: string[]) {
  const sent: { from: string; hints: readonly Hint[] }[] = [];
  const servers = new Map(
    ids.map((id) => {
      const hub = createHub();
      const exchange = createLiveTextRelay({
        hub,
        clock: { now: () => Date.now(), monotonic: () => Date.now() },
        log: { warn: () => undefined },
        store: { notify: async (_: unknown, hints: readonly Hint[]) => tell(id, hints) },
      } as unknown as EngineDeps);
      return [id, { hub, exchange }];
    }),
  );
  function tell(from: string, hints: readonly Hint[]): void {
    sent.push({ from, hints });
    for (const [id, { exchange }] of servers)
      for (const hint of hints)
        if (id !== from && (hint.serverId ?? id) === id) exchange.receive(hint, from);
  }
  /** Starts to watch a run, reading the log first. */
  function watch(id: string, runId = "r") {
    const { hub } = servers.get(id)!;
    const heard: string[] = [];
    const leave = hub.subscribe(runHint(runId), ({ words }) => {
      if (words) heard.push(`${words.offset} ${words.text}`);
    });
    for (const { offset, text } of hub.unwritten(runId)) heard.push(`${offset} ${text}`);
    return { heard, leave };
  }
  return { sent, watch, tell, hub: (id: string) => servers.get(id)!.hub };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

it("words go only to servers that watch, in one notice per 100 ms", async () => {
  const { sent, watch, hub } = openServers("owner", "watcher", "other");
  const { heard } = watch("watcher");
  await pass(0);
  sent.splice(0);
  hub("owner").say("r", words(0, "one"));
  await pass(0);
  expect(heard).toEqual(["0 one"]);
  hub("owner").say("r", words(3, " two"));
  hub("owner").say("r", words(7, " three"));
  hub("owner").say("unwatched", words(0, "x"));
  await pass(limits.eventPauseMs - 1);
  expect(heard).toEqual(["0 one"]);
  await pass(1);
  expect(heard).toEqual(["0 one", "3  two three"]);
  expect(sent).toHaveLength(2);
  expect(sent.flatMap(({ hints }) => hints).every(({ serverId }) => serverId === "watcher")).toBe(
    true,
  );
});

it("a viewer who joins in the middle gets the unwritten words", async () => {
  const { watch, hub } = openServers("owner", "watcher");
  hub("owner").speaks("r", () => [words(3, " two"), words(7, " three")]);
  const { heard } = watch("watcher");
  await pass(limits.eventPauseMs);
  expect(heard).toEqual(["3  two three"]);
  const later = watch("watcher");
  await pass(limits.eventPauseMs);
  expect(later.heard).toEqual(["3  two three"]);
});

it("unwatched words are no longer sent, until somebody watches again", async () => {
  const { sent, watch, hub } = openServers("owner", "watcher");
  const first = watch("watcher");
  await pass(limits.eventPauseMs);
  first.leave();
  hub("owner").say("r", words(0, "one"));
  await pass(2 * limits.eventPauseMs);
  sent.splice(0);
  hub("owner").say("r", words(3, " two"));
  await pass(limits.eventPauseMs);
  expect(sent).toEqual([]);
  const second = watch("watcher");
  await pass(limits.eventPauseMs);
  hub("owner").say("r", words(7, " three"));
  await pass(limits.eventPauseMs);
  expect(second.heard).toEqual(["7  three"]);
});

it("a server whose question was lost asks again when words that it missed reach the log", async () => {
  const { watch, tell, hub } = openServers("owner", "watcher");
  hub("watcher").subscribe(runHint("r"), () => undefined);
  const { heard } = watch("watcher");
  // The run has no answer yet, and the request is forgotten in the meantime.
  await pass(120_000);
  watch("watcher", "another");
  await pass(limits.eventPauseMs);
  hub("owner").speaks("r", () => [words(3, " two")]);
  hub("owner").say("r", words(0, "one"));
  await pass(limits.eventPauseMs);
  expect(heard).toEqual([]);
  const detail = JSON.stringify({ events: [{ type: "text-delta", payload: { text: "one" } }] });
  tell("owner", [{ topic: runHint("r"), detail }]);
  await pass(2 * limits.eventPauseMs);
  expect(heard).toEqual(["3  two"]);
});

it("long words are sent in hints that each fit into a notice, whatever their characters", async () => {
  const { sent, watch, hub } = openServers("owner", "watcher");
  const { heard } = watch("watcher");
  await pass(limits.eventPauseMs);
  sent.splice(0);
  const text = "\u0001🙂\\".repeat(2_000);
  hub("owner").say("r", words(0, text));
  await pass(limits.eventPauseMs);
  const said = heard.map((one) => one.slice(one.indexOf(" ") + 1));
  expect(said.join("")).toBe(text);
  for (const { topic, detail = "" } of sent.flatMap(({ hints }) => hints))
    expect(Buffer.byteLength(topic + detail)).toBeLessThan(7_900);
});

it("a burst too large for a notice is left to the log", async () => {
  const { sent, watch, hub } = openServers("owner", "watcher");
  const { heard } = watch("watcher");
  await pass(limits.eventPauseMs);
  sent.splice(0);
  const piece = "x".repeat(30_000);
  for (let i = 0; i < 10; i++) hub("owner").say("r", words(i * piece.length, piece));
  await pass(limits.eventPauseMs);
  const sum = heard.reduce((all, one) => all + one.length, 0);
  expect(sum).toBeGreaterThan(100_000);
  expect(sum).toBeLessThan(200_000);
});

it("arguments of calls travel with the words, each call on its own, and its name first", async () => {
  const { sent, watch, hub } = openServers("owner", "watcher");
  const piece = (call: number, offset: number, text: string): LiveArguments => ({
    type: "arguments-delta",
    attempt: 1,
    call,
    name: "write",
    offset,
    text,
  });
  const { heard } = watch("watcher");
  await pass(0);
  sent.splice(0);
  hub("owner").say("r", piece(0, 0, ""));
  await pass(0);
  expect(heard).toEqual(["0 "]);
  for (const [call, offset, text] of [
    [0, 0, '{"a"'],
    [0, 4, ":1}"],
    [1, 0, "{}"],
  ] as const)
    hub("owner").say("r", piece(call, offset, text));
  await pass(limits.eventPauseMs);
  expect(heard.slice(1)).toEqual(['0 {"a":1}', "0 {}"]);
  expect(sent).toHaveLength(2);
});
