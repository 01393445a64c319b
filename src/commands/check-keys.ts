import { countVersions } from "#engine/recover/rewrap-secrets.ts";
import type { Settings } from "#server/settings.ts";
import type { Store } from "#store/database/store.ts";
import { getInstance } from "#store/people/people.ts";
import { readKeyFile, readMasterKeys } from "../data-folder.ts";
import { withVersions } from "../master-keys.ts";
import type { Finding } from "./finding.ts";

/**
 * Finds secrets that no version of the master key opens, and unneeded versions. Doctor never
 * creates a key.
 */
export async function findLostKeys(
  settings: Settings,
  store: Pick<Store, "read">,
): Promise<{ findings: Finding[]; note?: string }> {
  const instance = await getInstance(store.read);
  const written = settings.masterKey
    ? await readMasterKeys(settings.dataFolder, settings.masterKey)
    : readIfThere(settings.dataFolder);
  if (!instance || !written)
    return { findings: [], note: "Not checked: there is no master key here." };
  const keys = withVersions(written, instance);
  const { counts, lost } = await countVersions(store, { keys: () => keys });
  const unneeded = keys.filter(
    ({ version }) => version !== instance.masterKeyVersion && !counts.has(version),
  );
  const left = [...counts].filter(([version]) => version !== instance.masterKeyVersion);
  return {
    findings: lost.map(({ place, id, sealed }) => ({
      check: "keys",
      subject: `${place} ${id}`,
      text: `its secret needs version ${sealed.split(".")[1]} of the master key, which is not here`,
    })),
    ...(left.length > 0
      ? {
          note: `The rotation to version ${instance.masterKeyVersion} is not finished: ${left.map(([version, count]) => `${count} with version ${version}`).join(", ")}. Run bottega rotate-key.`,
        }
      : unneeded.length > 0 && {
          note: `Nothing needs version ${unneeded.map(({ version }) => version).join(", ")} of the master key any more: bottega rotate-key --retire removes it.`,
        }),
  };
}

function readIfThere(folder: string) {
  try {
    return readKeyFile(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
