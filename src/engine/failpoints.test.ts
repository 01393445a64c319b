import { expect, it } from "vitest";
import { createFailpoints, readFailpoints } from "./failpoints.ts";

const run = (prompt: string) => ({ task: "image" as const, input: { prompt } });

it("a failpoint names a point, a run's text, an occurrence, and an action", () => {
  expect(readFailpoints("job.accepted=kill; output.begun@a red door#2=delay:200;")).toEqual([
    { name: "job.accepted", words: "", occurrence: 0, action: { type: "kill" } },
    {
      name: "output.begun",
      words: "a red door",
      occurrence: 2,
      action: { type: "delay", ms: 200 },
    },
  ]);
  expect(readFailpoints("")).toEqual([]);
});

it.each([
  ["job.acepted=kill", /names "job\.acepted", which is not one of run\.commit, /],
  [
    "job.accepted=explode",
    /must say kill, throw, hang, hold or delay:<ms> at job\.accepted, and not "explode"/,
  ],
  ["job.accepted=delay", /and not "delay"/],
  ["job.accepted=kill:5", /and not "kill:5"/],
  ["job.accepted#0=kill", /must be like/],
  ["job.accepted", /must be like/],
  ["settle.commit=hold", /can only kill or throw at settle\.commit/],
])("%s is refused with the reason", (text, sentence) => {
  expect(() => readFailpoints(text)).toThrow(sentence);
});

it("a failpoint acts at its own point, for runs with its text, at the named occurrence", async () => {
  const failpoints = createFailpoints(readFailpoints("job.follow@red#2=throw;attempt.begin=throw"));
  const isHit = (
    name: "job.follow" | "job.accepted" | "attempt.begin",
    prompt: string,
  ): boolean => {
    try {
      void failpoints.at(name, run(prompt));
      return false;
    } catch (error) {
      expect((error as Error).message).toBe(`failpoint ${name}`);
      return true;
    }
  };
  expect(
    ["a red door", "a blue door", "a red door", "a red door"].map((prompt) =>
      isHit("job.follow", prompt),
    ),
  ).toEqual([false, false, true, false]);
  expect(isHit("job.accepted", "a red door")).toBe(false);
  expect([isHit("attempt.begin", "any"), isHit("attempt.begin", "any")]).toEqual([true, true]);
});

it("a delay continues by itself, and other runs don't wait", async () => {
  const failpoints = createFailpoints(readFailpoints("job.follow@red=delay:1"));
  await failpoints.at("job.follow", run("red"));
  expect(failpoints.at("job.follow", run("blue"))).toBeUndefined();
  expect(failpoints.at("job.follow")).toBeUndefined();
});
