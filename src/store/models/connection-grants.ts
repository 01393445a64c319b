import type { Reader, Tx } from "../database/store.ts";

/** Returns a connection's sealed grant; null when nobody has signed in for it. */
export async function getGrant(db: Reader, connectionId: string): Promise<string | null> {
  const row = await db
    .selectFrom("connection_grant")
    .select("secret")
    .where("connection_id", "=", connectionId)
    .executeTakeFirst();
  return row?.secret ?? null;
}

/**
 * Replaces the grant that was read.
 * @returns false when another server has replaced it meanwhile
 */
export async function replaceGrant(
  tx: Tx,
  connectionId: string,
  before: string | null,
  sealed: string,
): Promise<boolean> {
  const row = {
    connection_id: connectionId,
    secret: sealed,
    state_hash: null,
    user_id: null,
    begun_at: null,
  };
  const replaced =
    before === null
      ? await tx
          .insertInto("connection_grant")
          .values(row)
          .onConflict((conflict) =>
            conflict
              .column("connection_id")
              .doUpdateSet({ secret: sealed })
              .where("connection_grant.secret", "is", null),
          )
          .returning("connection_id")
          .executeTakeFirst()
      : await tx
          .updateTable("connection_grant")
          .set({ secret: sealed })
          .where("connection_id", "=", connectionId)
          .where("secret", "=", before)
          .returning("connection_id")
          .executeTakeFirst();
  return replaced !== undefined;
}

/** Starts a person's sign-in, and voids an earlier pending one of this connection. */
export async function beginGrant(
  tx: Tx,
  {
    connectionId,
    ...begun
  }: { connectionId: string; stateHash: string; userId: string; at: number },
): Promise<void> {
  const set = { state_hash: begun.stateHash, user_id: begun.userId, begun_at: begun.at };
  await tx
    .insertInto("connection_grant")
    .values({ connection_id: connectionId, secret: null, ...set })
    .onConflict((conflict) => conflict.column("connection_id").doUpdateSet(set))
    .execute();
}

/**
 * Consumes the state that a person returns with.
 * @returns its connection; undefined when the state is someone else's, expired or already used
 */
export async function takeGrantState(
  tx: Tx,
  back: { stateHash: string; userId: string; since: number },
): Promise<string | undefined> {
  const row = await tx
    .updateTable("connection_grant")
    .set({ state_hash: null, user_id: null, begun_at: null })
    .where("state_hash", "=", back.stateHash)
    .where("user_id", "=", back.userId)
    .where("begun_at", ">=", back.since)
    .returning("connection_id")
    .executeTakeFirst();
  return row?.connection_id;
}
