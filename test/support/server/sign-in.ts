import { createHmac, hkdfSync, randomBytes } from "node:crypto";
import { v7 as uuid } from "uuid";
import { limits } from "#contract/limits.ts";
import type { Store } from "#store/database/store.ts";

/**
 * Creates a session like signing in, without its deliberate cost of an eighth of a second of a
 * core, which nearly every test would pay. Its cookie is the one that server/auth/session-cookie.ts
 * reads on an unencrypted connection.
 */
export async function startSession(
  store: Store,
  masterKey: Uint8Array,
  userId: string,
): Promise<string> {
  const token = randomBytes(24).toString("hex");
  const [now, end] = [0, limits.sessionMs].map((ms) => new Date(Date.now() + ms).toISOString());
  const session = {
    id: uuid(),
    token,
    userId,
    createdAt: now,
    updatedAt: now,
    expiresAt: end,
    ipAddress: null,
    userAgent: null,
  };
  await store.write((tx) =>
    tx
      .insertInto("session")
      .values(session as never)
      .execute(),
  );
  const secret = Buffer.from(hkdfSync("sha256", masterKey, "", "bottega session", 32)).toString(
    "hex",
  );
  const signature = createHmac("sha256", secret).update(token).digest("base64");
  return `bottega-session=${encodeURIComponent(`${token}.${signature}`)}`;
}
