import type { IncomingMessage } from "node:http";
import type { User } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import type { Actor } from "#domain/people/policy.ts";
import type { Clock } from "#domain/runs/ids.ts";
import type { Log } from "#engine/deps.ts";
import type { Store } from "#store/database/store.ts";
import { findLivingKey, noteKeyUse, type UsedKey } from "#store/people/api-keys.ts";
import type { Commit } from "#store/runs/unit.ts";
import type { Auth } from "./auth.ts";
import { hashKey, readBearer } from "./bearer.ts";

/** The actor of a request: a signed-in person with the session, or a person's API key. */
export type SignedIn = { user: User } & (
  | { sessionToken: string; key?: undefined }
  | { key: UsedKey; sessionToken?: undefined }
);

type Deps = { auth: Auth; store: Store; commit: Commit; clock: Clock; log: Log };
type Asked = { headers: Headers; encrypted: boolean };

/**
 * Returns the actor of a request, looked up each time. A request with a key belongs to the key: its
 * cookies are ignored.
 */
export async function identify(deps: Deps, request: Asked): Promise<SignedIn | undefined> {
  const token = readBearer(request.headers);
  if (token === undefined) return deps.auth.identify(request);
  const found =
    token === ""
      ? undefined
      : await findLivingKey(deps.store.read, hashKey(token), deps.clock.now());
  if (found) noteUse(deps, found.key);
  return found;
}

/** Converts the identity to the policy's form. */
export const actorOf = ({ user, key }: SignedIn): Actor => ({
  userId: user.id,
  role: user.role,
  status: user.status,
  ...(key && {
    key: {
      id: key.id,
      projectId: key.projectId,
      scopes: key.scopes,
      models: key.models,
      keepsRunning: key.keepsRunning,
      expiresAt: key.expiresAt,
    },
  }),
});

/** Records the use of a key, rarely and without delaying the request. */
function noteUse(deps: Deps, key: UsedKey): void {
  const now = deps.clock.now();
  const before = now - limits.keyUseNotedMs;
  if (key.lastUsedAt !== null && key.lastUsedAt >= before) return;
  deps
    .commit(({ tx }) => noteKeyUse(tx, key.id, now, before))
    .catch((error) =>
      deps.log.warn({ keyId: key.id, error: String(error) }, "could not note that a key was used"),
    );
}

/** Returns the credentials in a socket's upgrade request. */
export const credentialsOf = ({
  headers: { cookie = "", authorization },
}: IncomingMessage): Headers =>
  new Headers({ cookie, ...(authorization !== undefined && { authorization }) });
