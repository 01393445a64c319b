import { afterEach, expect, it, vi } from "vitest";
import { openS3Client } from "./s3-client.ts";

afterEach(() => vi.useRealTimers());

it.each([
  ["HEAD", 20_000],
  ["GET", 20_000],
  ["DELETE", 20_000],
  ["PUT", 60_000],
  ["POST", 60_000],
] as const)("a silent storage ends a %s after %s ms per try", async (method, timeoutMs) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const asked = Promise.withResolvers<void>();
  let isOver = false;
  const silent = (_url: unknown, init?: RequestInit) =>
    new Promise<Response>((_resolve, reject) => {
      init!.signal!.addEventListener("abort", () => {
        isOver = true;
        reject(init!.signal!.reason);
      });
      asked.resolve();
    });
  const location = {
    bucketUrl: "http://127.0.0.1:1/bucket/",
    prefix: "",
    region: "us-east-1",
    accessKeyId: "id",
    secretAccessKey: "secret",
  };
  const { call } = openS3Client(location, silent, []);
  const called = expect(
    call({ method, key: "file", idempotent: true, expect: [200] }),
  ).rejects.toMatchObject({ code: "unavailable" });
  await asked.promise;
  await vi.advanceTimersByTimeAsync(timeoutMs - 1);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await called;
});
