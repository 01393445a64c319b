import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { createEmptyDatabase, forEachEmptyDatabase } from "../../support/databases/databases.ts";
import { until } from "../../support/server/instance.ts";
import { setUpServer } from "../../support/server/server-client.ts";
import { startServer } from "../../support/server/server-process.ts";
import { createTempFolder } from "../../support/temp.ts";

it("a server whose port is taken starts no work", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await once(other, "listening");
  const { dataFolder } = await createEmptyDatabase("sqlite");
  const start = startServer({
    dataFolder,
    env: { PORT: String((other.address() as AddressInfo).port) },
  });
  await expect(start).rejects.toThrow(/is in use/);
  const database = new DatabaseSync(join(dataFolder, "bottega.db"), { readOnly: true });
  onTestFinished(() => database.close());
  expect(database.prepare("select count(*) as workers from worker").get()).toEqual({ workers: 0 });
});

it("a server with another master key doesn't start on a database, and says why in one sentence", async () => {
  const { env } = await createEmptyDatabase("postgres");
  const other = createTempFolder("key");
  const withKey = (key: string) =>
    startServer({
      dataFolder: env.BOTTEGA_DATA,
      env: { ...env, BOTTEGA_MASTER_KEY: key.repeat(32) },
    });
  const first = await withKey("5f");
  await first.stop();
  await expect(withKey("a0")).rejects.toThrow(
    /\nThe master key is not the one that this database was set up with\. [^\n]+\n$/,
  );
  await expect(
    startServer({ dataFolder: other, env: { ...env, BOTTEGA_DATA: other } }),
  ).rejects.toThrow(/master key/);
  const again = await withKey("5F");
  expect(await again.stop()).toEqual({ code: 0, signal: null });
});

forEachEmptyDatabase((_, create) => {
  it("a stopping server answers its started requests, with the database still open", async () => {
    const { dataFolder, env } = await create();
    const server = await startServer({ dataFolder, env });
    onTestFinished(() => server.kill9());
    const client = await setUpServer(server);
    const uploading = request(
      `${server.url}/api/v1/uploads?projectId=${client.projectId}&name=half.txt`,
      {
        method: "POST",
        headers: { cookie: client.cookie, "content-type": "text/plain" },
      },
    );
    const answered = once(uploading, "response");
    uploading.write("one half, ");
    await until("the upload has begun", async () => uploading.socket?.bytesWritten);
    const ended = server.stop();
    await until("it stops", async () => server.output().includes("Bottega stops"));
    uploading.end("and the other");
    const [response] = await answered;
    expect(response.statusCode).toBe(200);
    response.resume();
    expect(await ended).toEqual({ code: 0, signal: null });
  });
});
