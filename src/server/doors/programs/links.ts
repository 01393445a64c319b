import type { Asset } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { NeededScope } from "#contract/routes/scopes.ts";
import { safeFileName } from "#domain/files/file-headers.ts";
import { type Actor, decide, hasNeededScope } from "#domain/people/policy.ts";
import { getAsset } from "#store/content/assets.ts";
import { findLivingKeyById } from "#store/people/api-keys.ts";
import { getUser } from "#store/people/people.ts";
import { findScope } from "#store/people/scopes.ts";
import { actorOf } from "../../auth/identify.ts";
import type { ClientConnection } from "../../client-connection.ts";
import type { ServerDeps } from "../../deps.ts";

/** The lifetime of a URL signed by fal. */
export const weekMs = 7 * 24 * 60 * 60_000;
/** The lifetime of a URL of OpenAI's pictures (platform.openai.com/docs/api-reference/images). */
export const hourMs = 60 * 60_000;

/** The host at which a program reached this server. */
export type Host = Pick<ClientConnection, "encrypted" | "host">;
export type LinkDeps = Pick<ServerDeps, "signer" | "store" | "clock" | "settings">;
/** The person, and the key where there is one, that a URL was issued to. */
export type Bearer = { userId: string; keyId: string | null };
export type Link = {
  assetId: string;
  by: string;
  key?: string | undefined;
  until: number;
  signature: string;
};

export const bearerOf = ({ userId, key }: Actor): Bearer => ({ userId, keyId: key?.id ?? null });

export const originOf = ({ settings }: Pick<ServerDeps, "settings">, line: Host): string =>
  settings.publicUrl?.replace(/\/+$/, "") ?? `${line.encrypted ? "https" : "http"}://${line.host}`;

/**
 * Creates a URL that opens this file without a header, like those of fal's and OpenAI's files: for
 * a limited time, and only while the person (and the key) it was issued to may see the file.
 * Deleting the file invalidates it.
 */
export function linkTo(
  deps: LinkDeps,
  line: Host,
  bearer: Bearer,
  asset: Pick<Asset, "id" | "title" | "mime">,
  lifetimeMs: number,
): string {
  const until = deps.clock.now() + lifetimeMs;
  const query = new URLSearchParams({
    by: bearer.userId,
    ...(bearer.keyId && { key: bearer.keyId }),
    until: String(until),
  });
  query.set(
    "signature",
    deps.signer.sign(
      signedParts({ assetId: asset.id, by: bearer.userId, key: bearer.keyId ?? undefined, until }),
    ),
  );
  const name = encodeURIComponent(safeFileName(asset.title, asset.mime));
  return `${originOf(deps, line)}/api/fal/files/${asset.id}/${name}?${query}`;
}

const signedParts = ({ assetId, by, key, until }: Omit<Link, "signature">): string[] => [
  "file",
  assetId,
  by,
  key ?? "",
  String(until),
];

/**
 * The scopes, one of which a key needs to open a file. A run's output counts as its result as well.
 */
const neededFor = ({ runId }: Asset): NeededScope =>
  runId === null ? ["assets:read"] : ["assets:read", "runs:read"];

/**
 * Returns the file of a URL, by the current rights of its person (and key).
 * @throws Problem not_found for a URL that isn't ours, has expired, or whose person or key may not
 *   see the file any more
 */
export async function requireLinked(deps: LinkDeps, link: Link): Promise<Asset> {
  const isOurs =
    deps.signer.isRight(signedParts(link), link.signature) && link.until > deps.clock.now();
  const actor = isOurs
    ? await actorNow(deps, { userId: link.by, keyId: link.key ?? null })
    : undefined;
  const scope = actor && (await findScope(deps.store.read, "asset", link.assetId, actor.userId));
  const asset =
    actor && decide(actor, "view", scope) === "allowed"
      ? await getAsset(deps.store.read, link.assetId)
      : undefined;
  if (!actor || !asset || !hasNeededScope(actor, neededFor(asset))) throw new Problem("not_found");
  return asset;
}

/**
 * Returns the current rights of the holder of a URL; undefined when the person or the key no longer
 * exists.
 */
export async function actorNow(
  deps: Pick<ServerDeps, "store" | "clock">,
  { userId, keyId }: Bearer,
): Promise<Actor | undefined> {
  if (keyId !== null) {
    const found = await findLivingKeyById(deps.store.read, keyId, deps.clock.now());
    return found?.user.id === userId ? actorOf(found) : undefined;
  }
  const user = await getUser(deps.store.read, userId);
  return user && { userId, role: user.role, status: user.status };
}

/**
 * Returns the asset of one of our own URLs; undefined for any other URL. The signature isn't
 * checked, because the caller must be allowed to use the file anyway.
 */
export function assetOfLink(
  deps: Pick<ServerDeps, "settings">,
  line: ClientConnection,
  address: string,
): string | undefined {
  const root = `${originOf(deps, line)}/api/fal/files/`;
  return address.startsWith(root)
    ? /^([0-9a-f-]{36})\//.exec(address.slice(root.length))?.[1]
    : undefined;
}
