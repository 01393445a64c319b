import { Socket } from "node:net";
import pg from "pg";
import type { Hint } from "./store.ts";

const channel = "bottega";
/** PostgreSQL's limit for a notice is below 8,000 bytes. */
const noticeBytes = 7_999;
const connectMs = 10_000;
const againMs = 500;

const ownChannel = (serverId: string): string => `${channel}_${serverId}`;

/**
 * Packs hints into as few notices as possible. A notice starts with the sender's server id, so that
 * a server ignores its own; then comes one hint per line.
 */
export function noticesOf(
  senderId: string,
  hints: readonly Hint[],
): { channel: string; payload: string }[] {
  const most = noticeBytes - senderId.length;
  const notices: { channel: string; payload: string }[] = [];
  for (const [serverId, grouped] of Map.groupBy(hints, (hint) => hint.serverId)) {
    let lines = "";
    let bytes = 0;
    const to = serverId === undefined ? channel : ownChannel(serverId);
    const end = (): void => void notices.push({ channel: to, payload: `${senderId}${lines}` });
    for (const { topic, detail } of grouped) {
      const whole = detail === undefined ? `\n${topic}` : `\n${topic} ${detail}`;
      const line = Buffer.byteLength(whole) > most ? `\n${topic}` : whole;
      const more = Buffer.byteLength(line);
      if (bytes + more > most) {
        end();
        [lines, bytes] = ["", 0];
      }
      lines += line;
      bytes += more;
    }
    end();
  }
  return notices;
}

function readHint(line: string): Hint {
  const space = line.indexOf(" ");
  return space < 0
    ? { topic: line }
    : { topic: line.slice(0, space), detail: line.slice(space + 1) };
}

/**
 * Holds one connection that listens to the other servers of the database. When it breaks, a single
 * loop with one timer reopens it, and `onGap` makes listeners read the rows for anything missed.
 * @throws the error of the first connect
 * @returns a function that stops listening at any time
 */
export async function listen(
  url: string,
  serverId: string,
  on: { hint(hint: Hint, serverId: string): void; gap(): void; error(error: Error): void },
): Promise<() => Promise<void>> {
  let closed = false;
  let socket: Socket | undefined;
  let client: pg.Client | undefined;
  let again: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const own = new Socket();
    socket = own;
    const fresh = new pg.Client({
      connectionString: url,
      application_name: "bottega-listen",
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: connectMs,
      stream: () => own,
    });
    // A failed connect reports twice, by rejecting and by "end": only the end of an established
    // connection counts.
    let hears = false;
    let ended = false;
    fresh.on("error", on.error);
    fresh.on("end", () => {
      ended = true;
      if (hears) connectLater();
    });
    fresh.on("notification", ({ payload = "" }) => {
      const [senderId = "", ...lines] = payload.split("\n");
      if (senderId !== serverId) for (const line of lines) on.hint(readHint(line), senderId);
    });
    try {
      await fresh.connect();
      await fresh.query(`listen ${channel}; listen "${ownChannel(serverId)}"`);
      if (ended || closed) throw new Error("the connection ended while it began to listen");
    } catch (error) {
      own.destroy();
      throw error;
    }
    hears = true;
    client = fresh;
    on.gap();
  }

  function connectLater(): void {
    client = undefined;
    if (closed) return;
    again = setTimeout(() => {
      connect().catch((error: Error) => {
        if (!closed) on.error(error);
        connectLater();
      });
    }, againMs);
  }

  await connect();
  return async () => {
    closed = true;
    clearTimeout(again);
    if (client) await client.end().catch(() => undefined);
    // A connection that is still being set up can't be ended gracefully.
    else socket?.destroy();
  };
}
