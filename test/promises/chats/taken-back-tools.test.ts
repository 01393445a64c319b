import { v7 as uuid } from "uuid";
import { expect, it } from "vitest";
import { advanceAllTools } from "#engine/rounds/advance.ts";
import type { ToolBinding } from "#engine/tools/offer.ts";
import {
  getConversation,
  insertMessages,
  updateConversation,
} from "#store/content/conversations.ts";
import { insertRun } from "#store/runs/runs.ts";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { buildRun } from "../../support/databases/store-rows.ts";
import { createStudio } from "../../support/studio/studio.ts";

/** A round of tools may take long, and its conversation is unshared meanwhile. */
forEachDatabase((_, create) => {
  it("a tool that starts after its conversation was unshared is only its author's", async () => {
    const studio = await createStudio(await create(), {
      endsWithTest: true,
      instance: { start: false },
    });
    const { commit, store } = studio.instance;
    const { projectId, user } = studio.person;
    const conversationId = await studio.startConversation();
    const binding: ToolBinding = { name: "draw", is: "model", ...studio.models.fal, allowed: true };
    const [asked, answer, results] = [uuid(), uuid(), uuid()];
    const call = { callId: "one", name: "draw" };
    const run = buildRun({
      projectId,
      userId: user.id,
      ...studio.models.openai,
      task: "chat",
      messageId: answer,
      input: { conversationId, systemPrompt: "", settings: {}, tools: [binding] },
    });
    await commit(async (unit) => {
      await updateConversation(unit, conversationId, { visibility: "project" });
      const conversation = (await getConversation(unit.tx, conversationId))!;
      const common = { state: "complete", runId: null, continuesId: null } as const;
      const prompt = { prompt: "a fox", image_size: { width: 64, height: 64 } };
      await insertMessages(unit, conversation, [
        { ...common, id: asked, parentId: null, role: "user", parts: [] },
        {
          ...common,
          id: answer,
          parentId: asked,
          role: "assistant",
          runId: run.id,
          parts: [{ type: "tool-call", ...call, input: prompt }],
        },
        {
          ...common,
          id: results,
          parentId: answer,
          role: "tool",
          state: "streaming",
          parts: [
            {
              type: "tool-result",
              ...call,
              state: "open",
              runId: null,
              assetIds: [],
              output: "",
            },
          ],
        },
      ]);
      await insertRun(unit, run);
    });
    const { deps } = studio.instance.engine;
    let isTakenBack = false;
    await advanceAllTools({
      ...deps,
      async commit(work) {
        if (!isTakenBack)
          await commit((unit) =>
            updateConversation(unit, conversationId, { visibility: "author" }),
          );
        isTakenBack = true;
        return deps.commit(work);
      },
    });
    const started = await store.db
      .selectFrom("run")
      .select("visibility")
      .where("message_id", "=", results)
      .execute();
    expect(started).toEqual([{ visibility: "author" }]);
  });
});
