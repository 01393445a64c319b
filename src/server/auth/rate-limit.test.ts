import { expect, it } from "vitest";
import { Problem } from "#contract/errors.ts";
import { createRateLimit, networkOf } from "./rate-limit.ts";

it("the allowed tries a minute pass, and the next waits for the stated time", () => {
  let now = 0;
  const limit = createRateLimit(3, { monotonic: () => now });
  for (let i = 0; i < 3; i++) limit.hit("a");
  now = 20_000;
  expect(() => limit.hit("a")).toThrow(Problem);
  limit.hit("b");
  now = 60_001;
  expect(() => limit.hit("a")).not.toThrow();
});

it("a flood of other keys doesn't unblock a guesser", () => {
  const limit = createRateLimit(2, { monotonic: () => 0 });
  for (let i = 0; i < 9_999; i++) limit.hit(`early ${i}`);
  limit.hit("guesser");
  limit.hit("guesser");
  for (let i = 0; i < 9_000; i++) limit.hit(`late ${i}`);
  expect(() => limit.hit("guesser")).toThrow(Problem);
});

it("addresses of one IPv6 network count as one, IPv4 addresses each", () => {
  expect(networkOf("2001:db8:1:2:3::4")).toBe(networkOf("2001:db8:1:2::ffff"));
  expect(networkOf("2001:db8:1:3::4")).not.toBe(networkOf("2001:db8:1:2::4"));
  expect(networkOf("192.0.2.1")).not.toBe(networkOf("192.0.2.2"));
  expect(networkOf("::ffff:192.0.2.1")).toBe(networkOf("192.0.2.1"));
});
