import { expect, it } from "vitest";
import { fieldsAskedFor } from "./connection-fields.ts";

const fields = [
  { name: "signIn", choices: ["key", "profile"] },
  { name: "key", when: { field: "signIn", is: ["key"] } },
  { name: "profile", when: { field: "signIn", is: ["profile"] } },
  { name: "role", when: { field: "signIn", is: ["key", "profile"] } },
];
const asked = (signIn: unknown) =>
  fieldsAskedFor(fields, (name) => (name === "signIn" ? signIn : undefined)).map(
    ({ name }) => name,
  );

it("a conditional field is shown only for the choices that it names", () => {
  expect(asked("key")).toEqual(["signIn", "key", "role"]);
  expect(asked("profile")).toEqual(["signIn", "profile", "role"]);
  expect(asked("something else")).toEqual(["signIn"]);
});

it("an unset choice counts as its first option", () => {
  expect(asked("")).toEqual(asked("key"));
  expect(asked(undefined)).toEqual(asked("key"));
});

it("a condition on a missing field is never met", () => {
  expect(fieldsAskedFor([{ name: "a", when: { field: "b", is: ["c"] } }], () => undefined)).toEqual(
    [],
  );
});
