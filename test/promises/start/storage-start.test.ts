import { expect, it, onTestFinished } from "vitest";
import { openBlobStorage } from "#blobs/open-storage.ts";
import { startS3 } from "../../simulators/s3/s3.ts";
import { runBottega } from "../../support/server/run-command.ts";
import { setUpServer, uploadToServer } from "../../support/server/server-client.ts";
import { startServer } from "../../support/server/server-process.ts";
import { startBusyStudio, startCopy, stateOf } from "../../support/studio/busy-studio.ts";
import { createTempFolder } from "../../support/temp.ts";

async function startBucket() {
  const s3 = await startS3();
  onTestFinished(() => s3.stop());
  const env = { AWS_ACCESS_KEY_ID: s3.accessKeyId, AWS_SECRET_ACCESS_KEY: s3.secretAccessKey };
  const serve = async (
    changed: Record<string, string> = {},
    dataFolder = createTempFolder("server"),
  ) => {
    const server = await startServer({ dataFolder, env: { BLOB_URL: s3.url, ...env, ...changed } });
    onTestFinished(() => server.kill9());
    return server;
  };
  return { s3, env, serve };
}

it.each([
  [
    "a bucket that is not there",
    (url: string) => ({ BLOB_URL: url.replace("bottega-test", "another") }),
    "no such bucket (NoSuchBucket). Check BLOB_URL",
  ],
  ["a wrong key", () => ({ AWS_SECRET_ACCESS_KEY: "wrong" }), "Check AWS_ACCESS_KEY_ID"],
  [
    "a storage that is away",
    () => ({ BLOB_URL: "s3://b?endpoint=http://127.0.0.1:9" }),
    "could not be reached",
  ],
])("%s is reported at the start, by /readyz and to admins", async (_, changed, words) => {
  const { s3, serve } = await startBucket();
  const server = await serve(changed(s3.url));
  expect(server.output()).toContain(words);
  const ready = await fetch(`${server.url}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining(words)]);
  const client = await setUpServer(server);
  expect((await client.call("getStorage")).body).toMatchObject({
    trouble: expect.stringContaining(words),
  });
});

it("a storage failure at run time is reported by /readyz and to admins as soon as new work is refused for it", async () => {
  const { s3, serve } = await startBucket();
  const server = await serve();
  const client = await setUpServer(server);
  expect((await client.call("getStorage")).body).toMatchObject({ files: "owner", trouble: null });
  s3.failNext({ operation: "PutObject", mode: "refuse", times: 100 });
  const upload = () => uploadToServer(client, "a.bin", new Uint8Array([0, 1, 2, 250]));
  for (const _ of ["tried", "not tried any more"]) await expect(upload()).rejects.toThrow("503");
  expect((await client.call("getStorage")).body).toMatchObject({
    files: "owner",
    trouble: "The file storage failed (InternalError).",
  });
  const ready = await fetch(`${server.url}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([
    200,
    "ok, but: The file storage failed (InternalError).",
  ]);
});

it("a server with another instance's bucket says so, and changes nothing in it", async () => {
  const { s3, serve } = await startBucket();
  const first = await setUpServer(await serve());
  await uploadToServer(first, "a.bin", new Uint8Array([0, 1, 2, 250]));
  const [before, mark] = [s3.keys(), await s3.read("owner")];
  const server = await serve();
  expect(server.output()).toContain("belong to another Bottega");
  // An empty database has nothing that could be sent twice.
  expect(server.output()).not.toContain("Nothing is sent by itself");
  const second = await setUpServer(server);
  expect((await second.call("getStorage")).body).toMatchObject({ files: "copy", trouble: null });
  expect((await first.call("getStorage")).body).toMatchObject({ files: "owner", trouble: null });
  await uploadToServer(second, "b.bin", new Uint8Array([0, 1, 2, 251]));
  expect(s3.keys().filter((key) => !key.startsWith("copies/"))).toEqual(before);
  expect(await s3.read("owner")).toEqual(mark);
  expect(s3.keys().filter((key) => key.startsWith("copies/"))).toHaveLength(1);
});

it("a database overtaken by another, as after a restored snapshot, is a copy at its next start, and only once", async () => {
  const { s3, env, serve } = await startBucket();
  const dataFolder = createTempFolder("server");
  const first = await serve({}, dataFolder);
  const client = await setUpServer(first);
  await uploadToServer(client, "a.bin", new Uint8Array([0, 1, 2, 250]));
  await first.stop();
  const { mark } = openBlobStorage(s3.url, createTempFolder("spool"), env);
  expect(
    await mark.replace(await mark.read(), { nonce: crypto.randomUUID(), renewedAt: null }),
  ).toBe(true);

  const overtaken = await serve({}, dataFolder);
  // None of its runs was active.
  expect(overtaken.output()).not.toContain("Nothing is sent by itself");
  expect(overtaken.output()).toContain("belong to another Bottega");
  await overtaken.stop();
  const again = await serve({}, dataFolder);
  expect((await client.at(again.url).call("getStorage")).body).toMatchObject({
    files: "copy",
    trouble: null,
  });
  await again.stop();

  const taken = await runBottega(["take-over"], {
    BOTTEGA_DATA: dataFolder,
    BLOB_URL: s3.url,
    ...env,
  });
  expect(taken).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("now belong to this Bottega"),
  });
  const owner = await serve({}, dataFolder);
  expect((await client.at(owner.url).call("getStorage")).body).toMatchObject({
    files: "owner",
    trouble: null,
  });
});

it("an original that returns after another took over its files sends nothing by itself, and says why, once", async () => {
  const { s3, env } = await startBucket();
  const dataFolder = createTempFolder("server");
  const settings = { BOTTEGA_DATA: dataFolder, BLOB_URL: s3.url, ...env };
  const studio = await startBusyStudio({ databaseUrl: null, dataFolder, env: settings });
  await studio.server.kill9();
  const { mark } = openBlobStorage(s3.url, createTempFolder("spool"), env);
  expect(
    await mark.replace(await mark.read(), { nonce: crypto.randomUUID(), renewedAt: null }),
  ).toBe(true);

  const back = await startCopy(dataFolder, settings);
  expect(back.output()).toContain(
    "This database no longer owns its files: another took them over, or this one was set back. Nothing is sent by itself: 2 queued runs need approval, 1 run is unconfirmed, 4 runs are followed or closed with what was saved.",
  );
  expect(back.output()).not.toContain("copied or moved");
  const client = studio.client.at(back.url);
  for (const run of studio.queued)
    expect(await stateOf(client, run.id)).toEqual({ state: "queued", waitingFor: "overtaken" });
  await back.stop();
  expect((await startCopy(dataFolder, settings)).output()).not.toContain(
    "Nothing is sent by itself",
  );
});
