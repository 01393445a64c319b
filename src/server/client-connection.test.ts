import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, it } from "vitest";
import { readClientConnection } from "./client-connection.ts";
import { readSettings, SettingsError } from "./settings.ts";

const { trustedProxies } = readSettings(
  { BOTTEGA_TRUSTED_PROXIES: "192.0.2.7, 10.0.0.0/8, 2001:db8::/32" },
  [],
);
function lineFrom(peer: string, forwardedFor: string) {
  const socket = Object.defineProperty(new Socket(), "remoteAddress", { value: peer });
  const headers = {
    host: "studio.example.org",
    "x-forwarded-for": forwardedFor,
    "x-forwarded-proto": "https",
  };
  return readClientConnection(Object.assign(new IncomingMessage(socket), { headers }), {
    trustedProxies,
    publicUrl: undefined,
  });
}

it.each(["192.0.2.7", "10.1.2.3", "::ffff:10.1.2.3", "2001:db8::1"])(
  "a proxy at %s is trusted by its address or range",
  (peer) => {
    expect(lineFrom(peer, "203.0.113.9, 198.51.100.4, 10.9.9.9")).toMatchObject({
      address: "198.51.100.4",
      encrypted: true,
    });
  },
);

it.each([
  ["198.51.100.4:5678", "198.51.100.4"],
  ["[2001:db9::4]:5678", "2001:db9::4"],
  ["[2001:db9::4]", "2001:db9::4"],
  ["2001:db9::4", "2001:db9::4"],
  ["198.51.100.4:5678, [2001:db8::5]:80", "198.51.100.4"],
])("a proxy that writes %s names the client %s", (forwardedFor, address) => {
  expect(lineFrom("192.0.2.7", `203.0.113.9, ${forwardedFor}`)).toMatchObject({ address });
});

it.each(["unknown", "_hidden", ""])(
  "entries to the left of the client “%s” were written by the client and aren't trusted",
  (hop) => {
    expect(lineFrom("192.0.2.7", `203.0.113.9, ${hop}`)).toMatchObject({ address: "192.0.2.7" });
  },
);

it.each(["192.0.2.8", "11.0.0.1", "2001:db9::1"])("nobody at %s is trusted", (peer) => {
  expect(lineFrom(peer, "203.0.113.9")).toMatchObject({ address: peer, encrypted: false });
});

it("a value that is neither an address nor a range is refused at the start", () => {
  for (const value of ["10.0.0.0/33", "proxy", "10.0.0.1,,x", "10/8", "10", "10.0.0.0/8/8"])
    expect(() => readSettings({ BOTTEGA_TRUSTED_PROXIES: value }, [])).toThrow(SettingsError);
});
