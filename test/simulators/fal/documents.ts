/**
 * The OpenAPI 3.0 documents that fal serves for an endpoint, in its shapes: components, references,
 * titles, orders.
 */

export type Schema = { [keyword: string]: unknown };
export type Components = Record<string, Schema>;

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/**
 * An input or output object. The order of the fields here is the one that fal declares; the
 * document's own differs.
 */
export function object(properties: Record<string, Schema>, required: string[] = []): Schema {
  const names = Object.keys(properties);
  const shuffled = Object.fromEntries(
    [...names].reverse().map((name) => [name, { title: titleOf(name), ...properties[name] }]),
  );
  return {
    type: "object",
    properties: shuffled,
    ...(required.length > 0 && { required }),
    // Like fal's own documents, it names a field that no longer exists.
    "x-fal-order-properties": [...names, "enhance_prompt"],
  };
}

export const text = (description: string, more: Schema = {}): Schema => ({
  type: "string",
  description,
  ...more,
});
export const integer = (description: string, more: Schema = {}): Schema => ({
  type: "integer",
  description,
  ...more,
});
export const number = (description: string, more: Schema = {}): Schema => ({
  type: "number",
  description,
  ...more,
});
export const flag = (description: string, value: boolean): Schema => ({
  type: "boolean",
  description,
  default: value,
});
export const oneOf = (
  description: string,
  values: (string | number)[],
  more: Schema = {},
): Schema => ({
  type: typeof values[0] === "number" ? "integer" : "string",
  enum: values,
  description,
  ...more,
});
export const list = (description: string, items: Schema, more: Schema = {}): Schema => ({
  type: "array",
  items,
  description,
  ...more,
});
export const optional = (description: string, schema: Schema, more: Schema = {}): Schema => ({
  anyOf: [schema, { type: "null" }],
  description,
  ...more,
});

/** Components shared by many endpoints. */
export const shared: Components = {
  ImageSize: object({
    width: integer("The width of the generated image.", {
      default: 512,
      exclusiveMinimum: true,
      minimum: 0,
      maximum: 14142,
    }),
    height: integer("The height of the generated image.", {
      default: 512,
      exclusiveMinimum: true,
      minimum: 0,
      maximum: 14142,
    }),
  }),
  File: object({
    url: text("The URL where the file can be downloaded from."),
    content_type: text("The mime type of the file."),
    file_name: text("The name of the file."),
    file_size: integer("The size of the file in bytes."),
  }),
  QueueStatus: object(
    {
      status: oneOf("", ["IN_QUEUE", "IN_PROGRESS", "COMPLETED"]),
      request_id: text("The request id."),
    },
    ["status"],
  ),
};

const sizeNames = [
  "square_hd",
  "square",
  "portrait_4_3",
  "portrait_16_9",
  "landscape_4_3",
  "landscape_16_9",
];
export const imageSize: Schema = {
  anyOf: [ref("ImageSize"), { enum: sizeNames, type: "string" }],
  description: "The size of the generated image.",
  default: "landscape_4_3",
};

/**
 * One endpoint's document: submit, status, result and cancel, with the input reachable only through
 * the path.
 */
export function document(
  endpointId: string,
  category: string,
  input: Schema,
  components: Components,
  servedBy: string,
): Schema {
  const inputName = `${endpointId.split("/").slice(1).map(pascal).join("")}Input`;
  const status = {
    content: { "application/json": { schema: ref("QueueStatus") } },
    description: "The request status.",
  };
  return {
    openapi: "3.0.4",
    info: {
      title: `Queue OpenAPI for ${endpointId}`,
      version: "1.0.0",
      "x-fal-metadata": { endpointId, category },
    },
    components: {
      schemas: { ...shared, ...components, [inputName]: { title: inputName, ...input } },
    },
    paths: {
      [`/${endpointId}/requests/{request_id}/status`]: { get: { responses: { 200: status } } },
      [`/${endpointId}/requests/{request_id}/cancel`]: {
        put: { responses: { 200: { description: "Cancelled." } } },
      },
      [`/${endpointId}`]: {
        post: {
          requestBody: {
            required: true,
            content: { "application/json": { schema: ref(inputName) } },
          },
          responses: { 200: status },
        },
      },
      [`/${endpointId}/requests/{request_id}`]: {
        get: { responses: { 200: { description: "Result of the request." } } },
      },
    },
    servers: [{ url: servedBy }],
  };
}

function titleOf(name: string): string {
  return name.split("_").map(pascal).join(" ");
}

function pascal(word: string): string {
  return word.replace(/(^|[-.])(\w)/g, (_, __, letter: string) => letter.toUpperCase());
}
