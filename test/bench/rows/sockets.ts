import type { WebSocket } from "ws";
import type { ServerFrame } from "#contract/live.ts";
import type { Bench } from "../bench.ts";
import {
  atMost,
  beside,
  contention,
  type Figure,
  percentile,
  type Row,
  round,
} from "../figures.ts";
import { openStudio, type Person, type Studio } from "../studio.ts";

const sockets = 1_000;
/** Sockets that open at the same moment, like a browser's tabs after a restart. */
const openedAtOnce = 50;
const waitMs = 5_000;

async function measure(bench: Bench): Promise<Figure[]> {
  const studio = await openStudio(bench, {
    provider: { tokens: 1, firstTokenMs: 0, betweenMs: 0 },
    conversationsEach: 1,
  });
  try {
    const since = performance.now();
    const open: WebSocket[] = [];
    while (open.length < sockets)
      open.push(
        ...(await Promise.all(Array.from({ length: openedAtOnce }, () => watchProject(studio)))),
      );
    const openedMs = performance.now() - since;
    const memory = studio.server.memoryMb().now;
    const teller = studio.nextPerson();
    const conversationId = teller.nextConversation();
    // Everyone in the project is notified.
    await teller.session.call("updateConversation", {
      params: { conversationId },
      body: { visibility: "project" },
    });
    const rounds = bench.long ? 50 : 10;
    const took: number[] = [];
    let lost = 0;
    const before = studio.server.coreTime();
    for (let round = 0; round < rounds; round++) {
      const arrivals = await tellAll(teller, open, conversationId, `Round ${round}`);
      took.push(...arrivals);
      lost += sockets - arrivals.length;
    }
    for (const socket of open) socket.terminate();
    return [
      atMost(
        "1,000 idle sockets, one event each: lost",
        lost,
        0,
        "events",
        `of ${sockets * rounds}`,
      ),
      atMost(
        "1,000 idle sockets, one event each: p99",
        percentile(took, 0.99),
        100,
        "ms",
        `from the change asked for to its arrival; p50 ${round(percentile(took, 0.5))} ms`,
      ),
      contention(before, studio.server.coreTime()),
      beside("  opening them, memory with them", `${round(openedMs)} ms, ${round(memory)} MB`),
    ];
  } finally {
    await studio.stop();
  }
}

/**
 * A tab that watches its project from now on; ready when the server has sent the feed's position.
 */
async function watchProject(studio: Studio): Promise<WebSocket> {
  const socket = await studio.nextPerson().session.openSocket();
  const placed = new Promise<void>((resolve, reject) => {
    socket.once("message", () => resolve());
    socket.once("close", (code) => reject(new Error(`a socket was closed (${code})`)));
  });
  socket.send(JSON.stringify({ subscribe: [{ topic: `project:${studio.projectId}`, after: -1 }] }));
  await placed;
  return socket;
}

/**
 * Makes one change and returns the times at which the sockets were notified; those not notified
 * within 5 s are missing.
 */
async function tellAll(
  { session }: Person,
  open: readonly WebSocket[],
  conversationId: string,
  title: string,
): Promise<number[]> {
  const arrivals: number[] = [];
  const since = performance.now();
  const heard = open.map(
    (socket) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        socket.once("message", (message) => {
          clearTimeout(timer);
          if ("changes" in (JSON.parse(String(message)) as ServerFrame))
            arrivals.push(performance.now() - since);
          resolve();
        });
      }),
  );
  await session.call("updateConversation", { params: { conversationId }, body: { title } });
  await Promise.all(heard);
  return arrivals;
}

export const idleSockets: Row<Bench> = {
  name: "sockets",
  what: "1,000 idle live sockets, one event each",
  measure,
};
