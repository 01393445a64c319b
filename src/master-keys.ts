import { randomUUID } from "node:crypto";
import type { AuditAction } from "#contract/filters/audit-actions.ts";
import {
  checkOf,
  type KeyRing,
  type MasterKey,
  type WrittenKey,
} from "#engine/connections/key-ring.ts";
import type { Log } from "#engine/deps.ts";
import type { Settings } from "#server/settings.ts";
import { createIds } from "#store/database/ids.ts";
import { StartError } from "#store/database/migrate.ts";
import type { Store, Tx } from "#store/database/store.ts";
import { listKeyActions } from "#store/people/audit.ts";
import {
  ensureInstance,
  getInstance,
  type Instance,
  lockInstance,
  recordAudit,
} from "#store/people/people.ts";
import { findKeysOf, setWorkerKeys } from "#store/runs/workers.ts";
import { readKeyFile, readMasterKeys } from "./data-folder.ts";
import { clock } from "./open.ts";

/** A rotation waits for servers to see each of its steps. */
const lookMs = 2_000;

type Named = Pick<Instance, "masterKeyVersion" | "masterKeyCheck">;

/**
 * Gives each written key its version: a key without one has the version that the database
 * recognizes, or the first.
 */
export const withVersions = (
  written: readonly WrittenKey[],
  { masterKeyVersion, masterKeyCheck }: Named,
): MasterKey[] =>
  written
    .map(({ version, key }) => ({
      version: version ?? (checkOf(key) === masterKeyCheck ? masterKeyVersion : 1),
      key,
    }))
    .sort((a, b) => b.version - a.version);

/** The key named by the database, among the available ones. */
export const activeOf = (
  keys: readonly MasterKey[],
  { masterKeyVersion, masterKeyCheck }: Named,
): MasterKey | undefined =>
  keys.find(({ version, key }) => version === masterKeyVersion && checkOf(key) === masterKeyCheck);

/**
 * @throws StartError if this database's secrets were sealed with another key, because every
 *   provider would then fail, one by one
 */
export async function claimKeys(
  store: Store,
  written: readonly WrittenKey[],
): Promise<MasterKey[]> {
  const [newest] = written;
  if (!newest) throw new Error("there is no master key");
  const instance = await store.write(async (tx) => {
    await ensureInstance(tx, randomUUID(), clock.now(), {
      version: newest.version ?? 1,
      check: checkOf(newest.key),
    });
    return getInstance(tx);
  });
  const keys = instance ? withVersions(written, instance) : [];
  if (!instance || !activeOf(keys, instance))
    throw new StartError(
      "The master key is not the one that this database was set up with. Give every server the same BOTTEGA_MASTER_KEY or master.key, or put the right one back from a backup.",
    );
  return keys;
}

/** Records a change of the master key, which no signed-in person makes, in the audit log. */
export const recordKeyChange = (
  tx: Tx,
  action: "rotate-master-key" | "retire-master-key",
  version: number,
): Promise<void> =>
  recordAudit(tx, {
    id: createIds(clock.now)(),
    actorId: null,
    action,
    targetKind: "instance",
    targetId: "instance",
    ip: null,
    detail: { version },
    at: clock.now(),
  });

/**
 * Records that the versions before a rotation are retired, unless that is recorded already: several
 * servers start with the new version alone.
 */
async function recordRetirement(tx: Tx, version: number): Promise<void> {
  // Servers that start at once take turns.
  await lockInstance(tx);
  const recorded = await listKeyActions(tx, version);
  const has = (action: AuditAction) => recorded.includes(action);
  if (has("rotate-master-key") && !has("retire-master-key"))
    await recordKeyChange(tx, "retire-master-key", version);
}

/**
 * A server's keys: those of master.key are read again when they change, and the database names the
 * active one.
 */
export async function openKeyRing(
  settings: Pick<Settings, "dataFolder" | "masterKey">,
  store: Store,
): Promise<KeyRing & { watch(workerId: string, log: Log): () => Promise<void> }> {
  const written = await readMasterKeys(settings.dataFolder, settings.masterKey);
  let keys = await claimKeys(store, written);
  let named: Named = (await getInstance(store.read))!;
  let active = activeOf(keys, named)!;
  // The old versions in BOTTEGA_MASTER_KEY are retired by a start without them. For master.key,
  // `rotate-key --retire` records it.
  if (settings.masterKey && keys.length === 1 && active.version > 1)
    await store.write((tx) => recordRetirement(tx, active.version));

  /** If the file can't be read now, the earlier contents stay valid. */
  function reload(): void {
    if (settings.masterKey) return;
    try {
      const next = withVersions(readKeyFile(settings.dataFolder), named);
      // Unchanged keys stay the same objects, so that values derived from them stay cached.
      keys = next.map((one) => keys.find((known) => isSame(known, one)) ?? one);
    } catch {
      // The file is read again at the next check.
    }
  }
  async function look(workerId: string): Promise<{ known: number; used: number } | undefined> {
    const found = await findKeysOf(store.read, workerId);
    named = found?.named ?? named;
    reload();
    active = activeOf(keys, named) ?? active;
    return found?.reported;
  }

  return {
    keys: () => keys,
    active: () => active,
    find(version) {
      const found = keys.find((one) => one.version === version);
      if (found) return found;
      reload();
      return keys.find((one) => one.version === version);
    },
    watch(workerId, log) {
      let underWay: Promise<void> | undefined;
      const step = async (): Promise<void> => {
        const reported = await look(workerId);
        const mine = { known: keys[0]?.version ?? 0, used: active.version };
        // A server that was declared dead returns with a new row, which has no versions yet.
        if (reported && (reported.known !== mine.known || reported.used !== mine.used))
          await store.write((tx) => setWorkerKeys(tx, workerId, mine));
      };
      const start = (): void => {
        underWay ??= step()
          .catch((error) =>
            log.warn({ error: String(error) }, "could not look for a new master key"),
          )
          .finally(() => {
            underWay = undefined;
          });
      };
      start();
      const timer = setInterval(start, lookMs).unref();
      return async () => {
        clearInterval(timer);
        await underWay;
      };
    },
  };
}

const isSame = (a: MasterKey, b: MasterKey): boolean =>
  a.version === b.version && Buffer.compare(a.key, b.key) === 0;
