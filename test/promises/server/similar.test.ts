import sharp, { type Sharp } from "sharp";
import { v7 as uuid } from "uuid";
import { expect, it } from "vitest";
import type { Asset } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { doChores } from "#engine/recover/chores.ts";
import { insertMember } from "#store/people/projects.ts";
import { forEachDatabase, type TestDatabase } from "../../support/databases/databases.ts";
import { type Caller, createInstance } from "../../support/server/instance.ts";

/** Soft spots of light and dark, different for each seed. */
async function drawSpots(seed: number, side: number): Promise<Sharp> {
  const spots = Buffer.from(
    Array.from({ length: 36 }, (_, i) => ((i * 7_919 + seed * 104_729) * 2_654_435_761) >>> 24),
  );
  const small = sharp(spots, { raw: { width: 6, height: 6, channels: 1 } });
  const large = small.resize({ width: side, height: side, fit: "fill", kernel: "cubic" });
  return sharp(await large.png().toBuffer());
}

/** A project of two people, and a third person with another project. */
async function open(database: TestDatabase) {
  const instance = await createInstance(database, { endsWithTest: true, start: false });
  const [ada, ben, cleo] = await Promise.all(
    ["ada", "ben", "cleo"].map((name) => instance.createPerson(`${name}@example.org`)),
  );
  const { projectId } = ada!;
  await instance.commit(({ tx, at }) =>
    insertMember(tx, { projectId, userId: ben!.user.id, role: "editor", at }),
  );
  const upload = async (
    who: Caller,
    name: string,
    picture: Sharp,
    more: { projectId?: string; visibility?: string } = {},
  ): Promise<string> => {
    const query = new URLSearchParams({ projectId, name, ...more });
    const response = await instance.request(`/api/v1/uploads?${query}`, {
      method: "POST",
      headers: { cookie: who.cookie },
      body: await picture.toBuffer(),
    });
    return ((await response.json()) as { asset: Asset }).asset.id;
  };
  const list = async (who: Caller, query: object) =>
    (
      await who.call<RouteOutput<"listAssets">>("listAssets", { query: { projectId, ...query } })
    ).body.assets.map(({ title }) => title);
  return { instance, projectId, ada: ada!, ben: ben!, cleo: cleo!, upload, list };
}

forEachDatabase((_, create) => {
  it("a picture is found by its other sizes and formats, and not by different or hidden pictures", async () => {
    const { instance, ada, ben, cleo, upload, list } = await open(await create());
    const spots = await drawSpots(1, 600);
    const whole = await upload(ada, "whole", spots.clone().png());
    await upload(ada, "other", (await drawSpots(2, 600)).png());
    const small = spots.clone().resize(240, 200, { fit: "fill" });
    await upload(ada, "small", small.jpeg({ quality: 60 }));
    await upload(
      ada,
      "flat",
      sharp({ create: { width: 9, height: 9, channels: 3, background: "teal" } }).png(),
    );
    const paler = spots.clone().linear(0.6, 60);
    const hidden = await upload(ben, "hidden", paler.png(), { visibility: "author" });
    const elsewhere = { projectId: cleo.projectId };
    await upload(cleo, "elsewhere", spots.clone().webp(), elsewhere);
    expect((await list(ada, { similarTo: whole })).toSorted()).toEqual(["small", "whole"]);
    expect((await list(ben, { similarTo: whole })).toSorted()).toEqual([
      "hidden",
      "small",
      "whole",
    ]);
    expect((await list(ben, { similarTo: hidden }))[0]).toBe("hidden");
    expect(await list(ada, { similarTo: hidden })).toEqual([]);
    expect(await list(cleo, { ...elsewhere, similarTo: whole })).toEqual([]);

    // Older files have no hash until a chore has processed them.
    await instance.store.write((tx) => tx.updateTable("asset").set({ phash: null }).execute());
    expect(await list(ada, { similarTo: whole })).toEqual([]);
    await doChores(instance.engineDeps);
    expect((await list(ada, { similarTo: whole })).toSorted()).toEqual(["small", "whole"]);
    const { hashes } = await instance.store.read
      .selectFrom("asset")
      .select((e) => e.fn.count<number>("phash").as("hashes"))
      .executeTakeFirstOrThrow();
    expect(Number(hashes)).toBe(6);
  });

  it("an unreadable picture doesn't keep others from being hashed", async () => {
    const { instance, ada, upload } = await open(await create());
    const older = await upload(ada, "older", (await drawSpots(1, 90)).png());
    const lost = await upload(ada, "lost", (await drawSpots(2, 90)).png());
    const { store, engineDeps } = instance;
    // More of them than one unit processes.
    const row = await store.read
      .selectFrom("asset")
      .selectAll()
      .where("id", "=", lost)
      .executeTakeFirstOrThrow();
    // SQLite numbers its rows.
    const other = { upload_id: null, row: undefined };
    const copies = Array.from({ length: 60 }, () => ({ ...row, ...other, id: uuid() }));
    await store.write(async (tx) => {
      await tx.insertInto("asset").values(copies).execute();
      await tx.updateTable("asset").set({ phash: null }).execute();
    });
    const { media } = engineDeps;
    const hash = async (sha256: string) => {
      if (sha256 === row.blob_sha256) throw new Error("it is broken");
      return media.hash(sha256);
    };
    await doChores({ ...engineDeps, media: { ...media, hash } });
    const left = await store.read
      .selectFrom("asset")
      .select("id")
      .where("phash", "is", null)
      .execute();
    expect(left.map(({ id }) => id)).not.toContain(older);
    expect(left).toHaveLength(61);
  });

  it("a file's position matches the list in each sort, and another person's private file has none", async () => {
    const { projectId, ada, ben, upload, list } = await open(await create());
    const ids = new Map<string, string>();
    for (const [i, name] of ["a", "b", "c", "d"].entries())
      ids.set(
        name,
        await upload(ada, name, (await drawSpots(i + 3, 100 * (((i * 3) % 4) + 1))).png()),
      );
    const hidden = await upload(ben, "h", (await drawSpots(9, 80)).png(), { visibility: "author" });
    const place = async (who: Caller, assetId: string, query: object = {}) =>
      (
        await who.call<RouteOutput<"locateAsset">>("locateAsset", {
          query: { projectId, assetId, ...query },
        })
      ).body.index;
    for (const query of [
      {},
      { sort: "pixels" },
      { sort: "pixels", order: "asc" },
      { group: "batch" },
    ])
      for (const [index, title] of (await list(ada, query)).entries())
        expect([query, title, await place(ada, ids.get(title)!, query)]).toEqual([
          query,
          title,
          index,
        ]);
    expect(await place(ada, ids.get("a")!, { kind: "video" })).toBe(null);
    expect([await place(ada, hidden), await place(ben, hidden)]).toEqual([null, 0]);
  });
});
