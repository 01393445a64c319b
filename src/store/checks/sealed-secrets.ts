import type { Reader, Tx } from "../database/store.ts";

/** A sealed secret with its location; for a connection also its owner. */
export type SealedSecret =
  | {
      place: "connection" | "connection_grant";
      id: string;
      scope: string;
      scopeId: string | null;
      sealed: string;
    }
  | { place: "webhook_endpoint"; id: string; column: "secret" | "old_secret"; sealed: string };

/**
 * Lists every secret sealed with the master key: of connections, of sign-ins to services, of
 * webhooks.
 */
export async function listSealedSecrets(db: Reader): Promise<SealedSecret[]> {
  const connections = await db
    .selectFrom("connection")
    .select(["id", "scope", "scope_id", "secret"])
    .where("secret", "is not", null)
    .orderBy("id")
    .execute();
  const grants = await db
    .selectFrom("connection_grant")
    .innerJoin("connection", "connection.id", "connection_grant.connection_id")
    .select(["connection.id", "connection.scope", "connection.scope_id", "connection_grant.secret"])
    .where("connection_grant.secret", "is not", null)
    .orderBy("connection.id")
    .execute();
  const webhooks = await db
    .selectFrom("webhook_endpoint")
    .select(["id", "secret", "old_secret"])
    .orderBy("id")
    .execute();
  const ofConnections = (
    place: "connection" | "connection_grant",
    rows: typeof connections,
  ): SealedSecret[] =>
    rows.map(({ id, scope, scope_id, secret }) => ({
      place,
      id,
      scope,
      scopeId: scope_id,
      sealed: secret!,
    }));
  return [
    ...ofConnections("connection", connections),
    ...ofConnections("connection_grant", grants),
    ...webhooks.flatMap(({ id, secret, old_secret }) =>
      (
        [
          ["secret", secret],
          ["old_secret", old_secret],
        ] as const
      ).flatMap(([column, sealed]) =>
        sealed === null ? [] : [{ place: "webhook_endpoint" as const, id, column, sealed }],
      ),
    ),
  ];
}

/** Replaces a sealed secret, unless it has changed since it was read. */
export async function replaceSealedSecret(
  tx: Tx,
  secret: SealedSecret,
  sealed: string,
): Promise<void> {
  if (secret.place === "webhook_endpoint")
    await tx
      .updateTable("webhook_endpoint")
      .set({ [secret.column]: sealed })
      .where("id", "=", secret.id)
      .where(secret.column, "=", secret.sealed)
      .execute();
  else if (secret.place === "connection")
    await tx
      .updateTable("connection")
      .set({ secret: sealed })
      .where("id", "=", secret.id)
      .where("secret", "=", secret.sealed)
      .execute();
  else
    await tx
      .updateTable("connection_grant")
      .set({ secret: sealed })
      .where("connection_id", "=", secret.id)
      .where("secret", "=", secret.sealed)
      .execute();
}
