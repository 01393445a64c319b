import type { Reader, Tx } from "../database/store.ts";

/** The sealed grant of a connection; null where nobody has signed in for it. */
export async function getGrant(db: Reader, connectionId: string): Promise<string | null> {
  const row = await db
    .selectFrom("connection_grant")
    .select("secret")
    .where("connection_id", "=", connectionId)
    .executeTakeFirst();
  return row?.secret ?? null;
}

/** Puts a grant in the place of the one that was read. @returns false when another server has put one there meanwhile */
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

/** A person starts to sign in. An earlier pending sign-in of this connection is void. */
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

/** Uses up the state that a person comes back with. @returns its connection; undefined when it is not theirs, too old, or used */
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
