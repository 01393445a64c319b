import { expect, it } from "vitest";
import type { Run } from "#contract/entities.ts";
import { createNoticeWatch, createTitleNotice, longMs } from "./watch-runs.ts";

const run = (id: string, facts: Partial<Run> = {}) =>
  ({
    id,
    userId: "me",
    state: "running",
    waitingFor: null,
    createdAt: 0,
    finishedAt: null,
    ...facts,
  }) as Run;
const ended = (id: string, facts: Partial<Run> = {}) =>
  run(id, { state: "succeeded", finishedAt: longMs, ...facts });
function watch(outcomes: readonly Run[] = []) {
  const asked: string[] = [];
  const { see } = createNoticeWatch("me", async (id) => {
    asked.push(id);
    return outcomes.find((one) => one.id === id);
  });
  return {
    asked,
    see: async (...open: Run[]) =>
      (await see(open, false)).map(({ run: { id }, why }) => `${id} ${why}`),
    lookAt: (...open: Run[]) => see(open, true),
  };
}

it("tells of an own run that ended after a while, and of a quick or stopped one nothing", async () => {
  const { see } = watch([
    ended("long"),
    ended("failed", { state: "failed" }),
    ended("quick", { finishedAt: longMs - 1 }),
    ended("stopped", { state: "cancelled" }),
  ]);
  expect(await see(run("long"), run("failed"), run("quick"), run("stopped"), run("on"))).toEqual(
    [],
  );
  expect(await see(run("on"))).toEqual(["long ended", "failed ended"]);
  expect(await see(run("on"))).toEqual([]);
});

it("tells nothing of another person's run, and asks nothing about it", async () => {
  const { see, asked } = watch([ended("theirs", { userId: "you" })]);
  await see(run("theirs", { userId: "you" }));
  expect(await see()).toEqual([]);
  expect(await see(run("new", { userId: "you", waitingFor: "manager" }))).toEqual([]);
  expect(asked).toEqual([]);
});

it("tells once of a run that has begun to wait for approval, and not of what waited before", async () => {
  const { see } = watch();
  expect(await see(run("old", { waitingFor: "manager" }))).toEqual([]);
  const waiting = [run("old", { waitingFor: "manager" }), run("new", { waitingFor: "admin" })];
  expect(await see(...waiting)).toEqual(["new waits"]);
  expect(await see(...waiting)).toEqual([]);
});

it("tells nothing of a run that can't be asked about any more", async () => {
  const { see } = watch();
  await see(run("gone"));
  expect(await see()).toEqual([]);
});

it("asks again about a run whose end it could not learn, and tells of it once", async () => {
  const outcomes: Run[] = [];
  const { see, asked } = watch(outcomes);
  await see(run("lost"), run("paged"), run("on"));
  outcomes.push(run("paged"));
  expect(await see(run("on"))).toEqual([]);
  outcomes.splice(0, 1, ended("lost"), ended("paged"));
  expect(await see(run("on"), run("new"))).toEqual(["lost ended", "paged ended"]);
  expect(await see(run("on"))).toEqual([]);
  expect(asked.filter((id) => id === "lost")).toHaveLength(2);
});

it("tells nothing of a run whose end it could not learn before somebody looked", async () => {
  const outcomes: Run[] = [];
  const { see, lookAt } = watch(outcomes);
  await see(run("lost"), run("on"));
  await see(run("on"));
  outcomes.push(ended("lost"));
  await lookAt(run("on"));
  expect(await see(run("on"), run("new"))).toEqual([]);
});

it("stops asking about a run that nobody can be told of", async () => {
  const { see, asked } = watch();
  await see(run("gone"));
  for (let look = 0; look < 40; look++) await see();
  expect(asked.length).toBeLessThan(25);
});

it("tells nothing of what ended or began to wait before somebody's eyes", async () => {
  const { see, lookAt, asked } = watch([ended("a")]);
  await see(run("a"), run("b"));
  expect(await lookAt(run("b", { waitingFor: "manager" }))).toEqual([]);
  expect(await see(run("b", { waitingFor: "manager" }))).toEqual([]);
  expect(asked).toEqual([]);
});

it("counts in the title until somebody looks, and then gives it back", () => {
  const place = { title: "Activity · Bottega" };
  const title = createTitleNotice(place);
  title.show("Done: a boat");
  title.show("Done: a tide");
  expect(place.title).toBe("(2) Done: a tide");
  title.clear();
  expect(place.title).toBe("Activity · Bottega");
});

it("leaves a title that a screen has set meanwhile", () => {
  const place = { title: "Create · Bottega" };
  const title = createTitleNotice(place);
  title.show("Done: a boat");
  place.title = "Library · Bottega";
  title.show("Done: a tide");
  title.clear();
  expect(place.title).toBe("Library · Bottega");
  title.show("Done: a boat");
  place.title = "Home · Bottega";
  title.clear();
  expect(place.title).toBe("Home · Bottega");
});
