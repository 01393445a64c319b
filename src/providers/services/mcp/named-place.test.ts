import { expect, it } from "vitest";
import { isNamed, requireNamed } from "./named-place.ts";

const at = (signIn: string | undefined) => ({
  connection: {
    id: "c",
    kind: "mcp",
    addresses: { server: "http://10.0.0.7:8080/mcp", ...(signIn && { signIn }) },
    options: {},
    secret: null,
  },
});

it("a tool server may name only the connection's own sign-in server or a realm of it", () => {
  const named = at("https://login.example.org/realms");
  for (const issuer of [
    "https://login.example.org/realms",
    "https://login.example.org/realms/",
    "https://LOGIN.example.org:443/realms/house",
  ])
    expect(isNamed(named, issuer), issuer).toBe(true);
  for (const issuer of [
    "https://login.example.org",
    "https://login.example.org/realms-of-others",
    "https://login.example.org.evil.example/realms",
    "https://login.example.org@evil.example/realms",
    "http://login.example.org/realms",
    "https://login.example.org:8443/realms",
    "https://login.example.org/realms/../admin",
    "no address",
  ])
    expect(isNamed(named, issuer), issuer).toBe(false);
  expect(isNamed(at(undefined), "https://anywhere.example")).toBe(true);
});

it("once a sign-in server is named, a sign-in contacts only it and the tool server", () => {
  const named = at("https://login.example.org/realms");
  for (const address of [
    "https://login.example.org/token",
    "http://10.0.0.7:8080/.well-known/oauth-protected-resource/mcp",
  ])
    expect(() => requireNamed(named, new URL(address)), address).not.toThrow();
  for (const address of [
    "http://10.0.0.7:8081/",
    "https://evil.example/token",
    "http://login.example.org/token",
  ]) {
    expect(() => requireNamed(named, new URL(address)), address).toThrow(
      /the connection allows https:\/\/login\.example\.org\/realms/,
    );
    expect(() => requireNamed(at(undefined), new URL(address)), address).not.toThrow();
  }
});
