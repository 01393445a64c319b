import { WebSocket } from "ws";
import type { RunEvent } from "#contract/entities.ts";
import type { ServerFrame } from "#contract/live.ts";
import { shownText } from "./server-client.ts";

/** A test's version of a tab's socket. */
export type LiveSocket = {
  frames: ServerFrame[];
  /** A run's events, in order of arrival. */
  events(runId: string): RunEvent[];
  /** The part of a run's answer shown so far, from live text and events. */
  text(runId: string): string;
  /** Subscribes in one frame, `times` times; `agoMs` is how long ago the tab read its lists. */
  subscribe(topic: string, after: number, more?: { times?: number; agoMs?: number }): void;
  /** Stops reading: data stays in the buffers of the system and the server. */
  pause(): void;
  resume(): void;
  /** Drops the connection without closing it. */
  drop(): void;
  closed: Promise<number>;
};

/**
 * Opens a server's live socket.
 * @throws Error with the status if it is refused
 */
export async function openLive(
  url: string,
  cookie: string,
  headers: Record<string, string> = {},
): Promise<LiveSocket> {
  const ws = new WebSocket(`${url.replace("http", "ws")}/api/v1/live`, {
    headers: { cookie, ...headers },
    perMessageDeflate: false,
  });
  const frames: ServerFrame[] = [];
  ws.on("message", (data) => frames.push(JSON.parse(String(data)) as ServerFrame));
  const closed = new Promise<number>((resolve) => ws.on("close", resolve));
  await new Promise<void>((resolve, reject) => {
    ws.once("open", resolve);
    ws.once("unexpected-response", (_, response) =>
      reject(new Error(`refused: ${response.statusCode}`)),
    );
    ws.once("error", reject);
  });
  ws.on("error", () => undefined);
  return {
    frames,
    events: (runId) =>
      frames.flatMap((frame) =>
        "events" in frame && frame.topic === `run:${runId}` ? frame.events : [],
      ),
    text: (runId) =>
      shownText(
        frames.flatMap((frame): Pick<RunEvent, "type" | "payload">[] => {
          if (!("topic" in frame) || frame.topic !== `run:${runId}`) return [];
          if ("words" in frame) return [{ type: frame.words.type, payload: frame.words }];
          return "events" in frame ? frame.events : [];
        }),
      ),
    subscribe: (topic, after, { times = 1, agoMs } = {}) =>
      ws.send(
        JSON.stringify({
          subscribe: Array.from({ length: times }, () => ({ topic, after, agoMs })),
        }),
      ),
    pause: () => ws.pause(),
    resume: () => ws.resume(),
    drop: () => ws.terminate(),
    closed,
  };
}
