import { z } from "zod";
import * as entities from "#contract/entities.ts";
import { type ErrorCode, errors } from "#contract/errors.ts";
import type { Route } from "#contract/route.ts";
import { type RouteName, routes } from "#contract/routes/index.ts";
import { scopesOfRoutes } from "#contract/routes/scopes.ts";
import { type RouteSchemas, schemas } from "#contract/schemas/index.ts";
import { hookBodies } from "#contract/webhooks.schemas.ts";
import { type HookEvent, projectHookEvents } from "#contract/webhooks.ts";

type Json = { [name: string]: unknown };

/** Named schemas, defined once and referenced everywhere. */
const named = {
  User: entities.user,
  Project: entities.project,
  Member: entities.projectMember,
  Connection: entities.connection,
  Model: entities.model,
  Run: entities.run,
  RunEvent: entities.runEvent,
  Batch: entities.batch,
  Asset: entities.asset,
  Conversation: entities.conversation,
  Message: entities.message,
  Budget: entities.budgetStanding,
  ApiKey: entities.apiKey,
};
const names = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(named)) names.add(schema, { id });

/** The errors of every route, in addition to its own. */
const common: readonly ErrorCode[] = [
  "invalid_input",
  "not_signed_in",
  "forbidden",
  "not_found",
  "rate_limited",
  "internal",
];

/**
 * Generates the whole API as OpenAPI 3.1 (spec.openapis.org/oas/v3.1.1) from the routes that the
 * server registers.
 */
export function createOpenApi(version: string, url: string): Json & { openapi: string } {
  const definitions: Json = {
    Problem: problemSchema,
    OpenAiError: openAiErrorSchema,
    FalError: falErrorSchema,
  };
  const paths: Record<string, Json> = {};
  for (const name of Object.keys(routes) as RouteName[]) {
    const route: Route = routes[name];
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: operationOf(name, route, schemas[name], definitions),
    };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Bottega",
      version,
      summary: "A self-hosted studio for generative media and language models.",
      description:
        "Covers everything that the screens do. /v1 is OpenAI's API for every model. Times are milliseconds UTC, money is micro-dollars. Send an API key as `Authorization: Bearer bottega_…`.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url }],
    tags: [...new Set(Object.values(routes).map(tagOf))].map((tag) => ({ name: tag })),
    paths,
    webhooks: webhooksOf(definitions),
    components: {
      schemas: definitions,
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: "An API key from Settings, API keys." },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "bottega-session",
          description: "A person's session, over https with the prefix __Host-.",
        },
      },
    },
  };
}

/** Describes the webhooks as OpenAPI 3.1's outgoing requests. */
function webhooksOf(definitions: Json): Json {
  const header = (name: string, description: string) => ({
    name,
    in: "header",
    required: true,
    schema: { type: "string" },
    description,
  });
  const described = projectHookEvents.map((event) => [
    event,
    {
      post: {
        operationId: `webhook ${event}`,
        summary: hookSummaries[event],
        description:
          "Signed with Standard Webhooks (standardwebhooks.com, version 1). Delivered at least once, in any order. Any 2xx accepts it.",
        tags: ["webhooks"],
        parameters: [
          header("webhook-id", "The same for every attempt."),
          header("webhook-timestamp", "The time of this attempt, in seconds."),
          header(
            "webhook-signature",
            "`v1,` and the HMAC-SHA256 of id, timestamp and body, joined by dots, in base64; one for each secret that holds.",
          ),
        ],
        requestBody: {
          required: true,
          content: {
            "application/json": { schema: jsonOf(hookBodies[event], "output", definitions) },
          },
        },
        responses: { "2XX": { description: "Taken." } },
      },
    },
  ]);
  return Object.fromEntries(described);
}

const hookSummaries: Record<HookEvent, string> = {
  "run.succeeded": "A run of the project succeeded.",
  "run.failed": "A run of the project failed.",
  "run.cancelled": "A run of the project was canceled.",
  "run.unconfirmed": "The provider did not confirm a run. Another event may follow.",
  "asset.kept": "A person marked a file of the project as kept.",
  "budget.warning": "A budget reached 80% or 100%.",
};

/** Returns a route's area: the part of its path after the version. */
function tagOf({ path }: Pick<Route, "path">): string {
  const [first, second = ""] = path.split("/").filter(Boolean);
  if (first === "v1") return "openai";
  if (first === "api" && second === "v1") return path.split("/")[3]?.replace(/\..*$/, "") ?? "";
  return second;
}

function operationOf(name: RouteName, route: Route, schema: RouteSchemas, definitions: Json): Json {
  const body = bodyOf(route, schema, definitions);
  return {
    operationId: name,
    summary: route.summary,
    description: rightsOf(name, route),
    tags: [tagOf(route)],
    security: securityOf(name, route),
    ...parametersOf(route, schema, definitions),
    ...(body && { requestBody: { required: true, content: body } }),
    responses: {
      "200": { description: "Done.", content: answerOf(route, schema, definitions) },
      ...failuresOf(route),
    },
  };
}

function rightsOf(name: RouteName, { permission }: Route): string {
  if (permission === "public") return "No sign-in is needed.";
  const needed = scopesOfRoutes[name];
  if (needed === "never")
    return `Requires a signed-in person with the permission \`${permission}\`. API keys can't call it.`;
  const scope =
    needed === "any"
      ? "Works with any API key"
      : `Requires an API key with the scope ${needed.map((one) => `\`${one}\``).join(" or ")}`;
  return `${scope}. Its owner needs the permission \`${permission}\`.`;
}

function securityOf(name: RouteName, route: Route): Json[] {
  if (route.permission === "public") return [];
  const session = route.target?.from === "key" ? [] : [{ session: [] }];
  return scopesOfRoutes[name] === "never" ? session : [{ key: [] }, ...session];
}

function parametersOf(route: Route, { params, query }: RouteSchemas, definitions: Json): Json {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const known = params ? propertiesOf(jsonOf(params, "input", definitions)) : {};
  const asked = query ? jsonOf(query, "input", definitions) : {};
  const required = new Set((asked.required as string[] | undefined) ?? []);
  const parameters = [
    ...inPath.map((name) => ({
      name,
      in: "path",
      required: true,
      schema: known[name] ?? { type: "string" },
    })),
    ...Object.entries(propertiesOf(asked)).map(([name, schema]) => ({
      name,
      in: "query",
      required: required.has(name),
      schema,
    })),
    ...(route.method === "POST" && route.permission !== "public"
      ? [
          {
            name: "Idempotency-Key",
            in: "header",
            required: false,
            schema: { type: "string", maxLength: 200 },
          },
        ]
      : []),
  ];
  return parameters.length > 0 ? { parameters } : {};
}

const propertiesOf = (schema: Json): Record<string, Json> =>
  (schema.properties as Record<string, Json> | undefined) ?? {};

function bodyOf(route: Route, { body }: RouteSchemas, definitions: Json): Json | undefined {
  const form = { "multipart/form-data": { schema: { type: "object" } } };
  if (body)
    return {
      "application/json": { schema: jsonOf(body, "input", definitions) },
      ...(route.body === "form" && form),
      ...(route.body === "field" && {
        "application/x-www-form-urlencoded": {
          schema: { type: "object", properties: { json: { type: "string" } }, required: ["json"] },
        },
      }),
    };
  if (route.body !== "bytes") return undefined;
  return route.path.startsWith("/v1/") ? form : { "application/octet-stream": {} };
}

function answerOf(route: Route, { response }: RouteSchemas, definitions: Json): Json {
  if (route.answer === "bytes") return { "application/octet-stream": {} };
  if (route.answer === "events") return { "text/event-stream": { schema: { type: "string" } } };
  return {
    "application/json": {
      schema: response ? jsonOf(response, "output", definitions) : { type: "object" },
    },
  };
}

/** Groups the error codes by status. */
function failuresOf(route: Route): Json {
  if (route.path.startsWith("/v1/"))
    return { default: failure("An error in OpenAI's format.", "OpenAiError", "application/json") };
  if (route.path.startsWith("/api/fal/"))
    return { default: failure("An error in fal's shape.", "FalError", "application/json") };
  const byStatus = Map.groupBy(
    new Set([...common, ...(route.errors ?? [])]),
    (code) => errors[code].status,
  );
  const responses = [...byStatus].map(([status, codes]) => {
    const descriptions = codes.map((code) => `\`${code}\`: ${errors[code].text}`).join(" ");
    return [String(status), failure(descriptions, "Problem", "application/problem+json")] as const;
  });
  return Object.fromEntries(responses);
}

const failure = (description: string, schema: string, type: string): Json => ({
  description,
  content: { [type]: { schema: { $ref: `#/components/schemas/${schema}` } } },
});

const problemSchema: Json = {
  type: "object",
  description: "RFC 9457 problem details.",
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    code: { enum: Object.keys(errors) },
    detail: { type: "string", description: "The error, in one sentence." },
    advice: { type: "string", description: "What to do next." },
    retryable: { type: "boolean" },
    field: { type: "string" },
    id: { type: "string", description: "The ID of the error in the server's log." },
  },
  required: ["type", "title", "status", "code", "detail", "advice", "retryable"],
};
const openAiErrorSchema: Json = {
  type: "object",
  properties: {
    error: {
      type: "object",
      properties: {
        message: { type: "string" },
        type: { type: "string" },
        param: { type: ["string", "null"] },
        code: { type: ["string", "null"] },
        run_id: {
          type: "string",
          description: "The run that failed, with its partial result.",
        },
      },
      required: ["message", "type", "param", "code"],
    },
  },
  required: ["error"],
};

const falErrorSchema: Json = {
  type: "object",
  properties: {
    detail: {
      description: "The error, or the errors of each field.",
      oneOf: [
        { type: "string" },
        {
          type: "array",
          items: {
            type: "object",
            properties: {
              loc: { type: "array", items: { type: "string" } },
              msg: { type: "string" },
              type: { type: "string" },
            },
          },
        },
      ],
    },
    error_type: { type: "string" },
    code: { enum: Object.keys(errors) },
  },
  required: ["detail", "code"],
};

/** Converts a zod schema to JSON Schema 2020-12. Named schemas go into the components. */
function jsonOf(schema: z.ZodType, io: "input" | "output", definitions: Json): Json {
  const made = z.toJSONSchema(schema, { io, metadata: names, unrepresentable: "any" });
  const {
    $schema: _,
    $defs: defs = {},
    ...plain
  } = toComponents(made) as Json & { $defs?: Record<string, Json> };
  for (const [id, definition] of Object.entries(defs)) definitions[id] ??= definition;
  return plain;
}

/**
 * Rewrites references within a schema as references into our document. The ids are our names
 * already.
 */
function toComponents(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toComponents);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (key === "$ref" && typeof inner === "string")
      return [[key, inner.replace("#/$defs/", "#/components/schemas/")]];
    return key === "id" && typeof inner === "string" ? [] : [[key, toComponents(inner)]];
  });
  return Object.fromEntries(entries);
}
