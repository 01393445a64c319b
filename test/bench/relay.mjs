/**
 * The minimum that a gateway in Node can do: forwards a request and its answer over keep-alive
 * connections, with no sign-in and no record. It is the baseline for what other gateways add.
 * Prints its address; SIGTERM ends it.
 * Usage: node relay.mjs <address of the provider>
 */
import { Agent, createServer, request } from "node:http";

const provider = new URL(process.argv[2]);
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

const server = createServer((incoming, outgoing) => {
  const asked = request(
    {
      host: provider.hostname,
      port: provider.port,
      path: provider.pathname.replace(/\/$/, "") + incoming.url,
      method: incoming.method,
      headers: { ...incoming.headers, host: provider.host },
      agent,
    },
    (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    },
  );
  asked.on("error", (error) => outgoing.destroy(error));
  incoming.pipe(asked);
});
server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }, () =>
  console.log(`http://127.0.0.1:${server.address().port}`),
);
