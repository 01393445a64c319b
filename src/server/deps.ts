import type { EngineDeps } from "#engine/deps.ts";
import type { Engine } from "#engine/engine.ts";
import type { Lists } from "#engine/threads/lists/lists.ts";
import type { RenderPage } from "#engine/threads/pages/pages.ts";
import type { Auth } from "./auth/auth.ts";
import type { HookKeys } from "./auth/hook-keys.ts";
import type { Signer } from "./auth/signed-links.ts";
import type { Settings } from "./settings.ts";
import type { WaitingCalls } from "./waiting-calls.ts";

/** The dependencies of the server's routes and sockets. */
export type ServerDeps = EngineDeps & {
  settings: Pick<
    Settings,
    "publicUrl" | "trustedProxies" | "insecureHttp" | "appOrigins" | "environment"
  >;
  version: string;
  lists: Lists;
  /** Renders messages as HTML, in a thread of its own. */
  renderPage: RenderPage;
  /** The folder for files of a request until they are stored. It is swept at each start. */
  scratchFolder: string;
  engine: Engine;
  calls: WaitingCalls;
  auth: Auth;
  signer: Signer;
  hookKeys: HookKeys;
  /** The folder of the built browser app; undefined in tests that need no pages. */
  webFolder?: string;
  /** The folder of the built command line, cli.mjs; undefined when it isn't built. */
  commandLineFolder?: string;
};

/**
 * Makes a person's sockets check their rights again, on every server, after the rights or sessions
 * changed.
 */
export async function notifyRightsChanged(
  deps: Pick<ServerDeps, "hub" | "store">,
  userId: string,
): Promise<void> {
  const topic = `rights:${userId}`;
  deps.hub.hint(topic);
  await deps.store.notify(deps.store.db, [{ topic }]);
}
