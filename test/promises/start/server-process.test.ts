import { expect, it } from "vitest";
import { forEachEmptyDatabase } from "../../support/databases/databases.ts";
import { startServer } from "../../support/server/server-process.ts";
import { sourceScript } from "../../support/server/server-script.ts";

forEachEmptyDatabase((_name, create) => {
  // Every other test starts the bundle.
  it("the server starts from its source, answers, shows its set-up link, and stops with code 0 on request", async () => {
    const { dataFolder, env } = await create();
    const server = await startServer({ dataFolder, env, script: sourceScript });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(server.setupLink).toMatch(new RegExp(`^${server.url}/setup#code=[\\w-]{20,}$`));
    expect(await server.stop()).toEqual({ code: 0, signal: null });
  });

  it("a killed server starts again on the same data", async () => {
    const { dataFolder, env } = await create();
    const first = await startServer({ dataFolder, env });
    await first.kill9();
    const second = await startServer({ dataFolder, env });
    expect((await fetch(`${second.url}/readyz`)).status).toBe(200);
    expect(await second.stop("SIGINT")).toEqual({ code: 0, signal: null });
  });
});
