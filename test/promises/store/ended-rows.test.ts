import { expect, it } from "vitest";
import { doChores } from "#engine/recover/chores.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { at } from "../../support/databases/store-rows.ts";
import { createInstance } from "../../support/server/instance.ts";

const dayMs = 24 * 60 * 60_000;

forEachDatabase((_name, create) => {
  it("a session is deleted after its end and an invitation 30 days after it, used or not, and neither before", async () => {
    const instance = await createInstance(await create(), {
      endsWithTest: true,
      clock: { now: () => at, monotonic: () => performance.now() },
      start: false,
    });
    const { user, projectId } = await instance.createPerson("ada@example.org");
    const invite = {
      kind: "join" as const,
      email: "eve@example.org",
      role: "member" as const,
      project_id: projectId,
      created_by: user.id,
    };
    const session = { userId: user.id, createdAt: toTime(at), updatedAt: toTime(at) };
    await instance.store.write(async (tx) => {
      await tx.deleteFrom("session").execute();
      for (const [id, endsAt, usedAt] of [
        ["open", at + 1, null],
        ["ended", at - 29 * dayMs, null],
        ["used", at - 29 * dayMs, at - 35 * dayMs],
        ["old", at - 31 * dayMs, null],
        ["old-used", at - 31 * dayMs, at - 35 * dayMs],
      ] as const)
        await tx
          .insertInto("invite")
          .values({ ...invite, id, token_hash: id, expires_at: endsAt, used_at: usedAt })
          .execute();
      for (const [id, endsAt] of [
        ["open", at + 1_000],
        ["ended", at - 1_000],
      ] as const)
        await tx
          .insertInto("session")
          .values({ ...session, id, token: id, expiresAt: toTime(endsAt) })
          .execute();
    });
    await doChores(instance.engineDeps);
    const idsOf = async (table: "invite" | "session") =>
      (await instance.store.db.selectFrom(table).select("id").orderBy("id").execute()).map(
        ({ id }) => id,
      );
    expect(await idsOf("invite")).toEqual(["ended", "open", "used"]);
    expect(await idsOf("session")).toEqual(["open"]);
  });
});

const toTime = (ms: number): string => new Date(ms).toISOString();
