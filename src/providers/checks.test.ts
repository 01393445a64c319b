import { expect, it, onTestFinished } from "vitest";
import { startMcp } from "../../test/simulators/mcp.ts";
import { buildContext } from "../../test/support/contracts/attempt.ts";
import { columns } from "../../test/support/refusals/index.ts";
import { mcp } from "./services/mcp/adapter.ts";

/** Built-in models have no provider to check. */
const asking = columns.filter(({ adapter }) => adapter.kind !== "builtin");
const byKind = new Map(asking.map((column) => [column.adapter.kind, column]));

it.each([...byKind])("checking %s sends only free requests", async (_kind, column) => {
  const started = await column.start();
  onTestFinished(() => started.simulator.stop());
  const { origin, origins = [origin], connection } = started;
  // `wire` records only attempts that may cost something.
  const { context, wire } = buildContext({
    origin,
    connection,
    outbound: { privateOrigins: origins },
  });
  await expect(column.adapter.check({ ...context, ...started.context })).resolves.toMatchObject({
    message: expect.any(String),
  });
  expect(wire).toEqual([]);
});

it("checking mcp sends only free requests: it opens a session and lists the tools by POST, and calls none", async () => {
  const key = "tools-key-1234567890";
  const server = await startMcp({ key });
  onTestFinished(() => server.stop());
  const { context, wire } = buildContext({
    origin: server.origin,
    connection: {
      kind: "mcp",
      addresses: { server: server.url },
      options: {},
      secret: JSON.stringify({ key: key }),
    },
  });
  expect(await mcp.check(context)).toMatchObject({ message: expect.stringMatching(/tools?\./) });
  expect(wire).toEqual([]);
});
