import { afterAll, beforeAll, expect, it } from "vitest";
import { limits } from "#contract/limits.ts";
import type { RouteName } from "#contract/routes/index.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { insertMember } from "#store/people/projects.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { type Caller, createInstance, type Instance } from "../../support/server/instance.ts";

/** Conversation folders and tags belong to one person, and conversations outlive them. */
forEachDatabase((_, create) => {
  let instance: Instance;
  let ada: Caller;
  let bea: Caller;
  let projectId: string;
  beforeAll(async () => {
    instance = await createInstance(await create(), { start: false });
    ada = await instance.createPerson("ada@example.org");
    bea = await instance.createPerson("bea@example.org");
    ({ projectId } = ada);
    await instance.commit(({ tx }) =>
      insertMember(tx, { projectId, userId: bea.user.id, role: "editor", at: 0 }),
    );
  });
  afterAll(() => instance.close());

  const callAs = async <N extends RouteName>(who: Caller, name: N, given: object) => {
    const { status, body } = await who.call<RouteOutput<N>>(name, given as never);
    if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const call = <N extends RouteName>(name: N, given: object) => callAs(ada, name, given);
  const statusOf = async (who: Caller, name: RouteName, given: object) =>
    (await who.call(name, given as never)).status;
  const folder = async (name: string, parentId: string | null = null) =>
    (await call("createFolder", { body: { projectId, name, parentId } })).folder.id;
  const start = async (title: string) =>
    (await call("createConversation", { body: { projectId, title } })).conversation.id;
  const file = (conversationId: string, body: object) =>
    call("fileConversation", { params: { conversationId }, body });
  const list = async (query: object, who = ada) =>
    (await callAs(who, "listConversations", { query: { projectId, ...query } })).conversations.map(
      ({ title }) => title,
    );

  it("a folder and a tag limit the list and the search to their content, pinned or not", async () => {
    const folderId = await folder("Covers");
    const [first, second] = [await start("One"), await start("Two")];
    await start("Three");
    for (const conversationId of [first, second])
      await call("sendMessage", {
        params: { conversationId },
        body: { parentId: null, text: "quillwort" },
      });
    await file(first, { folderId });
    expect(await file(second, { tags: ["Sea", "sea", "Sky"] })).toEqual({
      folderId: null,
      tags: ["sea", "Sky"],
    });
    await call("updateConversation", { params: { conversationId: first }, body: { pinned: true } });
    expect(await list({ folderId })).toEqual(["One"]);
    expect(await list({ tag: "SEA" })).toEqual(["Two"]);
    expect(await list({ folderId, tag: "sea" })).toEqual([]);
    expect(await list({})).toHaveLength(3);
    const search = async (query: object) =>
      (
        await call("searchConversations", { query: { projectId, q: "quillwort", ...query } })
      ).hits.map(({ conversation }) => conversation.title);
    expect(await search({ folderId })).toEqual(["One"]);
    expect(await search({ tag: "sea" })).toEqual(["Two"]);
    expect((await search({})).sort()).toEqual(["One", "Two"]);
    expect((await call("listFolders", { query: { projectId } })).tags).toEqual([
      { name: "sea", conversations: 1 },
      { name: "Sky", conversations: 1 },
    ]);
  });

  it("are at most three deep, and never inside themselves", async () => {
    const one = await folder("1");
    const two = await folder("2", one);
    const three = await folder("3", two);
    const deeper = { body: { projectId, name: "4", parentId: three } };
    expect(await statusOf(ada, "createFolder", deeper)).toBe(409);
    const move = (folderId: string, parentId: string | null) => ({
      params: { folderId },
      body: { parentId },
    });
    expect(await statusOf(ada, "updateFolder", move(one, three))).toBe(409);
    const other = await folder("other");
    expect(await statusOf(ada, "updateFolder", move(one, other))).toBe(409);
    expect(await statusOf(ada, "updateFolder", move(two, other))).toBe(200);
    expect(limits.folderDepth).toBe(3);
  });

  it("a deleted folder leaves its content one level up", async () => {
    const outer = await folder("outer");
    const inner = await folder("inner", outer);
    const innermost = await folder("innermost", inner);
    const conversationId = await start("Left");
    await file(conversationId, { folderId: inner });
    await call("removeFolder", { params: { folderId: inner } });
    expect((await call("getFiling", { params: { conversationId } })).folderId).toBe(outer);
    const { folders } = await call("listFolders", { query: { projectId } });
    expect(folders.find(({ id }) => id === innermost)?.parentId).toBe(outer);
    await call("removeFolder", { params: { folderId: outer } });
    expect((await call("getFiling", { params: { conversationId } })).folderId).toBeNull();
  });

  it("a tag is renamed on all conversations at once, merges with one of the same name, and can be removed", async () => {
    const [one, both] = [await start("A"), await start("B")];
    await file(one, { tags: ["draft"] });
    await file(both, { tags: ["draft", "final"] });
    const rename = (name: string, to: string | null) =>
      call("renameConversationTag", { body: { projectId, name, to } });
    const tagsOf = async (conversationId: string) =>
      (await call("getFiling", { params: { conversationId } })).tags;
    await rename("Draft", "Final");
    expect([await tagsOf(one), await tagsOf(both)]).toEqual([["Final"], ["Final"]]);
    await rename("final", null);
    expect([await tagsOf(one), await tagsOf(both)]).toEqual([[], []]);
  });

  it("belong to their person alone, even if the conversation is shared", async () => {
    const folderId = await folder("Secret plans");
    const conversationId = await start("Shared");
    await file(conversationId, { folderId, tags: ["hush"] });
    await call("updateConversation", {
      params: { conversationId },
      body: { visibility: "project" },
    });
    const query = { projectId };
    const texts = [
      await callAs(bea, "listFolders", { query }),
      await callAs(bea, "listConversations", { query }),
      await callAs(bea, "getConversation", { params: { conversationId } }),
    ];
    expect(JSON.stringify(texts)).not.toMatch(/Secret plans|hush/);
    expect(JSON.stringify(texts)).not.toContain(folderId);
    // Nobody but the author learns what is in a folder or tag.
    expect(await list({ folderId }, bea)).toEqual([]);
    expect(await list({ tag: "hush" }, bea)).toEqual([]);
    const filing = { params: { conversationId }, body: { tags: ["mine"] } };
    expect(await statusOf(bea, "getFiling", { params: { conversationId } })).toBe(403);
    expect(await statusOf(bea, "fileConversation", filing)).toBe(403);
    const theirs = { params: { folderId }, body: { name: "Ours" } };
    expect(await statusOf(bea, "updateFolder", theirs)).toBe(404);
    expect(await statusOf(bea, "removeFolder", theirs)).toBe(404);
    const own = await callAs(bea, "createFolder", { body: { projectId, name: "Bea's" } });
    const foreign = { params: { conversationId }, body: { folderId: own.folder.id } };
    expect(await statusOf(ada, "fileConversation", foreign)).toBe(404);
    await callAs(bea, "renameConversationTag", { body: { projectId, name: "hush", to: "loud" } });
    expect((await call("getFiling", { params: { conversationId } })).tags).toEqual(["hush"]);
  });
});
