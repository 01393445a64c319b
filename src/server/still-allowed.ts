import type { Context } from "hono";
import type { Permission } from "#contract/route.ts";
import type { NeededScope } from "#contract/routes/scopes.ts";
import { type Actor, decide, hasNeededScope } from "#domain/people/policy.ts";
import { findScope } from "#store/people/scopes.ts";
import { actorOf, identify } from "./auth/identify.ts";
import type { ClientConnection } from "./client-connection.ts";
import type { ServerDeps } from "./deps.ts";
import type { Env } from "./env.ts";

type Asked = { actor: Actor; line: ClientConnection; c: Context<Env> };
type Right = {
  permission: Permission;
  needed: NeededScope;
  kind: "run" | "project" | "asset" | "conversation";
  id: string;
};

/** Rights are checked at least this often, in case the hint of a change was lost. */
const recheckMs = 60_000;

/**
 * Whether a request whose response is still being sent would be allowed now, by its credentials.
 */
export async function isStillAllowed(
  deps: ServerDeps,
  { actor, line, c }: Asked,
  { permission, needed, kind, id }: Right,
): Promise<boolean> {
  const still = await identify(deps, { headers: c.req.raw.headers, encrypted: line.encrypted });
  if (still?.user.id !== actor.userId || still.key?.id !== actor.key?.id) return false;
  const now = actorOf(still);
  return (
    hasNeededScope(now, needed) &&
    decide(now, permission, await findScope(deps.store.read, kind, id, actor.userId)) === "allowed"
  );
}

/**
 * Calls `look` whenever the rights of a long response's receiver may have changed: when a change is
 * announced, when their key expires, and once a minute.
 * @returns a function that ends the watch
 */
export function watchRights(
  { hub, clock }: Pick<ServerDeps, "hub" | "clock">,
  { userId, key }: Pick<Actor, "userId" | "key">,
  look: () => void,
): () => void {
  const unsubscribe = hub.subscribe(`rights:${userId}`, look);
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const leftMs = (key?.expiresAt ?? Number.POSITIVE_INFINITY) - clock.now();
    timer = setTimeout(
      () => {
        look();
        wait();
      },
      leftMs > 0 ? Math.min(leftMs, recheckMs) : recheckMs,
    ).unref();
  };
  wait();
  return () => {
    clearTimeout(timer);
    unsubscribe();
  };
}

/** Aborts a long download when its receiver loses the right to it. */
export function endWhenForbidden(deps: ServerDeps, asked: Asked, right: Right): void {
  const { outgoing } = asked.c.env;
  if (outgoing.destroyed || outgoing.closed) return;
  const endWatch = watchRights(deps, asked.actor, () => {
    isStillAllowed(deps, asked, right).then(
      (isAllowed) => isAllowed || outgoing.destroy(),
      (error) =>
        deps.log.warn({ error: String(error) }, "could not look at the rights of a download again"),
    );
  });
  outgoing.on("close", endWatch);
}
