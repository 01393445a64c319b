import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { limits } from "#contract/limits.ts";
import {
  checkOf,
  type KeyRing,
  type MasterKey,
  type WrittenKey,
} from "#engine/connections/key-ring.ts";
import { versionOf } from "#engine/connections/secrets.ts";
import { createFailpoints } from "#engine/failpoints.ts";
import { type Rewrapped, rewrapSecrets } from "#engine/recover/rewrap-secrets.ts";
import type { Settings } from "#server/settings.ts";
import { listSealedSecrets } from "#store/checks/sealed-secrets.ts";
import { appliedMigrations, migrationNames } from "#store/database/migrate.ts";
import type { Store } from "#store/database/store.ts";
import { activateMasterKey, getInstance, type Instance } from "#store/people/people.ts";
import { listWorkerKeys } from "#store/runs/workers.ts";
import { formatKeys, lockFile, readMasterKeys, writeKeyFile } from "../data-folder.ts";
import { activeOf, claimKeys, recordKeyChange } from "../master-keys.ts";
import { openMender } from "../open.ts";
import { CommandError } from "./backup-format.ts";

const lookMs = 250;
/** Servers look for a new key every two seconds. */
const patienceMs = 15_000;

type Say = (line: string) => void;
type Work = { settings: Settings; store: Store; instance: Instance; keys: MasterKey[]; say: Say };

/**
 * Creates a new version of the master key and wraps every stored secret with it, while the servers
 * work. Each step is durable before the next, and an interrupted rotation continues when it is run
 * again: both versions open secrets until the old one is retired.
 * @returns 0 if every secret has the new version; 1 if something is left to do, which is reported
 */
export async function rotateKey(
  settings: Settings,
  { retire }: { retire: boolean },
  say: Say,
): Promise<number> {
  const store = await openMender(settings);
  let release: (() => void) | undefined;
  try {
    const applied = await appliedMigrations(store);
    if (applied.join() !== migrationNames.join())
      throw new CommandError(
        `This database has the schema "${applied.at(-1) ?? "none"}", and this program "${migrationNames.at(-1)}". Use the program that serves it, or start the server once.`,
      );
    // Two at once would each write a key of their own.
    if (!settings.masterKey)
      release = lockFile(
        join(settings.dataFolder, "rotate.lock"),
        `Another bottega rotate-key is running in ${settings.dataFolder}. Wait until it ends.`,
      );
    const keys = await claimKeys(
      store,
      await readMasterKeys(settings.dataFolder, settings.masterKey),
    );
    const instance = (await getInstance(store.read))!;
    const work = { settings, store, instance, keys, say };
    return retire ? await retireOld(work) : await rotate(work);
  } finally {
    release?.();
    await store.close();
  }
}

async function rotate(work: Work): Promise<number> {
  const { settings, store, instance, keys, say } = work;
  const failpoints = settings.failpoints && createFailpoints(settings.failpoints);
  const active = instance.masterKeyVersion;
  const isUnfinished = (await listSealedSecrets(store.read)).some(
    ({ sealed }) => versionOf(sealed) !== active,
  );
  if (isUnfinished) {
    say(`Continuing the interrupted rotation to version ${active} of the master key.`);
    return finish(work, await rewrapSecrets({ store, failpoints }, ringOf(keys, instance)));
  }
  let next = keys.find(({ version }) => version > active);
  if (!next) {
    next = { version: active + 1, key: randomBytes(32) };
    const written: WrittenKey[] = [next, ...keys];
    if (settings.masterKey) {
      say(
        "The master key is in BOTTEGA_MASTER_KEY. Set it to this on every server, restart them one after the other, and run this command again with it:",
      );
      say(formatKeys(written, ","));
      return 1;
    }
    await writeKeyFile(settings.dataFolder, written);
    say(
      `Version ${next.version} of the master key is in ${settings.dataFolder}/master.key, next to version ${active}. Copy the file to where you store the master key.`,
    );
  }
  await failpoints?.at("key.written");
  const unaware = await awaitServers(store, ({ known }) => known >= next.version);
  if (unaware.length > 0) {
    say(
      `Nothing uses version ${next.version} yet, because these servers don't know it: ${unaware.join(", ")}. Copy master.key into their data folder, or restart them with both versions in BOTTEGA_MASTER_KEY. Then run this command again.`,
    );
    return 1;
  }
  const check = checkOf(next.key);
  const { version } = next;
  const isActive = await store.write(async (tx) => {
    if (!(await activateMasterKey(tx, active, { version, check }))) return false;
    await recordKeyChange(tx, "rotate-master-key", version);
    return true;
  });
  if (!isActive)
    throw new CommandError(
      "Another server was given a new version of the master key at the same time, and it is in use. No secret uses the new version on this server. Replace its master.key with that server’s.",
    );
  await failpoints?.at("key.activated");
  const behind = await awaitServers(store, ({ used }) => used === next.version);
  const now = { masterKeyVersion: next.version, masterKeyCheck: check };
  const ring = ringOf([next, ...keys.filter((one) => one !== next)], now);
  const done = await rewrapSecrets({ store, failpoints }, ring);
  if (behind.length > 0) {
    say(
      `Version ${next.version} is in use, but these servers still seal with version ${active}: ${behind.join(", ")}. Run this command again in a minute.`,
    );
    return 1;
  }
  return finish({ ...work, instance: { ...instance, ...now } }, done);
}

function finish({ instance, say }: Work, { rewrapped, lost }: Rewrapped): number {
  const version = instance.masterKeyVersion;
  say(
    `${rewrapped} ${rewrapped === 1 ? "secret was" : "secrets were"} wrapped with version ${version} of the master key.`,
  );
  if (tellLost(lost, say)) return 1;
  say(
    "No stored secret needs the older version. Earlier backups still need it: store a copy with them.",
  );
  say(
    "To remove it from this server, run bottega rotate-key --retire. If the old key leaked, do this now: until then it can still forge links, sessions and webhooks.",
  );
  return 0;
}

function tellLost(lost: Rewrapped["lost"], say: Say): boolean {
  for (const { place, id } of lost)
    say(
      `LOST: no key here opens the secret of ${place} ${id}. Enter it again, or put its key back.`,
    );
  return lost.length > 0;
}

async function retireOld(work: Work): Promise<number> {
  const { settings, store, instance, keys, say } = work;
  const active = activeOf(keys, instance)!;
  if (keys.length === 1) {
    say(`The master key has only version ${active.version}. There is nothing to retire.`);
    return 0;
  }
  const behind = await awaitServers(store, ({ used }) => used === active.version);
  if (behind.length > 0) {
    say(
      `These servers don't use version ${active.version} of the master key: ${behind.join(", ")}. Nothing was removed.`,
    );
    return 1;
  }
  const { lost } = await rewrapSecrets({ store }, ringOf(keys, instance));
  if (tellLost(lost, say)) {
    say("Nothing was removed.");
    return 1;
  }
  if (settings.masterKey) {
    say(
      "No secret needs an older version. Set BOTTEGA_MASTER_KEY to this on every server and restart them:",
    );
    say(formatKeys([active], ","));
    return 0;
  }
  await writeKeyFile(settings.dataFolder, [active]);
  await store.write((tx) => recordKeyChange(tx, "retire-master-key", active.version));
  say(
    `Only version ${active.version} of the master key is left in ${settings.dataFolder}/master.key. People who signed in before the rotation sign in again.`,
  );
  return 0;
}

const ringOf = (
  keys: readonly MasterKey[],
  named: Pick<Instance, "masterKeyVersion" | "masterKeyCheck">,
): KeyRing => ({
  keys: () => keys,
  active: () => activeOf(keys, named)!,
  find: (version) => keys.find((one) => one.version === version),
});

/**
 * Waits until every living server is ready. A server without a heartbeat is dead; its row stays
 * until another server notices.
 * @returns the hosts that aren't ready
 */
async function awaitServers(
  store: Store,
  isReady: (server: { known: number; used: number }) => boolean,
): Promise<string[]> {
  const first = new Map<string, number>();
  const since = performance.now();
  for (;;) {
    const servers = await listWorkerKeys(store.read);
    for (const { id, beat } of servers) if (!first.has(id)) first.set(id, beat);
    const waiting = servers.filter((server) => !isReady(server));
    const passed = performance.now() - since;
    const living = waiting.filter(({ id, beat }) => first.get(id) !== beat);
    if (waiting.length === 0) return [];
    if (passed > limits.workerDeadMs || (passed > patienceMs && living.length > 0))
      return living.map(({ host }) => host);
    await wait(lookMs);
  }
}
