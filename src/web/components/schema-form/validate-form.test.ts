import { expect, it } from "vitest";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { form } from "../../messages/en/making/form.ts";
import { addTexts } from "../../messages/t.ts";
import { validateForm } from "./validate-form.ts";

addTexts(form);

const schema: JsonSchema = {
  type: "object",
  required: ["prompt"],
  properties: {
    prompt: { type: "string", minLength: 1, maxLength: 10 },
    steps: { type: "integer", minimum: 1, maximum: 50 },
    strength: { anyOf: [{ type: "number", maximum: 1 }, { type: "null" }] },
    format: { enum: ["jpeg", "png"] },
    image_size: {
      anyOf: [
        { enum: ["square"] },
        { type: "object", properties: { width: { type: "integer", maximum: 2048 } } },
      ],
    },
    loras: {
      type: "array",
      maxItems: 1,
      items: {
        type: "object",
        required: ["path"],
        properties: { path: { type: "string" }, scale: { type: "number", maximum: 4 } },
      },
    },
  },
};

it("finds no error in a valid value", () => {
  expect(
    validateForm(schema, {
      prompt: "A quay",
      steps: 5,
      strength: null,
      image_size: { width: 512 },
      loras: [{ path: "a" }],
    }),
  ).toEqual({});
});

it("names the missing field", () => {
  expect(validateForm(schema, {})).toEqual({ prompt: "This field is required." });
  expect(validateForm(schema, { prompt: "a", loras: [{}] })).toEqual({
    "loras.0.path": "This field is required.",
  });
});

it("states each limit with its number", () => {
  expect(
    validateForm(schema, {
      prompt: "much too long for it",
      steps: 51,
      loras: [{ path: "a", scale: 9 }],
    }),
  ).toEqual({
    prompt: "Enter at most 10 characters.",
    steps: "Use at most 50.",
    "loras.0.scale": "Use at most 4.",
  });
  expect(validateForm(schema, { prompt: "a", steps: 0 })).toEqual({ steps: "Use at least 1." });
  expect(validateForm(schema, { prompt: "a", steps: 1.5 })).toEqual({
    steps: "Use a whole number.",
  });
});

it("reports a nullable value's own error", () => {
  expect(validateForm(schema, { prompt: "a", strength: 2 })).toEqual({
    strength: "Use at most 1.",
  });
});

it("reports a value of no allowed type as not accepted by the model", () => {
  expect(Object.keys(validateForm(schema, { prompt: "a", image_size: 5 }))).toEqual(["image_size"]);
  expect(validateForm(schema, { prompt: "a", format: "gif" })).toEqual({
    format: "Choose one of the values.",
  });
});

it("ends on a recursive schema", () => {
  const loop: JsonSchema = {
    type: "object",
    properties: { node: { $ref: "#/$defs/node" } },
    $defs: {
      node: {
        type: "object",
        properties: { child: { $ref: "#/$defs/node" }, n: { type: "integer" } },
      },
    },
  };
  expect(validateForm(loop, { node: { child: { n: "x" } } })).toEqual({
    "node.child.n": "Use a whole number.",
  });
});

it("finds a limit behind a reference", () => {
  const referred: JsonSchema = {
    type: "object",
    properties: { n: { $ref: "#/$defs/n" } },
    $defs: { n: { type: "integer", maximum: 7 } },
  };
  expect(validateForm(referred, { n: 8 })).toEqual({ n: "Use at most 7." });
});

it("reports a property that the model doesn't have", () => {
  const closed: JsonSchema = {
    type: "object",
    properties: { a: { type: "string" } },
    additionalProperties: false,
  };
  expect(validateForm(closed, { b: 1 })).toEqual({ b: "The model does not accept this value." });
});

it("an input that would double the work at each of its 30 levels is left to the server", () => {
  const kinds = ["and", "or"].map((word) => ({
    type: "object",
    properties: { is: { const: word }, inner: { $ref: "#" } },
  }));
  let reads = 0;
  const nested = (levels: number): JsonObject => ({
    get is() {
      if (++reads > 1_000) throw new Error("It is gone through again and again.");
      return "or";
    },
    ...(levels > 0 && { inner: nested(levels - 1) }),
  });
  expect(validateForm({ anyOf: kinds }, nested(30))).toEqual({});
});
