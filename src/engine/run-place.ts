import { isIP } from "node:net";
import type { RunPlace } from "#contract/model-filters.ts";
import type { ConnectionKind } from "#providers/adapter.ts";
import { refuseAddress } from "#providers/outbound-policy.ts";

/** Where a connection's models run: as its kind says, or else by where its first address is. */
export function runPlaceOf(
  kind: Pick<ConnectionKind, "runsOn" | "addresses"> | undefined,
  facts: { baseUrls: Record<string, string> },
): RunPlace {
  if (!kind || kind.runsOn) return kind?.runsOn ?? "hosted";
  const [name = ""] = Object.keys(kind.addresses);
  return isNear(facts.baseUrls[name] ?? kind.addresses[name] ?? "") ? "local" : "hosted";
}

/** An address that only one's own network knows: a private number, or a name without a public ending. */
function isNear(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const host = new URL(address).hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) return refuseAddress(host, "public") !== null;
  return !host.includes(".") || /\.(local|internal|lan|home|localhost)$/.test(host);
}
