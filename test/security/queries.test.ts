import { afterAll, beforeAll, expect, it } from "vitest";
import type { Route } from "#contract/route.ts";
import { type RouteName, routes } from "#contract/routes/index.ts";
import { createTestDatabase } from "../support/databases/databases.ts";
import { type Caller, createInstance, type Instance } from "../support/server/instance.ts";

const names = Object.keys(routes) as RouteName[];
const routeOf = (name: RouteName): Route => routes[name];
const id = "0198f3a0-0000-7000-8000-000000000000";

let instance: Instance;
let owner: Caller;
beforeAll(async () => {
  instance = await createInstance(await createTestDatabase("sqlite"));
  owner = await instance.createPerson("owner@example.org", { role: "owner" });
});
afterAll(() => instance.close());

const ask = async (name: RouteName, query: string) => {
  const route = routeOf(name);
  const path = route.path.replace(/:(\w+)/g, (_, param) =>
    param === "projectId" ? owner.projectId : id,
  );
  const response = await instance.request(`${path}?${query}`, {
    method: route.method,
    headers: { cookie: owner.cookie },
  });
  return { status: response.status, text: await response.text() };
};

it("every /api route refuses an unknown query parameter and names it", async () => {
  const strict = names.filter(
    (name) => routeOf(name).path.startsWith("/api/") && !routeOf(name).anyQuery,
  );
  for (const name of strict) {
    // With rate-limited guessing, a few dozen requests are already too many.
    if (routeOf(name).rate === "sign-in") continue;
    const { status, text } = await ask(name, "trashd=true&quillwort=1");
    expect([name, status, text.includes("trashd, quillwort")]).toEqual([name, 422, true]);
  }
});

it("sign-in and webhook callbacks accept the sender's extra parameters", () => {
  expect(names.filter((name) => routeOf(name).anyQuery).sort()).toEqual([
    "finishSignIn",
    "receiveWebhook",
  ]);
});

it("a misspelled filter no longer returns the whole list", async () => {
  const { status, text } = await ask(
    "listConversations",
    `projectId=${owner.projectId}&trashed=true`,
  );
  expect([status, JSON.parse(text)]).toMatchObject([
    422,
    { code: "invalid_input", field: "trashed" },
  ]);
});
