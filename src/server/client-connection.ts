import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";
import type { Settings } from "./settings.ts";

/**
 * A request's connection: the client's address, and whether anyone on the way could have read the
 * request.
 */
export type ClientConnection = {
  address: string;
  encrypted: boolean;
  isPrivate: boolean;
  host: string;
};

/** Reads a request's connection. Headers of a proxy count only if its address is a trusted one. */
export function readClientConnection(
  incoming: IncomingMessage,
  settings: Pick<Settings, "trustedProxies" | "publicUrl">,
): ClientConnection {
  const peer = canonical(incoming.socket.remoteAddress ?? "");
  const trusted = isAmong(peer, settings.trustedProxies);
  const forwarded = trusted
    ? lastHop(incoming.headers["x-forwarded-for"], settings.trustedProxies)
    : undefined;
  const address = forwarded ?? peer;
  const protocol = trusted ? header(incoming, "x-forwarded-proto") : undefined;
  return {
    address,
    encrypted: protocol === "https",
    isPrivate: isPrivateAddress(address),
    host:
      (trusted ? header(incoming, "x-forwarded-host") : undefined) ?? incoming.headers.host ?? "",
  };
}

function header(incoming: IncomingMessage, name: string): string | undefined {
  const value = incoming.headers[name];
  return (Array.isArray(value) ? value[0] : value)?.split(",")[0]?.trim();
}

/**
 * Returns the nearest address that isn't a trusted proxy, because the client may have written any
 * entries to the left of it. Undefined when that address can't be parsed.
 */
function lastHop(
  value: string | string[] | undefined,
  proxies: readonly string[],
): string | undefined {
  const hops = (Array.isArray(value) ? value.join(",") : (value ?? ""))
    .split(",")
    .map((hop) => canonical(withoutPort(hop.trim())));
  return hops.reverse().find((hop) => !isAmong(hop, proxies)) || undefined;
}

/** Some proxies append the client's port: 192.0.2.1:5678, [2001:db8::1]:5678. */
const withoutPort = (hop: string): string =>
  /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;

/** Whether an address is one of these, or within one of these ranges. */
function isAmong(address: string, named: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return named.some((name) => {
    if (!name.includes("/")) return canonical(name) === parsed.toString();
    const [range, bits] = ipaddr.parseCIDR(name);
    return range.kind() === parsed.kind() && parsed.match(range, bits);
  });
}

const canonical = (address: string): string =>
  ipaddr.isValid(address) ? ipaddr.process(address).toString() : "";

function isPrivateAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  return ["private", "loopback", "linkLocal", "uniqueLocal", "carrierGradeNat"].includes(
    ipaddr.process(address).range(),
  );
}

/**
 * Whether the Host header is one of ours. Otherwise a page on a foreign name that resolves to this
 * machine could read responses as its own (DNS rebinding).
 */
export function isOwnHost(host: string, publicUrl: string | undefined): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const name = new URL(`http://${host}`).hostname;
  if (publicUrl && new URL(publicUrl).hostname === name) return true;
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    !name.includes(".") ||
    name.endsWith(".local") ||
    ipaddr.isValid(name.replace(/^\[|\]$/g, "")) ||
    (publicUrl === undefined && name.endsWith(".lan"))
  );
}
