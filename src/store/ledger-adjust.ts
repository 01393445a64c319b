import type { Tx } from "./store.ts";

/** Money that belongs to a run which the rollup has counted already. `day` is the UTC date. */
export async function addToUsage(
  tx: Tx,
  usage: { day: string; projectId: string; userId: string; connectionId: string; modelId: string; micros: number },
): Promise<void> {
  await tx
    .insertInto("usage_day")
    .values({
      day: usage.day,
      project_id: usage.projectId,
      user_id: usage.userId,
      connection_id: usage.connectionId,
      model_id: usage.modelId,
      runs: 0,
      tokens: 0,
      micros: usage.micros,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["day", "project_id", "user_id", "connection_id", "model_id"])
        .doUpdateSet((e) => ({ micros: e("usage_day.micros", "+", usage.micros) })),
    )
    .execute();
}
