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

it("reports the person's own run that ended after a while, and no quick or stopped one", async () => {
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

it("reports no run of another person, and requests nothing about it", async () => {
  const { see, asked } = watch([ended("theirs", { userId: "you" })]);
  await see(run("theirs", { userId: "you" }));
  expect(await see()).toEqual([]);
  expect(await see(run("new", { userId: "you", waitingFor: "manager" }))).toEqual([]);
  expect(asked).toEqual([]);
});

it("reports a run that needs approval once, and none that needed it before", async () => {
  const { see } = watch();
  expect(await see(run("old", { waitingFor: "manager" }))).toEqual([]);
  const waiting = [run("old", { waitingFor: "manager" }), run("new", { waitingFor: "admin" })];
  expect(await see(...waiting)).toEqual(["new waits"]);
  expect(await see(...waiting)).toEqual([]);
});

it("doesn't report a run that is no longer accessible", async () => {
  const { see } = watch();
  await see(run("gone"));
  expect(await see()).toEqual([]);
});

it("retries a run whose end couldn't be read, and reports it once", async () => {
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

it("doesn't report a run whose end couldn't be read before the page was seen", async () => {
  const outcomes: Run[] = [];
  const { see, lookAt } = watch(outcomes);
  await see(run("lost"), run("on"));
  await see(run("on"));
  outcomes.push(ended("lost"));
  await lookAt(run("on"));
  expect(await see(run("on"), run("new"))).toEqual([]);
});

it("stops requesting a run that nobody can be notified of", async () => {
  const { see, asked } = watch();
  await see(run("gone"));
  for (let look = 0; look < 40; look++) await see();
  expect(asked.length).toBeLessThan(25);
});

it("doesn't report runs that ended or needed approval while the page was visible", async () => {
  const { see, lookAt, asked } = watch([ended("a")]);
  await see(run("a"), run("b"));
  expect(await lookAt(run("b", { waitingFor: "manager" }))).toEqual([]);
  expect(await see(run("b", { waitingFor: "manager" }))).toEqual([]);
  expect(asked).toEqual([]);
});

it("counts in the title until the page is seen, and then restores it", () => {
  const place = { title: "Activity · Bottega" };
  const title = createTitleNotice(place);
  title.show("Done: a boat");
  title.show("Done: a tide");
  expect(place.title).toBe("(2) Done: a tide");
  title.clear();
  expect(place.title).toBe("Activity · Bottega");
});

it("keeps a title that a screen has set meanwhile", () => {
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
