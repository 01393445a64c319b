import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type PostgresCluster, startPostgres } from "./postgres.ts";

/**
 * Gives test files, which run in processes of their own, databases of one shared cluster. The cluster starts with the first
 * request, so that a run without PostgreSQL does not wait for it.
 */
export async function startDatabaseService(): Promise<{ url: string; stop(): Promise<void> }> {
  let cluster: Promise<PostgresCluster> | null = null;
  const server = createServer((request, response) => {
    if (request.method !== "POST") {
      response.writeHead(405).end();
      return;
    }
    cluster ??= startPostgres();
    cluster
      .then((postgres) => postgres.createDatabase())
      .then(
        (url) => response.end(url),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await (await cluster?.catch(() => null))?.stop();
    },
  };
}
