import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { drawPath } from "#contract/draw.ts";
import { limits } from "#contract/limits.ts";
import type { NeededScope } from "#contract/routes/scopes.ts";
import { hasNeededScope } from "#domain/people/policy.ts";
import { readBearer } from "../auth/bearer.ts";
import { actorOf, credentialsOf, identify, type SignedIn } from "../auth/identify.ts";
import { isOwnHost, readClientConnection } from "../client-connection.ts";
import type { ServerDeps } from "../deps.ts";
import { isSameOrigin } from "../origin.ts";
import { serveDraw } from "./draw.ts";
import { liveFrameBytes, livePath, serveLive } from "./live.ts";

type Door = {
  sockets: WebSocketServer;
  /** The scopes, one of which a key needs; "never" admits only signed-in people. */
  scopes: NeededScope;
  serve(ws: WebSocket, me: SignedIn, incoming: IncomingMessage): void;
};

/**
 * Attaches the WebSocket endpoints. Authentication and the origin are checked before the upgrade.
 */
export function attachSockets(
  server: Server,
  deps: ServerDeps,
  slowReaderMs?: number,
): { close(): void; size(): number } {
  const createDoor = (maxBytes: number): WebSocketServer =>
    new WebSocketServer({ noServer: true, maxPayload: maxBytes, perMessageDeflate: false });
  const doors: Record<string, Door> = {
    [livePath]: {
      sockets: createDoor(liveFrameBytes),
      scopes: ["runs:read"],
      serve: (ws, me, incoming) => serveLive(ws, deps, me, incoming, slowReaderMs),
    },
    [drawPath]: {
      sockets: createDoor(limits.drawingBytes),
      scopes: "never",
      serve: (ws, me, incoming) => serveDraw(ws, deps, me, incoming),
    },
  };
  const all = Object.values(doors).map(({ sockets }) => sockets);
  /** Open sockets by person, across all endpoints and keys. */
  const open = new Map<string, number>();
  const count = (userId: string, change: 1 | -1): void => {
    const left = (open.get(userId) ?? 0) + change;
    if (left > 0) open.set(userId, left);
    else open.delete(userId);
  };

  const onUpgrade = (incoming: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // From here on no other handler receives this socket's errors, and an unhandled one ends the
    // process.
    const onError = (): void => void socket.destroy();
    socket.on("error", onError);
    const path = incoming.url?.split("?")[0] ?? "";
    const door = Object.hasOwn(doors, path) ? doors[path] : undefined;
    const accepted = door ? accept(incoming, door.scopes) : Promise.resolve(undefined);
    accepted.then(
      (me) => {
        if (socket.destroyed) return;
        if (!me || !door) return refuse(socket, "401 Unauthorized");
        const userId = me.user.id;
        if ((open.get(userId) ?? 0) >= limits.socketsPerPerson)
          return refuse(socket, "429 Too Many Requests");
        count(userId, 1);
        socket.once("close", () => count(userId, -1));
        socket.off("error", onError);
        door.sockets.handleUpgrade(incoming, socket, head, (ws) => door.serve(ws, me, incoming));
      },
      (error) => {
        deps.log.error({ error: String(error) }, "a socket could not be opened");
        refuse(socket, "500 Internal Server Error");
      },
    );
  };
  async function accept(
    incoming: IncomingMessage,
    scopes: NeededScope,
  ): Promise<SignedIn | undefined> {
    const line = readClientConnection(incoming, deps.settings);
    if (!isOwnHost(line.host, deps.settings.publicUrl)) return undefined;
    const headers = credentialsOf(incoming);
    const isFromPage = readBearer(headers) === undefined;
    if (
      isFromPage &&
      !isSameOrigin(
        { origin: incoming.headers.origin, fetchSite: undefined },
        line,
        deps.settings.publicUrl,
      )
    )
      return undefined;
    const me = await identify(deps, { headers, encrypted: line.encrypted });
    return me && hasNeededScope(actorOf(me), scopes) ? me : undefined;
  }
  server.on("upgrade", onUpgrade);
  return {
    close() {
      server.off("upgrade", onUpgrade);
      for (const sockets of all) {
        for (const ws of sockets.clients) ws.close(1012, "the server stops");
        sockets.close();
      }
    },
    size: () => all.reduce((sum, { clients }) => sum + clients.size, 0),
  };
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
