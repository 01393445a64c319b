import { expect, it } from "vitest";
import type { Adapter } from "#providers/adapter.ts";
import type { SealedConnection } from "#store/models/connections.ts";
import { oneKey } from "../../../test/support/one-key.ts";
import { openConnection, privateOriginsOf, signInOriginsOf } from "./open-connection.ts";
import { createSecrets } from "./secrets.ts";

const adapter = {
  addresses: { api: "https://service.{region}.example", other: "https://other.example" },
} as unknown as Adapter;
const secrets = createSecrets(oneKey(Buffer.alloc(32)));
const open = (options: object, baseUrls: Record<string, string> = {}, scope = "user") =>
  openConnection({ secrets }, adapter, {
    id: "1",
    kind: "a",
    scope,
    scopeId: null,
    options,
    baseUrls,
    sealedSecret: null,
  } as unknown as SealedConnection);

it("an address contains its named option, and a stored address replaces it", () => {
  expect(open({ region: "eu-1" }).addresses).toEqual({
    api: "https://service.eu-1.example",
    other: "https://other.example",
  });
  expect(open({ region: "eu-1" }, { api: "http://127.0.0.1:9" }).addresses.api).toBe(
    "http://127.0.0.1:9",
  );
});

it("a value that could exceed a part of a host name is never inserted", () => {
  for (const region of ["evil.example/", "a.b", "a@b", "a:1", "", 7, undefined]) {
    expect(open({ region }).addresses.api).toBe("https://service.{region}.example");
  }
});

it("only a connection of the instance is one of the instance", () => {
  expect(open({}).isOfInstance).toBe(false);
  expect(open({}, {}, "instance").isOfInstance).toBe(true);
  const baseUrls = { api: "http://127.0.0.1:9/v1" };
  const origins = (["instance", "user", "project"] as const).map((scope) =>
    privateOriginsOf(adapter, { scope, baseUrls }),
  );
  expect(origins).toEqual([["http://127.0.0.1:9"], [], []]);
});

it("an admin's sign-in server is reached only for signing in, not by model calls", () => {
  const baseUrls = { server: "http://127.0.0.1:9/mcp", signIn: "http://127.0.0.1:10/realms/house" };
  const kind = { ...adapter, signInAddress: "signIn" };
  expect(privateOriginsOf(kind, { scope: "instance", baseUrls })).toEqual(["http://127.0.0.1:9"]);
  expect(signInOriginsOf(kind, { scope: "instance", baseUrls })).toEqual([
    "http://127.0.0.1:9",
    "http://127.0.0.1:10",
  ]);
  expect(signInOriginsOf(kind, { scope: "project", baseUrls })).toEqual([]);
});
