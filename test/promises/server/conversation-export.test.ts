import { Readable } from "node:stream";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { MessagePart } from "#contract/entities.ts";
import { conversationExport } from "#contract/export/conversation.ts";
import { insertAsset } from "#store/content/assets.ts";
import {
  getConversation,
  insertMessage,
  updateConversation,
} from "#store/content/conversations.ts";
import { insertMember } from "#store/people/projects.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { buildAsset } from "../../support/databases/store-rows.ts";
import { readZip } from "../../support/read-zip.ts";
import type { Caller } from "../../support/server/instance.ts";
import { createStudio, type Studio } from "../../support/studio/studio.ts";

/**
 * A conversation is exported as a page, as Markdown or as JSON: complete, readable, and without
 * active content.
 */
forEachDatabase((_, create) => {
  let studio: Studio;
  let ada: Caller;
  let eve: Caller;
  beforeAll(async () => {
    studio = await createStudio(await create());
    ada = studio.person;
    eve = await studio.instance.createPerson("eve@example.org");
    await studio.instance.commit(({ tx }) =>
      insertMember(tx, { projectId: ada.projectId, userId: eve.user.id, role: "viewer", at: 1 }),
    );
  });
  afterAll(() => studio.close());

  const take = (who: Caller, conversationId: string, query: Record<string, string> = {}) =>
    studio.instance.request(
      `/api/v1/conversations/${conversationId}/export?${new URLSearchParams(query)}`,
      { headers: { host: "127.0.0.1", cookie: who.cookie } },
    );
  const text = async (...asked: Parameters<typeof take>) => (await take(...asked)).text();
  async function page(...asked: Parameters<typeof take>) {
    const entries = await readZip(Buffer.from(await (await take(...asked)).arrayBuffer()));
    return { html: entries.get("index.html")!.toString(), names: [...entries.keys()] };
  }
  async function say(
    conversationId: string,
    parts: MessagePart[],
    facts: { parentId?: string; role?: "user" | "assistant" | "tool" } = {},
  ): Promise<string> {
    const id = uuid();
    await studio.instance.commit(async (unit) => {
      await insertMessage(unit, (await getConversation(unit.tx, conversationId))!, {
        id,
        parentId: facts.parentId ?? null,
        role: facts.role ?? "user",
        state: "complete",
        runId: null,
        continuesId: null,
        parts,
      });
      await updateConversation(unit, conversationId, { headMessageId: id });
    });
    return id;
  }
  async function file(title: string, words?: string, facts: { createdBy?: string } = {}) {
    const kept =
      words === undefined
        ? { sha256: "e".repeat(64), bytes: 9 }
        : await studio.instance.deps.blobs.put(Readable.from([Buffer.from(words)]));
    const asset = buildAsset({
      projectId: ada.projectId,
      createdBy: ada.user.id,
      title,
      ...kept,
      ...(facts.createdBy && { ...facts, visibility: "author" as const }),
    });
    await studio.instance.commit((unit) => insertAsset(unit, asset));
    return asset.id;
  }

  it("Markdown has the branch on screen or the requested one, its models, times and costs", async () => {
    const asked = await studio.ask("What is\n# a tide?");
    await studio.ended(asked.run.id);
    const other = await say(asked.conversationId, [{ type: "text", text: "Another question" }]);
    const shown = await text(ada, asked.conversationId, { format: "md" });
    expect(shown).toContain("Another question");
    expect(shown).not.toContain("a tide?");
    const branch = { format: "md", messageId: asked.answer.id };
    const markdown = await text(ada, asked.conversationId, branch);
    expect(markdown).toMatch(/^# What is\n\nConversation of ada, exported .* \(UTC\)\n/);
    expect(markdown).toMatch(
      /\n## ada\n\n\d+ \w+ \d+ at \d\d:\d\d \(UTC\)\n\nWhat is\n# a tide\?\n/,
    );
    expect(markdown).toMatch(/\n## sim-chat\n\n[^\n]* s · \d+ tokens\n/);
    expect(await text(ada, asked.conversationId, { ...branch, costs: "true" })).toMatch(
      /tokens · (\$|price unknown)/,
    );
    const elsewhere = await studio.ask("elsewhere");
    expect(
      (await take(ada, asked.conversationId, { messageId: elsewhere.message.id })).status,
    ).toBe(404);
    expect((await take(ada, asked.conversationId, { messageId: other })).status).toBe(200);
  });

  it("each format is named after the title, in any script", async () => {
    const { conversationId, run } = await studio.ask("潮汐 “heute”, naïve…");
    await studio.ended(run.id);
    for (const format of ["page", "md", "json"]) {
      const { status, headers } = await take(ada, conversationId, { format });
      expect(status).toBe(200);
      const name = /filename\*=UTF-8''(\S+)/.exec(headers.get("content-disposition") ?? "")?.[1];
      expect(decodeURIComponent(name ?? "")).toMatch(/^潮汐 “heute”, naïve….*\.(zip|md|json)$/);
    }
  });

  it("JSON has the whole tree in the contract's shape, without provider-only data", async () => {
    const asked = await studio.ask("one");
    await studio.ended(asked.run.id);
    await say(
      asked.conversationId,
      [
        {
          type: "reasoning",
          text: "hm",
          durationMs: 1_200,
          providerMetadata: { x: { signature: "sealed" } },
        },
        { type: "text", text: "again" },
      ],
      { parentId: asked.message.id, role: "assistant" },
    );
    const answer = await take(ada, asked.conversationId, { format: "json" });
    expect(answer.headers.get("content-disposition")).toMatch(/^attachment; .*\.json/);
    const words = await answer.text();
    expect(words).not.toContain("sealed");
    const read = conversationExport.parse(JSON.parse(words));
    expect(read.conversation.author).toBe("ada");
    expect(read.messages.map(({ role, parentId }) => [role, parentId])).toEqual([
      ["user", null],
      ["assistant", asked.message.id],
      ["assistant", asked.message.id],
    ]);
    expect(read.messages[1]?.runs[0]).toMatchObject({ model: { name: "sim-chat" } });
    expect(read.messages[1]?.runs[0]).not.toHaveProperty("costMicros");
  });

  it("a page comes with its files, names the missing ones, and runs nothing that a model wrote", async () => {
    const conversationId = await studio.startConversation();
    const hostile = `<script>alert(1)</script>\n\n[go](javascript:alert(2)) <img src=x onerror=alert(3)>`;
    await studio.instance.commit((unit) =>
      updateConversation(unit, conversationId, { title: `</title><script>alert(0)</script>` }),
    );
    const [tide, same, lost, secret] = [
      await file("tide.png", "one"),
      await file("tide.png", "two"),
      await file(`lost"><script>.png`),
      await file("secret.png", "hers", { createdBy: eve.user.id }),
    ];
    const asked = await say(
      conversationId,
      [tide, same, lost, secret].map((assetId) => ({ type: "file", assetId })),
    );
    await say(conversationId, [{ type: "text", text: hostile }], {
      parentId: asked,
      role: "assistant",
    });
    const { html, names } = await page(ada, conversationId);
    expect(names).toEqual(["files/tide.png", "files/tide 2.png", "index.html"]);
    expect(html).toContain('<img src="files/tide%202.png" alt="tide.png">');
    expect(html).toContain("this file is missing from the storage.");
    expect(html).toContain("This file was deleted or is not visible to you.");
    expect(html).not.toMatch(/<script|javascript:|<[^>]*onerror/i);
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(html).toContain("default-src &#39;none&#39;");
  });

  it("a private conversation is its author's to export, a shared one every member’s", async () => {
    const asked = await studio.ask("mine alone");
    await studio.ended(asked.run.id);
    const stranger = await studio.instance.createPerson(`stranger-${uuid()}@example.org`);
    for (const format of ["page", "md", "json"]) {
      expect((await take(eve, asked.conversationId, { format })).status).toBe(404);
      expect((await take(ada, asked.conversationId, { format })).status).toBe(200);
    }
    await studio.instance.commit((unit) =>
      updateConversation(unit, asked.conversationId, { visibility: "project" }),
    );
    expect(await text(eve, asked.conversationId, { format: "md" })).toContain("mine alone");
    expect((await take(stranger, asked.conversationId)).status).toBe(404);
  });

  it("a long conversation is whole and in order, and text that can't be rendered is shown as written", async () => {
    const conversationId = await studio.startConversation();
    let parentId: string | undefined;
    for (let place = 0; place < 45; place++) {
      const deep = place === 30 ? `${"> ".repeat(20_000)}deep` : `number **${place}**`;
      parentId = await say(conversationId, [{ type: "text", text: deep }], {
        ...(parentId && { parentId }),
        role: place % 2 === 0 ? "assistant" : "user",
      });
    }
    const { html } = await page(ada, conversationId);
    const found = [...html.matchAll(/number (?:<strong>|\*\*)(\d+)/g)].map(([, n]) => Number(n));
    expect(found).toEqual(Array.from({ length: 45 }, (_, n) => n).filter((n) => n !== 30));
    expect(html).toContain("number <strong>28</strong>");
    expect(html).toContain("&gt; deep</pre>");
    expect(html.trimEnd().endsWith("</html>")).toBe(true);
  });
});
