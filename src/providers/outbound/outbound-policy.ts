import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Which addresses the program may speak to. Everything here is a pure decision: `outbound.ts` asks before it connects and
 * again with the address that the socket will use, so that a name that changes its mind (DNS rebinding) changes nothing.
 */
export type AddressScope =
  /** Public unicast only. */
  | "public"
  /** An exact origin that an admin stored: loopback and private ranges as well, still never metadata. */
  | "private";

/** The addresses of a name, as returned by `dns.lookup` with `all: true`. */
export type ResolvedAddress = { address: string; family: number };

/**
 * Metadata services outside of the link-local range: AWS and Google over IPv6, Alibaba, Azure's host, Oracle's old one.
 * The one everybody knows, 169.254.169.254, is link-local, which is refused as a range.
 */
const metadataAddresses = new Set([
  "fd00:ec2::254",
  "fd20:ce::254",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
]);

/** Ranges that an admin may open, as an exact origin. 100.64.0.0/10 is what overlay networks such as Tailscale hand out. */
const privateRanges = new Set(["loopback", "private", "uniqueLocal", "carrierGradeNat"]);

/** All of IPv6 that is assigned for the public so far; the rest is unassigned, or an old way to spell an IPv4 address. */
const publicIpv6 = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Why this address may not be called, or null when it may. `process()` turns an IPv4-mapped address (::ffff:a9fe:a9fe)
 * into the IPv4 address that the system would connect to; NAT64, 6to4, Teredo and their kin are ranges of their own, not
 * unicast, and so refused.
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
 * Why this URL may not be called, or null. A name passes here and is checked when it is resolved. `URL` has already turned
 * decimal, octal, hexadecimal, short and full-width spellings into four numbers.
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
 * Why a name may not be called: all of its addresses must be allowed, not only the first. Only the person who named a private origin, an
 * admin, sees the address: to others it would reveal the server's network.
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
