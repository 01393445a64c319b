import { afterAll, beforeAll, expect, it } from "vitest";
import { keyScopes } from "#contract/key-scopes.ts";
import type { Route } from "#contract/route.ts";
import { routes } from "#contract/routes/index.ts";
import { scopesOfRoutes } from "#contract/routes/scopes.ts";
import { forEachDatabase } from "../support/databases/databases.ts";
import {
  calls,
  createRouteWorld,
  isForAuthors,
  isForKeys,
  mayWith,
  names,
  needsProject,
  ofProject,
  type RouteWorld,
  range,
  streams,
} from "../support/server/every-route.ts";

forEachDatabase((_, create) => {
  let here: RouteWorld;
  beforeAll(async () => {
    here = await createRouteWorld(await create());
  });
  afterAll(() => here.instance.close());

  it("a key may call only what its scopes allow, even if its person may do more", async () => {
    const { instance, owner, things } = here;
    for (const scope of keyScopes) {
      const key = await instance.createKey(owner, { scopes: [scope] });
      for (const name of names) {
        if ((routes[name] as Route).permission === "public" || mayWith(scope, name)) continue;
        expect([scope, name, (await key.call(name, calls[name](things))).status]).toEqual([
          scope,
          name,
          403,
        ]);
      }
    }
  });

  it("a key with every scope sees nothing of its person's other projects", async () => {
    const { instance, owner, things } = here;
    const elsewhere = (
      await owner.call<{ project: { id: string } }>("createProject", {
        body: { name: "elsewhere" },
      })
    ).body.project.id;
    const key = await instance.createKey(owner, { projectId: elsewhere });
    for (const name of ofProject) {
      if (scopesOfRoutes[name] === "never") continue;
      expect([name, (await key.call(name, calls[name](things))).status]).toEqual([name, 404]);
    }
    const { body } = await key.call<{ projects: { id: string }[] }>("listProjects");
    expect(body.projects.map(({ id }) => id)).toEqual([elsewhere]);
    expect((await key.call<{ projects: object[] }>("getMe")).body.projects).toHaveLength(1);
    expect(
      (await key.call("getUsage", { query: { ...range, projectId: things.projectId } })).status,
    ).toBe(404);
  });

  it("a viewer's key with every scope does no more than the viewer", async () => {
    const { instance, viewer, things } = here;
    const key = await instance.createKey(viewer, { projectId: things.projectId });
    for (const name of names) {
      const route: Route = routes[name];
      if (
        !needsProject.includes(route.permission) ||
        streams.has(name) ||
        scopesOfRoutes[name] === "never"
      )
        continue;
      const isResponse = name === "getResponse" || name === "listInputItems";
      const isPrivate =
        route.target?.kind === "conversation" ||
        route.target?.kind === "message" ||
        route.target?.kind === "folder" ||
        isForAuthors(name) ||
        isResponse;
      // The guide, which the call names, has no sample.
      const isAbsent = name === "getModelSample";
      const expected = isPrivate || isAbsent ? 404 : route.permission === "view" ? 200 : 403;
      expect([name, (await key.call(name, calls[name](things))).status]).toEqual([name, expected]);
    }
    for (const name of names) {
      const { permission }: Route = routes[name];
      if (permission === "people" || permission === "instance")
        expect([name, (await key.call(name, calls[name](things))).status]).toEqual([name, 403]);
    }
  });

  it("a session isn't a key: OpenAI's API accepts no cookie", async () => {
    const { owner, things } = here;
    for (const name of names.filter(isForKeys))
      expect([name, (await owner.call(name, calls[name](things))).status]).toEqual([name, 401]);
  });

  it("what a key's scope allows isn't refused", async () => {
    const { instance, owner, things } = here;
    for (const scope of keyScopes) {
      const key = await instance.createKey(owner, { scopes: [scope] });
      for (const name of names) {
        const route: Route = routes[name];
        // Not those that would end resources of the others, and none that needs a port.
        if (
          route.permission === "public" ||
          route.method === "DELETE" ||
          route.answer ||
          !mayWith(scope, name)
        )
          continue;
        if (name === "lookForServers" || name === "checkConnection") continue;
        const { status } = await key.call(
          name,
          calls[name]({ ...things, ownConnectionId: things.projectConnectionId }),
        );
        expect([scope, name, status === 401 || status === 403, status]).toEqual([
          scope,
          name,
          false,
          status,
        ]);
      }
    }
  });

  it("a key reaches only its project: an admin's key changes neither their connections nor the instance", async () => {
    const { instance, owner, things } = here;
    const key = await instance.createKey(owner, { projectId: things.projectId });
    for (const name of names) {
      const { permission }: Route = routes[name];
      if (permission === "people" || permission === "instance")
        expect([name, (await key.call(name, calls[name](things))).status]).toEqual([name, 403]);
      if (permission !== "connection:manage") continue;
      for (const ownConnectionId of [things.ownConnectionId, things.connectionId])
        expect([
          name,
          (await key.call(name, calls[name]({ ...things, ownConnectionId }))).status,
        ]).toEqual([name, 403]);
    }
    const taken = { kind: "none", name: "n", scope: "user" };
    expect((await key.call("createConnection", { body: taken })).status).toBe(403);
  });
});
