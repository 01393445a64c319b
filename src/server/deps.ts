import type { BlobStore } from "#blobs/blob-store.ts";
import type { Clock, Ids } from "#domain/runs/ids.ts";
import type { Log, Media } from "#engine/deps.ts";
import type { Engine } from "#engine/engine.ts";
import type { Hub } from "#engine/hub.ts";
import type { JsonReader } from "#engine/threads/json/json-reader.ts";
import type { Lists } from "#engine/threads/lists/lists.ts";
import type { Store } from "#store/database/store.ts";
import type { Commit } from "#store/runs/outbox.ts";
import type { Auth } from "./auth/auth.ts";
import type { Signer } from "./auth/signed-links.ts";
import type { Settings } from "./settings.ts";
import type { WaitingCalls } from "./waiting-calls.ts";

/** Everything the doors in are made of. */
export type ServerDeps = {
  settings: Pick<Settings, "publicUrl" | "trustedProxies" | "insecureHttp" | "environment">;
  version: string;
  store: Store;
  lists: Lists;
  commit: Commit;
  blobs: BlobStore;
  media: Media;
  json: JsonReader;
  /** Where files of a request wait until they are stored: swept at each start. */
  scratchFolder: string;
  engine: Engine;
  calls: WaitingCalls;
  hub: Hub;
  auth: Auth;
  signer: Signer;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** The folder of the built browser app; undefined in tests that need no pages. */
  webFolder?: string;
};

/** A person's rights or sessions changed: their sockets ask anew, here and on every server. */
export async function tellRightsChanged(
  deps: Pick<ServerDeps, "hub" | "store">,
  userId: string,
): Promise<void> {
  const topic = `rights:${userId}`;
  deps.hub.hint(topic);
  await deps.store.notify(deps.store.db, topic);
}
