import { afterEach, expect, it, vi } from "vitest";
import { type ClientFrame, liveTopicsMost } from "#contract/live.ts";
import { createLive } from "./live.ts";

/** A socket that opens on demand and records the frames sent to it. */
class Line {
  static readonly OPEN = 1;
  static last: Line;
  readyState = 0;
  onopen?: () => void;
  onmessage?: (message: { data: string }) => void;
  onclose?: (close: { code: number }) => void;
  readonly frames: ClientFrame[] = [];

  constructor() {
    Line.last = this;
  }
  send(text: string): void {
    this.frames.push(JSON.parse(text));
  }
  open(): void {
    this.readyState = Line.OPEN;
    this.onopen?.();
  }
  close(): void {
    this.onclose?.({ code: 1006 });
  }
}

afterEach(() => void vi.unstubAllGlobals());

it("a lost network counts if the server can't be reached without it, as on another machine", () => {
  const network = new EventTarget();
  vi.stubGlobal("WebSocket", Line);
  vi.stubGlobal("location", { protocol: "http:", host: "studio" });
  vi.stubGlobal(
    "window",
    Object.assign(network, { setTimeout: () => 0, clearTimeout: () => undefined }),
  );
  vi.stubGlobal("document", new EventTarget());
  vi.stubGlobal("navigator", { onLine: false });
  const live = createLive();
  live.watch("run:1", -1, () => undefined);
  Line.last.open();
  const before = Line.last;
  network.dispatchEvent(new Event("offline"));
  expect(Line.last).not.toBe(before);
  expect(live.status.isDown()).toBe(false);
  Line.last.close();
  expect(live.status.isDown()).toBe(true);
  network.dispatchEvent(new Event("online"));
  Line.last.open();
  expect(live.status.isDown()).toBe(false);
});

it("a tab that returns subscribes to all its topics again, in frames that the server accepts", () => {
  vi.stubGlobal("WebSocket", Line);
  vi.stubGlobal("location", { protocol: "http:", host: "studio" });
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("document", new EventTarget());
  const live = createLive();
  const topics = Array.from({ length: 2 * liveTopicsMost + 1 }, (_, place) => `run:${place}`);
  for (const topic of topics) live.watch(topic, -1, () => undefined);
  Line.last.open();
  const named = Line.last.frames.map((frame) =>
    "subscribe" in frame ? frame.subscribe.map(({ topic }) => topic) : [],
  );
  expect(named.map(({ length }) => length)).toEqual([liveTopicsMost, liveTopicsMost, 1]);
  expect(named.flat()).toEqual(topics);
});

it("a repeated event is shown once, also if the server repeats what a tab has", () => {
  vi.stubGlobal("WebSocket", Line);
  vi.stubGlobal("location", { protocol: "http:", host: "studio" });
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("document", new EventTarget());
  const shown: number[] = [];
  createLive().watch("run:1", 2, (frame) => {
    if ("events" in frame) shown.push(...frame.events.map(({ seq }) => seq));
  });
  Line.last.open();
  const send = (...seqs: number[]) =>
    Line.last.onmessage?.({
      data: JSON.stringify({ topic: "run:1", events: seqs.map((seq) => ({ seq })) }),
    });
  send(1, 2, 3);
  send(2, 3);
  send(3, 4);
  expect(shown).toEqual([3, 4]);
});
