import { Socket } from "node:net";
import pg from "pg";

const channel = "bottega";
const connectMs = 10_000;
const againMs = 500;

/** What goes over the channel: who said it and what happened, so that a server does not hear itself. */
export const notice = (senderId: string, hint: string) => ({
  channel,
  payload: `${senderId} ${hint}`,
});

/**
 * One connection that listens to the other servers of the database. When it breaks, it is reopened by one loop with one
 * timer, and what was missed is for the rows to tell (`onGap`).
 * @throws what the first connect throws
 * @returns a function that ends it at any time
 */
export async function listen(
  url: string,
  senderId: string,
  on: { hint(hint: string): void; gap(): void; error(error: Error): void },
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
    // A connect that fails says so twice, by rejecting and by "end": only the end of one that had succeeded counts.
    let hears = false;
    let ended = false;
    fresh.on("error", on.error);
    fresh.on("end", () => {
      ended = true;
      if (hears) connectLater();
    });
    fresh.on("notification", ({ payload = "" }) => {
      if (!payload.startsWith(`${senderId} `)) on.hint(payload.slice(payload.indexOf(" ") + 1));
    });
    try {
      await fresh.connect();
      await fresh.query(`listen ${channel}`);
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
    // In the middle of a connect nobody answers a farewell.
    else socket?.destroy();
  };
}
