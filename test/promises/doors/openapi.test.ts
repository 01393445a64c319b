import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, it } from "vitest";
import type { Route } from "#contract/route.ts";
import { routes } from "#contract/routes/index.ts";
import { projectHookEvents } from "#contract/webhooks.ts";
import { createOpenApi } from "#server/openapi.ts";
import { createTestDatabase } from "../../support/databases/databases.ts";
import { createInstance } from "../../support/server/instance.ts";

type Operation = {
  operationId: string;
  summary: string;
  responses: Record<string, { content: Record<string, { schema?: object }> }>;
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, object> };
};
const document = createOpenApi("1.0.0", "https://bottega.example.org");
const operations = Object.values(
  document.paths as Record<string, Record<string, Operation>>,
).flatMap((methods) => Object.values(methods));

it("the API's document is valid OpenAPI 3.1", async () => {
  const result = await new Validator().validate(structuredClone(document) as never);
  expect(result).toMatchObject({ valid: true });
});

it("every route is documented with its summary, input, output and errors", () => {
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
    Object.keys(routes).sort(),
  );
  for (const { operationId, summary, responses } of operations) {
    expect([operationId, summary.length > 10]).toEqual([operationId, true]);
    expect([operationId, Object.keys(responses["200"]!.content).length]).toEqual([operationId, 1]);
    expect([
      operationId,
      Object.keys(responses).some((status) => status === "default" || status === "401"),
    ]).toEqual([operationId, true]);
  }
});

it("every path parameter and reference is explained", () => {
  const paths = Object.entries(document.paths as Record<string, Record<string, Operation>>);
  for (const [path, methods] of paths)
    for (const [, name] of path.matchAll(/\{(\w+)\}/g))
      for (const { parameters = [] } of Object.values(methods))
        expect(parameters.map((one) => one.name)).toContain(name);
  const { schemas } = document.components as { schemas: object };
  for (const [, name] of JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g))
    expect(Object.keys(schemas)).toContain(name);
  expect(JSON.stringify(document)).not.toContain("#/$defs/");
});

it("a route's body is documented with its fields", () => {
  const create = operations.find(({ operationId }) => operationId === "createRuns")!;
  expect(create.requestBody?.content["application/json"]).toMatchObject({
    schema: { required: expect.arrayContaining(["projectId", "models", "task", "input"]) },
  });
  const bodies = operations.filter(({ requestBody }) => requestBody).length;
  expect(bodies).toBeGreaterThan(
    Object.values<Route>(routes).filter(({ method }) => method === "PUT").length,
  );
});

it("the webhook events are described, each with its body", () => {
  const described = document.webhooks as Record<
    string,
    { post: { requestBody: { content: Record<string, { schema: object }> } } }
  >;
  expect(Object.keys(described)).toEqual([...projectHookEvents]);
  for (const [event, { post }] of Object.entries(described))
    expect(post.requestBody.content["application/json"]!.schema).toMatchObject({
      properties: { type: { const: event }, data: { type: "object" } },
      required: expect.arrayContaining(["type", "timestamp", "data"]),
    });
});

it("anyone can download the document", async () => {
  const instance = await createInstance(await createTestDatabase("sqlite"), { endsWithTest: true });
  const answer = await instance.anonymous("getOpenApi");
  expect([answer.status, answer.body.openapi]).toEqual([200, "3.1.1"]);
});
