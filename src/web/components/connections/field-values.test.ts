import { expect, it } from "vitest";
import type { Connection } from "#contract/entities.ts";
import type { ConnectionField } from "../../data/queries/connections.queries.ts";
import { changedValues, changesAddress, firstMissing, typedValues } from "./field-values.ts";

const fields: ConnectionField[] = [
  { name: "key", label: "API key", kind: "secret", required: true },
  { name: "api", label: "Base URL", kind: "url", required: true, address: "api" },
  { name: "mode", label: "Mode", kind: "choice", required: false, choices: ["a", "b"] },
  { name: "tries", label: "Tries", kind: "number", required: false },
];
const connection: Connection = {
  id: "0195d82a-5f73-71bb-b403-0ce0fbe00178",
  slug: "a",
  kind: "a",
  name: "A",
  scope: "instance",
  scopeId: null,
  baseUrls: { api: "https://a.example/v1" },
  options: { mode: "a", tries: 3 },
  hasSecret: true,
  status: "ok",
  statusDetail: null,
  checkedAt: null,
  createdBy: null,
  createdAt: 0,
};

it("a stored connection fills its fields, except the key", () => {
  expect(typedValues(fields, connection)).toEqual({
    key: "",
    api: "https://a.example/v1",
    mode: "a",
    tries: "3",
  });
});

it("only changed values are sent, and an untouched key isn't", () => {
  const before = typedValues(fields, connection);
  expect(changedValues(fields, before, before)).toEqual({});
  expect(changedValues(fields, { ...before, mode: "", tries: "5" }, before)).toEqual({
    mode: "",
    tries: 5,
  });
});

it("a changed address is detected, because it removes the stored key", () => {
  const before = typedValues(fields, connection);
  expect(
    changesAddress(
      fields,
      changedValues(fields, { ...before, api: "https://b.example/v1" }, before),
    ),
  ).toBe(true);
  expect(changesAddress(fields, changedValues(fields, { ...before, key: "new" }, before))).toBe(
    false,
  );
});

it("the first empty required field is named", () => {
  expect(firstMissing(fields, { key: " ", api: "" })?.name).toBe("key");
  expect(firstMissing(fields, { key: "k", api: "https://a.example" })).toBeUndefined();
});
