import { expect, it } from "vitest";
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
