import { limits } from "#contract/limits.ts";
import type { SealedConnection } from "#store/models/connections.ts";
import { kindOf, privateOriginsOf } from "../connections/open-connection.ts";
import type { EngineDeps } from "../deps.ts";
import { fetchPicture, type RemotePicture } from "./remote-picture.ts";

type ModelSamples = {
  /** The picture at a model's sample address; undefined if there is none that browsers can show. */
  get(connection: SealedConnection, url: string): Promise<RemotePicture | undefined>;
};

/** How long until a sample that couldn't be fetched is requested again. */
const failureMs = 10 * 60_000;
/** A provider may replace its picture at the same address. */
const freshMs = 24 * 60 * 60_000;

type CachedSample = { sample: Promise<RemotePicture | undefined>; until: number; bytes: number };

/**
 * Serves providers' sample pictures of models from memory, so that browsers never contact the
 * provider. They are fetched like any external file: within the address policy, without a key, and
 * identified by their bytes.
 */
export function createModelSamples(
  deps: Pick<EngineDeps, "kinds" | "outbound" | "media" | "clock">,
): ModelSamples {
  /** Ordered by last use, oldest first. */
  const kept = new Map<string, CachedSample>();

  function forgetTheOldest(): void {
    let total = [...kept.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    for (const [key, { bytes }] of kept) {
      if (total <= limits.modelSamplesBytes) return;
      kept.delete(key);
      total -= bytes;
    }
  }

  const read = (connection: SealedConnection, url: string): Promise<RemotePicture | undefined> =>
    fetchPicture(deps, {
      url,
      privateOrigins: privateOriginsOf(kindOf(deps, connection.kind), connection),
      mostBytes: limits.modelSampleBytes,
    });

  return {
    async get(connection, url) {
      // An address that one connection may reach can be forbidden to another.
      const key = `${connection.id} ${url}`;
      const now = deps.clock.now();
      const known = kept.get(key);
      const entry: CachedSample =
        known && known.until > now
          ? known
          : {
              sample: read(connection, url).catch(() => undefined),
              until: now + freshMs,
              bytes: 0,
            };
      kept.delete(key);
      kept.set(key, entry);
      const sample = await entry.sample;
      if (sample) entry.bytes = sample.bytes.byteLength;
      else entry.until = Math.min(entry.until, now + failureMs);
      forgetTheOldest();
      return sample;
    },
  };
}
