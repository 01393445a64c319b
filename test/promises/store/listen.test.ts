import { expect, it, onTestFinished } from "vitest";
import { openPostgres } from "#store/database/postgres.ts";
import { createPostgresDatabase } from "../../support/databases/databases.ts";
import { startDoor } from "../../support/databases/postgres-door.ts";
import { until } from "../../support/server/instance.ts";

it("a listener whose database is gone comes back by one connect at a time, however often it is refused, and then hears again", async () => {
  const databaseUrl = await createPostgresDatabase();
  const door = await startDoor(databaseUrl);
  const store = openPostgres(door.url, () => undefined);
  const other = openPostgres(databaseUrl, () => undefined);
  const heard: string[] = [];
  let gaps = 0;
  const end = await store.listen(
    (hint) => heard.push(hint),
    () => gaps++,
  );
  onTestFinished(() => other.close());
  onTestFinished(() => store.close());
  onTestFinished(end);
  await until("it listens", async () => gaps === 1);

  door.shut();
  for (let refused = 0; refused < 10; refused++) {
    const before = door.comers();
    await until("it tries again", async () => door.waiting() > 0);
    expect(door.comers() - before).toBeLessThanOrEqual(1);
    expect(door.waiting()).toBe(1);
    door.refuse();
    await until("it was refused", async () => door.waiting() === 0);
  }
  const before = door.comers();
  door.open();
  await until("it listens again", async () => gaps === 2);
  expect(door.comers() - before).toBe(1);
  await other.notify(other.db, "run:1");
  await until("it hears", async () => heard.length > 0);
  expect(heard).toEqual(["run:1"]);
});

it("a listener that is ended in the middle of a connect lets go of it at once and does not come back", async () => {
  const door = await startDoor(await createPostgresDatabase());
  const store = openPostgres(door.url, () => undefined);
  onTestFinished(() => store.close());
  const end = await store.listen(
    () => undefined,
    () => undefined,
  );
  door.shut();
  await until("it tries again", async () => door.waiting() === 1);
  await end();
  await until("it let go", async () => door.waiting() === 0);
});

it("a server does not hear its own hints, which its own watchers already received", async () => {
  const url = await createPostgresDatabase();
  const [one, two] = [openPostgres(url, () => undefined), openPostgres(url, () => undefined)];
  const heard: Record<"one" | "two", string[]> = { one: [], two: [] };
  const ends = [
    await one.listen(
      (hint) => heard.one.push(hint),
      () => undefined,
    ),
    await two.listen(
      (hint) => heard.two.push(hint),
      () => undefined,
    ),
  ];
  onTestFinished(() => two.close());
  onTestFinished(() => one.close());
  onTestFinished(async () => void (await Promise.all(ends.map((end) => end()))));
  await one.notify(one.db, "run:of one");
  await two.notify(two.db, "run:of two");
  await one.notify(one.db, "run:the last");
  // What a channel says comes to everyone in one order: when the last has come to two, its own has passed it by.
  await until("two heard both", async () => heard.two.length >= 2);
  await until("one heard the other", async () => heard.one.length >= 1);
  expect(heard).toEqual({ one: ["run:of two"], two: ["run:of one", "run:the last"] });
});
