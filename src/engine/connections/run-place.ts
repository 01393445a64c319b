import { isIP } from "node:net";
import type { RunPlace } from "#contract/filters/model-filters.ts";
import { limits } from "#contract/limits.ts";
import type { ConnectionKind } from "#providers/adapter.ts";
import { refuseAddress } from "#providers/outbound/outbound-policy.ts";

/**
 * Where a connection's models run: as its kind declares, or else according to its first address.
 */
export function runPlaceOf(
  kind: Pick<ConnectionKind, "runsOn" | "addresses"> | undefined,
  facts: { baseUrls: Record<string, string> },
): RunPlace {
  if (!kind || kind.runsOn) return kind?.runsOn ?? "hosted";
  const [name = ""] = Object.keys(kind.addresses);
  return isPrivate(facts.baseUrls[name] ?? kind.addresses[name] ?? "") ? "local" : "hosted";
}

type ConnectionSlots = {
  baseUrls: Record<string, string>;
  places: { text: number | null; media: number | null; said: number | null };
};

/** How many text runs and how many other runs a connection can have at once. */
export function slotsOf(
  kind: Pick<ConnectionKind, "runsOn" | "addresses" | "localSlots"> | undefined,
  connection: ConnectionSlots,
) {
  const { text, media, said } = connection.places;
  const isLocal = runPlaceOf(kind, connection) === "local";
  const local = Math.min(kind?.localSlots ?? said ?? 1, limits.maxLocalSlots);
  return {
    text: text ?? (isLocal ? local : limits.textSlots),
    media: media ?? (isLocal ? local : limits.mediaSlots),
  };
}

/**
 * A local kind is free at a private address; the same software at a hosted address may be billed.
 */
export const isFreeAt = (
  kind: (Pick<ConnectionKind, "free" | "runsOn" | "addresses"> & object) | undefined,
  facts: { baseUrls: Record<string, string> },
): boolean => kind?.free === true && runPlaceOf(kind, facts) === "local";

/** A private address is in a private IP range or has a name without a public suffix. */
function isPrivate(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const host = new URL(address).hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) return refuseAddress(host, "public") !== null;
  return !host.includes(".") || /\.(local|internal|lan|home|localhost)$/.test(host);
}
