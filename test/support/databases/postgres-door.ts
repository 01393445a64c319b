import { createServer, connect as openSocket, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Whether bytes contain a simple COMMIT query of PostgreSQL's protocol. */
const isCommit = (bytes: Buffer): boolean => /commit\0/i.test(bytes.toString("latin1"));

export type Door = Awaited<ReturnType<typeof startDoor>>;

/**
 * A proxy between a server and its PostgreSQL. It passes everything on, makes new connections wait,
 * or breaks a connection at its commit, before the database receives it or before its answer
 * returns. Ends with the test.
 */
export async function startDoor(databaseUrl: string) {
  const inside = new URL(databaseUrl);
  const through = new Set<Socket>();
  const waiting = new Set<Socket>();
  let open = true;
  let comers = 0;
  let commits = 0;
  let atCommit: (count: number) => "pass" | "lose-request" | "lose-reply" = () => "pass";

  function pass(socket: Socket): void {
    const far = openSocket(Number(inside.port), inside.hostname).on("error", () =>
      socket.destroy(),
    );
    let isDeaf = false;
    through.add(socket.on("close", () => through.delete(socket)));
    socket.on("data", (bytes: Buffer) => {
      const fate = isCommit(bytes) ? atCommit(++commits) : "pass";
      if (fate === "lose-request") return socket.destroy();
      isDeaf = fate === "lose-reply";
      far.write(bytes);
    });
    far.on("data", (bytes: Buffer) => (isDeaf ? socket.destroy() : socket.write(bytes)));
    far.on("close", () => socket.destroy());
    socket.on("close", () => far.destroy());
  }

  const server = createServer((socket) => {
    comers++;
    socket.on("error", () => undefined);
    if (open) pass(socket);
    else waiting.add(socket.on("close", () => waiting.delete(socket)).resume());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of [...through, ...waiting]) socket.destroy();
    server.close();
  });
  const address = server.address();
  const url = new URL(databaseUrl);
  url.port = String(typeof address === "object" && address ? address.port : 0);
  return {
    url: url.href,
    comers: () => comers,
    waiting: () => waiting.size,
    /** Decides the fate of each commit from now on. */
    onCommit(decide: typeof atCommit) {
      commits = 0;
      atCommit = decide;
    },
    shut() {
      open = false;
      for (const socket of through) socket.destroy();
    },
    open() {
      open = true;
    },
    refuse() {
      for (const socket of waiting) socket.destroy();
    },
  };
}
