import { v7 as uuid } from "uuid";
import type { Asset } from "#contract/entities.ts";
import { insertAsset } from "#store/content/assets.ts";
import { insertMember } from "#store/people/projects.ts";
import type { TestDatabase } from "../databases/databases.ts";
import { buildAsset } from "../databases/store-rows.ts";
import { createInstance } from "../server/instance.ts";

/** Ada's project, which Ben edits. `add` inserts pictures of hers and returns their ids in order. */
export async function openProjectOfTwo(database: TestDatabase) {
  const instance = await createInstance(database, { endsWithTest: true, start: false });
  const ada = await instance.createPerson("ada@example.org");
  const ben = await instance.createPerson("ben@example.org");
  const { projectId } = ada;
  await instance.commit(({ tx, at }) =>
    insertMember(tx, { projectId, userId: ben.user.id, role: "editor", at }),
  );
  const add = (count: number, facts: Partial<Asset> = {}): Promise<string[]> =>
    instance.commit(async (unit) => {
      const ids = Array.from({ length: count }, () => uuid());
      for (const id of ids)
        await insertAsset(
          unit,
          buildAsset({ projectId, createdBy: ada.user.id, sha256: `hash of ${id}`, ...facts, id }),
        );
      return ids.sort();
    });
  return { instance, ada, ben, projectId, add };
}
