import { expect, it, vi } from "vitest";
import { limits } from "#contract/limits.ts";
import { createTries } from "./tries.ts";

function build() {
  let now = 0;
  const tries = createTries({ monotonic: () => now });
  const guess = (key: string, isRight = false) =>
    tries.guard(key, async () => {
      if (!isRight) throw new Error("wrong");
      return "in";
    });
  return { tries, guess, pass: (ms: number) => (now += ms) };
}

it("after the free tries each wrong one doubles the wait, up to its bound, and a right one resets it", async () => {
  const { guess, pass } = build();
  for (let i = 0; i < limits.freeTries; i++) await expect(guess("ada")).rejects.toThrow("wrong");
  for (let wait = limits.tryDelayMs; wait < limits.tryDelayMostMs; wait *= 2) {
    await expect(guess("ada", true)).rejects.toMatchObject({
      code: "rate_limited",
      detail: { retryAfterMs: wait },
    });
    pass(wait - 1);
    await expect(guess("ada", true)).rejects.toMatchObject({ detail: { retryAfterMs: 1 } });
    pass(1);
    await expect(guess("ada")).rejects.toThrow("wrong");
  }
  await expect(guess("ada", true)).rejects.toMatchObject({
    detail: { retryAfterMs: limits.tryDelayMostMs },
  });
  expect(await guess("eve", true)).toBe("in");
  pass(limits.tryDelayMostMs);
  expect(await guess("ada", true)).toBe("in");
  await expect(guess("ada")).rejects.toThrow("wrong");
});

it("of many simultaneous guesses only the free ones are checked", async () => {
  const { tries } = build();
  const check = vi.fn(async () => Promise.reject(new Error("wrong")));
  await Promise.allSettled(Array.from({ length: 50 }, () => tries.guard("ada", check)));
  expect(check).toHaveBeenCalledTimes(limits.freeTries);
});

it("old wrong tries are forgotten", async () => {
  const { guess, pass } = build();
  for (let i = 0; i < limits.freeTries; i++) await expect(guess("ada")).rejects.toThrow("wrong");
  pass(limits.tryMemoryMs + 1);
  for (let i = 0; i < limits.freeTries; i++) await expect(guess("ada")).rejects.toThrow("wrong");
});
