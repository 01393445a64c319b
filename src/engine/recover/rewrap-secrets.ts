import {
  listSealedSecrets,
  replaceSealedSecret,
  type SealedSecret,
} from "#store/checks/sealed-secrets.ts";
import type { Store } from "#store/database/store.ts";
import type { KeyRing } from "../connections/key-ring.ts";
import { secretPlace } from "../connections/open-connection.ts";
import { createSecrets, versionOf } from "../connections/secrets.ts";
import type { SecretPlace } from "../deps.ts";
import type { Failpoints } from "../failpoints.ts";
import { secretPlaceOf } from "../webhooks/endpoints.ts";

/** Rows per unit; the server can write between two units. */
const atOnce = 50;
/**
 * Repeats, because a server that sealed a secret with the old version may write it a moment later.
 */
const maxRounds = 5;

export type Rewrapped = { rewrapped: number; lost: SealedSecret[] };

/**
 * Wraps every secret's data key with the active master key while the server runs; the secrets
 * themselves stay as they are. A row changes only if it still has the value that was read, so a new
 * secret is never overwritten.
 * @returns `lost`: secrets that no key opens
 */
export async function rewrapSecrets(
  { store, failpoints }: { store: Store; failpoints?: Failpoints | undefined },
  ring: KeyRing,
): Promise<Rewrapped> {
  const secrets = createSecrets(ring);
  const lost = new Map<string, SealedSecret>();
  let rewrapped = 0;
  for (let round = 0; round < maxRounds; round++) {
    const old = (await listSealedSecrets(store.read)).filter(
      (secret) => versionOf(secret.sealed) !== ring.active().version && !lost.has(secret.sealed),
    );
    if (old.length === 0) break;
    for (let from = 0; from < old.length; from += atOnce) {
      const changes = old.slice(from, from + atOnce).flatMap((secret) => {
        try {
          return [{ secret, sealed: secrets.rewrap(secret.sealed, placeOf(secret)) }];
        } catch {
          lost.set(secret.sealed, secret);
          return [];
        }
      });
      await store.write(async (tx) => {
        for (const { secret, sealed } of changes) await replaceSealedSecret(tx, secret, sealed);
      });
      rewrapped += changes.length;
      await failpoints?.at("key.rewrapped");
    }
  }
  return { rewrapped, lost: [...lost.values()] };
}

/** Counts the secrets that need each key version, and lists those whose version is missing. */
export async function countVersions(
  store: Pick<Store, "read">,
  ring: Pick<KeyRing, "keys">,
): Promise<{ counts: Map<number, number>; lost: SealedSecret[] }> {
  const all = await listSealedSecrets(store.read);
  const known = new Set(ring.keys().map(({ version }) => version));
  const counts = new Map<number, number>();
  for (const { sealed } of all)
    counts.set(versionOf(sealed), (counts.get(versionOf(sealed)) ?? 0) + 1);
  return { counts, lost: all.filter(({ sealed }) => !known.has(versionOf(sealed))) };
}

function placeOf(secret: SealedSecret): SecretPlace {
  if (secret.place === "webhook_endpoint") return secretPlaceOf(secret.id);
  const { id, scope, scopeId, place } = secret;
  return { ...secretPlace({ id, scope, scopeId }), table: place };
}
