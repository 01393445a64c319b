import { expect, it, onTestFinished, vi } from "vitest";
import { ServerProblem } from "./client.ts";
import { sendOnce } from "./idempotency-key.ts";

/** Sends a request that fails or is answered, and returns its key. */
async function keyOf(request: unknown, failure?: Error): Promise<string> {
  let key = "";
  await sendOnce(request, async (idempotencyKey) => {
    key = idempotencyKey;
    if (failure) throw failure;
  }).catch(() => undefined);
  return key;
}
const lost = new TypeError("Failed to fetch");

it("a request whose reply was lost keeps its key until it is answered, then is a new request", async () => {
  const first = await keyOf({ run: 1 }, lost);
  expect(await keyOf({ run: 1 }, lost)).toBe(first);
  expect(await keyOf({ run: 1 })).toBe(first);
  expect(await keyOf({ run: 1 })).not.toBe(first);
});

it("another request has a key of its own, which the first one doesn't lose", async () => {
  const first = await keyOf({ run: 2, kind: "again" }, lost);
  expect(await keyOf({ run: 2, kind: "vary" })).not.toBe(first);
  expect(await keyOf({ run: 2, kind: "again" })).toBe(first);
});

it("two equal requests at once have two keys", async () => {
  const [one, two] = await Promise.all([keyOf({ run: 3 }), keyOf({ run: 3 })]);
  expect(one).not.toBe(two);
});

it("ten minutes after a failure an equal request is new, and so is one about something deleted", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const first = await keyOf({ run: 4 }, lost);
  vi.advanceTimersByTime(9 * 60_000);
  expect(await keyOf({ run: 4 }, lost)).toBe(first);
  vi.advanceTimersByTime(10 * 60_000);
  expect(await keyOf({ run: 4 })).not.toBe(first);
  const gone = new ServerProblem({ code: "not_found" } as ServerProblem["body"]);
  const about = await keyOf({ run: 5 }, gone);
  expect(await keyOf({ run: 5 })).not.toBe(about);
});
