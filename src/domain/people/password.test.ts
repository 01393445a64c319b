import { expect, it } from "vitest";
import { weaknessOf } from "./password.ts";

const email = "ada.lovelace@engines.example";

it.each([
  ["aaaaaaaaaa", /repeats/],
  ["ababababab", /repeats/],
  ["abc1abc1abc1a", /repeats/],
  ["1234567890", /neighboring/],
  ["0987654321", /neighboring/],
  ["abcdefghij", /neighboring/],
  ["qwertyuiop", /neighboring/],
  ["1q2w3e4r5t", /neighboring/],
  ["qwerty123456", /neighboring/],
  ["ada.lovelace@engines.example", /email/],
  ["Ada.Lovelace1815", /email/],
  ["password123", /common/],
  ["Passw0rd2026!", /common/],
  ["passwordpassword", /common/],
  ["123administrator", /common/],
  ["Bottega2026", /common/],
  ["iloveyou!!!", /common/],
])("%s is refused", (password, words) => {
  expect(weaknessOf(password, email)).toMatch(words);
});

it.each([
  "correct horse battery",
  "long enough 1",
  "a staple and a battery",
  "a bench of oak and iron",
  "soaked to the bone",
  "7h!sIsFineToo",
  "passwords are for people",
  "lovelace and babbage",
  "aaaa bbbb cccc dddd",
])("%s is accepted", (password) => {
  expect(weaknessOf(password, email)).toBeUndefined();
});
