import { expect, it } from "vitest";
import type { ConnectionKind } from "#providers/adapter.ts";
import { requireFields, secretOf, sortValues } from "./connection-values.ts";

const cloud: ConnectionKind = {
  kind: "cloud",
  name: "Cloud",
  summary: "",
  group: "media",
  docs: "",
  fields: [
    { name: "region", label: "Region", kind: "text", required: true },
    {
      name: "signIn",
      label: "Sign in with",
      kind: "choice",
      required: false,
      choices: ["access key", "profile"],
    },
    {
      name: "keyId",
      label: "Key id",
      kind: "secret",
      required: true,
      when: { field: "signIn", is: ["access key"] },
    },
    {
      name: "key",
      label: "Key",
      kind: "secret",
      required: true,
      when: { field: "signIn", is: ["access key"] },
    },
    {
      name: "profile",
      label: "Profile",
      kind: "text",
      required: true,
      when: { field: "signIn", is: ["profile"] },
    },
  ],
  addresses: {},
  tasks: ["chat"],
};
const withKey = { region: "eu-test-1", keyId: "id", key: "secret" };

it("several secrets are sealed as one, by name", () => {
  const sorted = sortValues(cloud, withKey);
  requireFields(cloud, sorted);
  expect(sorted.options).toEqual({ region: "eu-test-1" });
  expect(JSON.parse(secretOf(cloud, sorted, null)!)).toEqual({ keyId: "id", key: "secret" });
});

it("one of several secrets is replaced in place, and an empty field keeps the stored one", () => {
  const stored = JSON.stringify({ keyId: "id", key: "secret" });
  const options = { region: "eu-test-1" };
  expect(
    JSON.parse(secretOf(cloud, sortValues(cloud, { key: "new" }, { options }), stored)!),
  ).toEqual({ keyId: "id", key: "new" });
  expect(
    secretOf(cloud, sortValues(cloud, { region: "eu-test-2" }, { options }), stored),
  ).toBeUndefined();
});

it("values of another choice are dropped and no longer required", () => {
  const sorted = sortValues(
    cloud,
    { signIn: "profile", profile: "work", key: "typed before" },
    { options: { region: "eu-test-1" } },
  );
  expect(() => requireFields(cloud, sorted)).not.toThrow();
  expect(secretOf(cloud, sorted, JSON.stringify({ keyId: "id", key: "secret" }))).toBeNull();
  expect(sortValues(cloud, { signIn: "access key" }, sorted).options).toEqual({
    region: "eu-test-1",
    signIn: "access key",
  });
});

it("a required empty field is named", () => {
  expect(() => requireFields(cloud, sortValues(cloud, { ...withKey, key: " " }))).toThrow(
    "Key is missing.",
  );
  expect(() =>
    requireFields(cloud, sortValues(cloud, { signIn: "profile", region: "eu-test-1" })),
  ).toThrow("Profile is missing.");
});

it.each([
  ["api.example.org/v1", "API: this is not an address. It begins with http:// or https://."],
  ["file:///etc/passwd", "API: this is not an address. It begins with http:// or https://."],
  [
    "https://me:secret@api.example.org/v1",
    "API: leave the user name and password out of the address.",
  ],
  [`https://${"a".repeat(3_000)}/v1`, "API: this is too long for an address."],
])("an unusable address is refused with the reason: %#", (api, reason) => {
  const fields: ConnectionKind["fields"] = [
    { name: "api", label: "API", kind: "url", required: true, address: "api" },
  ];
  expect(() => sortValues({ ...cloud, fields }, { api })).toThrow(reason);
});

const compatible: ConnectionKind = {
  kind: "compatible",
  name: "Compatible",
  summary: "",
  group: "media",
  docs: "",
  fields: [
    { name: "api", label: "Base URL", kind: "url", required: true, address: "api" },
    { name: "key", label: "API key", kind: "secret", required: false },
    { name: "header", label: "Header", kind: "text", required: false },
  ],
  addresses: { api: "https://api.example.org/v1" },
  tasks: ["chat"],
};

it.each([
  "Bearer sk-abc",
  "bearer  sk-abc",
  '"sk-abc"',
  "'sk-abc'",
  "“sk-abc”",
  "`sk-abc`",
  " sk-abc \n",
  "sk-\nabc",
  "sk-abc\r\n",
  "\uFEFFsk-abc\u200B",
  'Authorization: Bearer "sk-abc"',
  "'Bearer sk-abc'",
  "sk-abc",
])("a key pasted as %j is reduced to the key", (key) => {
  expect(sortValues(compatible, { key }).secrets).toEqual({ key: "sk-abc" });
});

it.each([
  ['{\n  "private_key": "a b\\n"\n}', {}],
  ['A_KEY=one B_KEY="two words"', {}],
  ["Basic dXNlcjpwYXNz", {}],
  ["Bearer sk-abc", { header: "X-Proxy-Authorization" }],
])("a secret that is more than a key stays unchanged: %j", (key, more) => {
  expect(sortValues(compatible, { key, ...more }).secrets).toEqual({ key });
});

it.each([
  ["https://api.example.org/v1/chat/completions", "https://api.example.org/v1"],
  ["https://api.example.org/v1/responses/", "https://api.example.org/v1"],
  ["https://api.example.org/v1/embeddings", "https://api.example.org/v1"],
  ["https://api.example.org/v1/images/generations", "https://api.example.org/v1"],
  ["https://api.example.org/v1/audio/transcriptions", "https://api.example.org/v1"],
  ["https://api.example.org/v1/", "https://api.example.org/v1"],
  ["https://api.example.org/chat/completions?x=1", "https://api.example.org"],
  ["https://api.example.org/models", "https://api.example.org/models"],
  ["https://api.example.org/openai/v1", "https://api.example.org/openai/v1"],
])("the address %s is saved as the base %s", (api, base) => {
  expect(sortValues(compatible, { api }).baseUrls).toEqual({ api: base });
});
