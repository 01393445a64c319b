import { expect, it, onTestFinished } from "vitest";
import { openPostgres } from "#store/database/postgres.ts";
import { noticesOf } from "#store/database/postgres-listen.ts";
import type { Hint } from "#store/database/store.ts";
import { createPostgresDatabase } from "../../support/databases/databases.ts";
import { startDoor } from "../../support/databases/postgres-door.ts";
import { until } from "../../support/server/instance.ts";

it("a listener whose database is gone reconnects one attempt at a time, however often it is refused, and then works", async () => {
  const databaseUrl = await createPostgresDatabase();
  const door = await startDoor(databaseUrl);
  const store = openPostgres(door.url, () => undefined);
  const other = openPostgres(databaseUrl, () => undefined);
  const heard: string[] = [];
  let gaps = 0;
  const end = await store.listen(
    ({ topic }) => heard.push(topic),
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
  await other.notify(other.db, [{ topic: "run:1" }]);
  await until("it hears", async () => heard.length > 0);
  expect(heard).toEqual(["run:1"]);
});

it("a listener closed during a connect releases it at once and doesn't reconnect", async () => {
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

it("a server doesn't receive its own hints, which its own watchers already have", async () => {
  const url = await createPostgresDatabase();
  const [one, two] = [openPostgres(url, () => undefined), openPostgres(url, () => undefined)];
  const heard: Record<"one" | "two", string[]> = { one: [], two: [] };
  const ends = [
    await one.listen(
      ({ topic }) => heard.one.push(topic),
      () => undefined,
    ),
    await two.listen(
      ({ topic }) => heard.two.push(topic),
      () => undefined,
    ),
  ];
  onTestFinished(() => two.close());
  onTestFinished(() => one.close());
  onTestFinished(async () => void (await Promise.all(ends.map((end) => end()))));
  await one.notify(one.db, [{ topic: "run:of-one" }]);
  await two.notify(two.db, [{ topic: "run:of-two" }]);
  await one.notify(one.db, [{ topic: "run:the-last" }]);
  // A channel delivers to everyone in the same order: when the last has reached `two`, its own has
  // passed.
  await until("two heard both", async () => heard.two.length >= 2);
  await until("one heard the other", async () => heard.one.length >= 1);
  expect(heard).toEqual({ one: ["run:of-two"], two: ["run:of-one", "run:the-last"] });
});

it("simultaneous hints share as few notices as possible, and an oversized one loses its detail", async () => {
  const url = await createPostgresDatabase();
  const [one, two] = [openPostgres(url, () => undefined), openPostgres(url, () => undefined)];
  const heard: Hint[] = [];
  const end = await two.listen(
    (hint) => heard.push(hint),
    () => undefined,
  );
  onTestFinished(() => two.close());
  onTestFinished(() => one.close());
  onTestFinished(end);
  const told = Array.from({ length: 40 }, (_, i) => ({
    topic: `run:${i}`,
    detail: JSON.stringify({ text: "🙂 é".repeat(100) }),
  }));
  await one.write((tx) => one.notify(tx, [...told, { topic: "long", detail: "é".repeat(4_000) }]));
  await until("all came", async () => heard.length === 41);
  expect(heard).toEqual([...told, { topic: "long" }]);
  const notices = noticesOf("sender", told);
  expect(notices.length).toBe(4);
  for (const { payload } of notices) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
});

it("a hint for one server reaches no other", async () => {
  const url = await createPostgresDatabase();
  const stores = Array.from({ length: 3 }, () => openPostgres(url, () => undefined));
  const heard = stores.map(() => [] as string[]);
  let firstId = "";
  const ends = await Promise.all(
    stores.map((store, i) =>
      store.listen(
        ({ topic }, serverId) => {
          heard[i]!.push(topic);
          if (topic === "hello") firstId = serverId;
        },
        () => undefined,
      ),
    ),
  );
  for (const store of stores) onTestFinished(() => store.close());
  onTestFinished(async () => void (await Promise.all(ends.map((end) => end()))));
  const [first, second] = stores;
  await first!.notify(first!.db, [{ topic: "hello" }]);
  await until("the others heard", async () => heard[1]!.length + heard[2]!.length === 2);
  await second!.notify(second!.db, [{ topic: "one", serverId: firstId }, { topic: "all" }]);
  await until("all heard", async () => heard[0]!.length === 2 && heard[2]!.length === 2);
  expect(heard).toEqual([["one", "all"], ["hello"], ["hello", "all"]]);
});
