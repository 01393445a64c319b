import { openBlobStorage } from "#blobs/open-storage.ts";
import { createFileOwner } from "#engine/recover/file-owner.ts";
import type { Settings } from "#server/settings.ts";
import { clock, openMender } from "../open.ts";

/**
 * Makes this database the owner of the files in its storage; its servers notice within a minute. If
 * the owner's server didn't stop cleanly, its mark is watched for two minutes first.
 * @throws Problem conflict while another server renews its mark
 */
export async function takeOver(settings: Settings, say: (line: string) => void): Promise<number> {
  const store = await openMender(settings);
  try {
    const storage = openBlobStorage(settings.blobUrl, settings.dataFolder, process.env, {
      sweep: false,
    });
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const owner = await createFileOwner({ store, storage, clock, log });
    await owner.awaitStill(() =>
      say(
        "The other Bottega may still be running. Watching its mark in the storage for two minutes.",
      ),
    );
    await owner.takeOver();
    say("The files now belong to this Bottega. Its servers notice within a minute.");
    return 0;
  } finally {
    await store.close();
  }
}
