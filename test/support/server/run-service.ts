import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { RunNeed } from "../contracts/run-context.ts";

/**
 * Gives test files, which run in separate processes, resources that are created once for all of
 * them or by one process: POST /<need> answers plain text. Nothing is started before it is
 * requested, so a run that needs none doesn't wait.
 */
export async function startRunService(
  answers: Record<RunNeed, () => Promise<string>>,
): Promise<{ url: string; stop(): void }> {
  const server = createServer((request, response) => {
    const answer =
      request.method === "POST" ? answers[request.url?.slice(1) as RunNeed] : undefined;
    if (!answer) {
      response.writeHead(404).end();
      return;
    }
    answer().then(
      (text) => response.end(text),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
