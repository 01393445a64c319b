import { afterAll, beforeAll, expect, it } from "vitest";
import type { Asset, Conversation, Run } from "#contract/entities.ts";
import type { Route } from "#contract/route.ts";
import { type RouteName, routes } from "#contract/routes/index.ts";
import { insertMember } from "#store/people/projects.ts";
import { forEachDatabase } from "../support/databases/databases.ts";
import {
  calls,
  createRouteWorld,
  isForAuthors,
  names,
  ofProject,
  type RouteWorld,
  streams,
} from "../support/server/every-route.ts";
import type { Caller } from "../support/server/instance.ts";

forEachDatabase((_, create) => {
  let here: RouteWorld;
  beforeAll(async () => {
    here = await createRouteWorld(await create());
  });
  afterAll(() => here.instance.close());

  /** A browser's own navigation is redirected, to a screen that checks the session. */
  const refusalOf = (name: RouteName): number => ((routes[name] as Route).signedOut ? 303 : 401);

  it("every route of the contract refuses anyone who isn't signed in", async () => {
    const { instance, things } = here;
    for (const name of names) {
      if ((routes[name] as Route).permission === "public") continue;
      expect([name, (await instance.anonymous(name, calls[name](things))).status]).toEqual([
        name,
        refusalOf(name),
      ]);
    }
  });

  it("every route of the contract refuses a suspended person, whatever their roles were", async () => {
    const { instance, suspendedCookie, things } = here;
    for (const name of names) {
      const route: Route = routes[name];
      if (route.permission === "public") continue;
      const given = calls[name](things);
      const path =
        route.path.replace(/:(\w+)/g, (_, key: string) => given.params?.[key] ?? "") +
        (given.query ? `?${new URLSearchParams(given.query)}` : "");
      const response = await instance.request(path, {
        method: route.method,
        headers: {
          cookie: suspendedCookie,
          ...(given.body !== undefined && { "content-type": "application/json" }),
        },
        ...(given.body !== undefined && { body: JSON.stringify(given.body) }),
      });
      expect([name, response.status]).toEqual([name, refusalOf(name)]);
    }
  });

  it("a project's content doesn't exist for other people of the instance", async () => {
    const { other, things } = here;
    for (const name of ofProject) {
      expect([name, (await other.call(name, calls[name](things))).status]).toEqual([name, 404]);
    }
  });

  it("another person's connection doesn't exist, and only admins change the instance's", async () => {
    const { other, things } = here;
    for (const name of names) {
      if (!(routes[name] as Route).permission.startsWith("connection:")) continue;
      expect([name, (await other.call(name, calls[name](things))).status]).toEqual([name, 404]);
      if ((routes[name] as Route).permission === "connection:manage") {
        expect([
          name,
          (await other.call(name, calls[name]({ ...things, ownConnectionId: things.connectionId })))
            .status,
        ]).toEqual([name, 403]);
      }
    }
  });

  it("a viewer sees shared content and changes nothing; a private conversation stays hidden from them", async () => {
    const { viewer, things } = here;
    for (const name of ofProject) {
      const route: Route = routes[name];
      // Leaving would end the viewer's membership.
      if (streams.has(name) || name === "leaveProject") continue;
      const { status } = await viewer.call(name, calls[name](things));
      const isResponse = name === "getResponse" || name === "listInputItems";
      const isPrivate =
        route.target?.kind === "conversation" ||
        route.target?.kind === "message" ||
        route.target?.kind === "folder" ||
        isForAuthors(name) ||
        isResponse;
      // The guide, which the call names, has no sample.
      const isAbsent = name === "getModelSample";
      const expected = isPrivate || isAbsent ? [404] : route.permission === "view" ? [200] : [403];
      expect([name, expected.includes(status), status]).toEqual([name, true, status]);
    }
  });

  it("only owners and admins manage people and the instance", async () => {
    const { other, things } = here;
    for (const name of names) {
      const { permission }: Route = routes[name];
      if (permission !== "people" && permission !== "instance") continue;
      expect([name, (await other.call(name, calls[name](things))).status]).toEqual([name, 403]);
    }
  });

  it("the instance's webhooks are for admins only, and a project's are hidden from admins outside it", async () => {
    const { instance, owner, other, things } = here;
    const made = await owner.call<{ id: string }>("addWebhook", {
      body: { url: "https://hooks.example.org/budgets" },
    });
    const admin = await instance.createPerson("admin@example.org", { role: "admin" });
    for (const name of names) {
      if ((routes[name] as Route).permission !== "webhook:manage") continue;
      expect([
        name,
        (await other.call(name, calls[name]({ ...things, webhookId: made.body.id }))).status,
      ]).toEqual([name, 404]);
      expect([name, (await admin.call(name, calls[name](things))).status]).toEqual([name, 404]);
    }
    expect(
      (await admin.call("listDeliveries", { params: { webhookId: made.body.id } })).status,
    ).toBe(200);
  });

  it("an asset of another project can't be attached, used as input or downloaded through one's own", async () => {
    const { other, things } = here;
    const mine = { projectId: other.projectId };
    const { conversation } = (
      await other.call<{ conversation: Conversation }>("createConversation", { body: mine })
    ).body;
    const attempts = [
      await other.call("sendMessage", {
        params: { conversationId: conversation.id },
        body: { parentId: null, text: "x", attachments: [things.assetId] },
      }),
      await other.call("sendMessage", {
        params: { conversationId: conversation.id },
        body: { parentId: things.messageId, text: "x" },
      }),
      await other.call("createRuns", {
        body: {
          ...mine,
          models: [{ connectionId: things.connectionId, modelId: "upscale" }],
          task: "upscale",
          input: { image: `asset:${things.assetId}` },
        },
      }),
      await other.call("createRuns", {
        body: {
          ...mine,
          models: [{ connectionId: things.connectionId, modelId: "pattern" }],
          task: "image",
          input: { prompt: "x" },
          remixOf: things.runId,
        },
      }),
      await other.call("downloadAssets", { query: { ...mine, ids: things.assetId } }),
      await other.call("downloadSelection", { query: mine, body: { ids: [things.assetId] } }),
      await other.call("updateConversation", {
        params: { conversationId: conversation.id },
        body: { headMessageId: things.messageId },
      }),
    ];
    expect(attempts.map((answer) => answer.status)).toEqual(attempts.map(() => 404));
    const { owner } = here;
    // An act on many skips missing assets, and reveals no more about them than about an unknown id.
    for (const id of [things.assetId, "00000000-0000-4000-8000-000000000000"]) {
      const act = { ...mine, ids: [id], action: "trash" };
      const { body } = await other.call("updateAssets", { body: act });
      expect(body).toEqual({ changed: 0, left: [{ reason: "gone", count: 1 }], undo: [] });
    }
    const { body } = await owner.call<{ asset: Asset }>("getAsset", {
      params: { assetId: things.assetId },
    });
    expect(body.asset.trashedAt).toBeNull();
  });

  it("a browser revalidates a picture in every size, because rights can change", async () => {
    const { owner, things } = here;
    const params = { assetId: things.assetId, variant: "thumb-320.webp" };
    for (const name of ["getFile", "getVariant"] as const) {
      const { headers } = await owner.call(name, { params });
      expect([name, headers.get("cache-control")]).toEqual([name, "private, no-cache"]);
      const again = await owner.call(name, {
        params,
        headers: { "if-none-match": headers.get("etag")! },
      });
      expect([name, again.status]).toEqual([name, 304]);
    }
  });

  it("nothing is made from a run that the requester can't see, and results of a private run are private", async () => {
    const { instance, owner, things } = here;
    const { projectId, connectionId } = things;
    const models = [{ connectionId, modelId: "pattern" }];
    const input = { prompt: "sea", image_size: { width: 64, height: 64 } };
    const make = (who: Caller, remixOf?: string) =>
      who.call<{ runs: Run[] }>("createRuns", {
        body: { projectId, models, task: "image", input, remixOf },
      });
    const editor = await instance.createPerson("editor@example.org");
    await instance.commit(({ tx }) =>
      insertMember(tx, { projectId, userId: editor.user.id, role: "editor", at: 0 }),
    );
    const [shared] = (await make(owner)).body.runs;
    expect((await make(editor, shared!.id)).body.runs[0]?.visibility).toBe("project");
    await instance.commit(({ tx }) =>
      tx.updateTable("run").set({ visibility: "author" }).where("id", "=", shared!.id).execute(),
    );
    expect((await make(editor, shared!.id)).status).toBe(404);
    expect((await make(editor, crypto.randomUUID())).status).toBe(404);
    expect((await make(owner, shared!.id)).body.runs[0]?.visibility).toBe("author");
  });

  it("a request from another site changes nothing", async () => {
    const { instance, owner } = here;
    const headers = { cookie: owner.cookie, "content-type": "application/json" };
    const body = JSON.stringify({ name: "taken" });
    const forgeries: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { origin: "null" },
    ];
    for (const forged of forgeries) {
      expect(
        (
          await instance.request("/api/v1/projects", {
            method: "POST",
            headers: { ...headers, ...forged },
            body,
          })
        ).status,
      ).toBe(403);
    }
    expect(
      (
        await instance.request("/api/v1/projects", {
          method: "POST",
          headers: { ...headers, "content-type": "text/plain" },
          body,
        })
      ).status,
    ).toBe(415);
  });

  it("a host name other than the server's own is refused, so that no page can rebind to it", async () => {
    const { instance } = here;
    expect(
      (await instance.request("/api/v1/instance", { headers: { host: "evil.example.com" } }))
        .status,
    ).toBe(403);
  });
});
