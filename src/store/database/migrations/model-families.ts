import { factWord } from "#domain/models/model-facts.ts";
import { modelFamilyOf } from "#domain/models/model-family.ts";
import type { MigrationDatabase } from "./ddl.ts";

const slice = 500;
type Row = { connection_id: string; model_id: string; name: string; facts: string };

/**
 * Adds the family to the facts that models are filtered by. Each later refresh of a list overwrites
 * it by the rule of that time.
 */
export async function up(db: MigrationDatabase): Promise<void> {
  let last: Row | undefined;
  for (;;) {
    const rows: Row[] = await db
      .selectFrom("model")
      .select(["connection_id", "model_id", "name", "facts"])
      .$if(last !== undefined, (query) =>
        query.where((e) =>
          e(
            e.refTuple("connection_id", "model_id"),
            ">",
            e.tuple(last!.connection_id, last!.model_id),
          ),
        ),
      )
      .orderBy("connection_id")
      .orderBy("model_id")
      .limit(slice)
      .execute();
    for (const { connection_id, model_id, name, facts } of rows) {
      const family = modelFamilyOf({ modelId: model_id, name });
      if (family === null) continue;
      await db
        .updateTable("model")
        .set({ facts: `${facts}${factWord.family(family)} ` })
        .where("connection_id", "=", connection_id)
        .where("model_id", "=", model_id)
        .execute();
    }
    last = rows.at(-1);
    if (rows.length < slice) return;
  }
}
