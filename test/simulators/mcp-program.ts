import { createInterface } from "node:readline";

/**
 * A tool server over stdio, implemented from the specification (basic/transports, stdio): one
 * message per line. It reports its environment, counts its calls, and can exit in the middle of
 * one.
 */
const write = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const tools = ["environment", "count", "die"].map((name) => ({
  name,
  description: name,
  inputSchema: { type: "object" },
}));
let calls = 0;

process.stderr.write("ready to work\n");
if (process.argv[2] === "broken") {
  process.stderr.write(`the licence ${process.env.LICENCE} is over\n`);
  process.exit(3);
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line) as {
    id?: number;
    method: string;
    params: { protocolVersion: string; name: string };
  };
  if (id === undefined) continue;
  if (method === "initialize")
    write({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "program", version: "1" },
      },
    });
  else if (method === "tools/list") write({ id, result: { tools } });
  else if (method === "tools/call" && params.name === "die") process.exit(1);
  else if (method === "tools/call") {
    calls++;
    const text =
      params.name === "count"
        ? `${process.pid} ${calls}`
        : JSON.stringify({ ...process.env, folder: process.cwd() });
    write({ id, result: { content: [{ type: "text", text }] } });
  } else write({ id, error: { code: -32601, message: "Method not found" } });
}
