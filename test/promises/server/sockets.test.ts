import { once } from "node:events";
import { connect } from "node:net";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { createTestDatabase } from "../../support/databases/databases.ts";
import { until } from "../../support/server/instance.ts";
import { setUpServer } from "../../support/server/server-client.ts";
import { startServer } from "../../support/server/server-process.ts";

it("a socket reset during its sign-in check doesn't stop the server", async () => {
  const { dataFolder, env, databaseUrl } = await createTestDatabase("postgres");
  const server = await startServer({ dataFolder, env });
  onTestFinished(async () => void (await server.stop()));
  const client = await setUpServer(server);
  const database = new pg.Client({ connectionString: databaseUrl ?? "" });
  await database.connect();
  onTestFinished(() => database.end());
  // The session lookup waits for a lock, so that the reset certainly happens in between.
  await database.query('begin; lock table "session" in access exclusive mode');
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write(
    `GET /api/v1/live HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncookie: ${client.cookie}\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  await until("the server waits for the lock", async () => {
    const { rows } = await database.query("select 1 from pg_locks where not granted");
    return rows.length > 0;
  });
  socket.resetAndDestroy();
  await once(socket, "close");
  await database.query("commit");
  expect((await client.call("getMe")).status).toBe(200);
  expect(server.child.exitCode).toBeNull();
});
