import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Which addresses the program may connect to. All decisions here are pure: `outbound.ts` checks
 * before it connects, and again the address that the socket will use, so that a name that changes
 * its address (DNS rebinding) gains nothing.
 */
export type AddressScope =
  /** Public unicast only. */
  | "public"
  /**
   * An exact origin that an admin entered: loopback and private ranges too, but never metadata
   * services.
   */
  | "private";

/** A name's addresses, as returned by `dns.lookup` with `all: true`. */
export type ResolvedAddress = { address: string; family: number };

/**
 * Metadata services outside of the link-local range: AWS and Google over IPv6, Alibaba, Azure's
 * host, Oracle's old one. The best known, 169.254.169.254, is link-local, a range that is refused
 * entirely.
 */
const metadataAddresses = new Set([
  "fd00:ec2::254",
  "fd20:ce::254",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
]);

/**
 * Ranges that an admin may open, as an exact origin. Overlay networks such as Tailscale assign
 * 100.64.0.0/10.
 */
const privateRanges = new Set(["loopback", "private", "uniqueLocal", "carrierGradeNat"]);

/**
 * All of IPv6 that is publicly assigned so far; the rest is unassigned, or an old notation of an
 * IPv4 address.
 */
const publicIpv6 = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Returns why this address may not be called, or null when it may. `process()` converts an
 * IPv4-mapped address (::ffff:a9fe:a9fe) to the IPv4 address that the system would connect to.
 * NAT64, 6to4, Teredo and similar are separate ranges, not unicast, and so refused.
 */
export function refuseAddress(literal: string, scope: AddressScope): string | null {
  const withoutZone = literal.replace(/%.*$/, "");
  if (!ipaddr.isValid(withoutZone)) return "is not an address";
  const address = ipaddr.process(withoutZone);
  const range = address.range();
  if (range === "linkLocal" || metadataAddresses.has(address.toString()))
    return "belongs to the machine's own metadata or link";
  if (scope === "private" && privateRanges.has(range)) return null;
  if (range !== "unicast") return `is not a public address (${range})`;
  if (address instanceof ipaddr.IPv6 && !address.match(publicIpv6))
    return "is not a public address";
  return null;
}

/**
 * Returns why this URL may not be called, or null. A name passes here and is checked when it is
 * resolved. `URL` has already normalized decimal, octal, hexadecimal, short and full-width
 * notations to four numbers.
 */
export function refuseUrl(url: URL, scope: AddressScope): string | null {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `only http and https are spoken, not ${url.protocol.slice(0, -1)}`;
  if (url.username || url.password) return "an address must not carry a user name or password";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) === 0) return null;
  const refusal = refuseAddress(host, scope);
  return refusal === null ? null : `${host} ${refusal}`;
}

/**
 * Returns why a name may not be called: all of its addresses must be allowed, not only the first.
 * Only an admin, who entered the private origin, sees the address: to others it would reveal the
 * server's network.
 */
export function refuseResolved(
  name: string,
  addresses: readonly ResolvedAddress[],
  scope: AddressScope,
): string | null {
  const refused = addresses.find(({ address }) => refuseAddress(address, scope) !== null);
  if (addresses.length > 0 && !refused) return null;
  if (scope === "public" || !refused) return `${name} has no public address`;
  return `${name} is ${refused.address}, which ${refuseAddress(refused.address, scope)}`;
}
