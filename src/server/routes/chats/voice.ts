import { Problem } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { voiceRoutes } from "#contract/routes/chats/voice.ts";
import { sentences } from "#contract/sentences/index.ts";
import { admitStandalone } from "#engine/admit/admit-standalone.ts";
import { listAssetsOfRuns } from "#store/content/assets.ts";
import { findMessage, getConversation } from "#store/content/conversations.ts";
import { listRunsOfMessage } from "#store/runs/run-lists.ts";
import type { ServerDeps } from "../../deps.ts";
import type { Handlers } from "../../gate.ts";

export function voiceHandlers(deps: ServerDeps): Handlers<keyof typeof voiceRoutes> {
  const { store } = deps;
  const conversationOf = async (messageId: string) => {
    const message = await findMessage(store.read, messageId);
    const conversation = message && (await getConversation(store.read, message.conversationId));
    if (!conversation) throw new Problem("not_found");
    return conversation;
  };
  return {
    async createDictation({ actor, params: { projectId }, body }) {
      const input = body.input as JsonObject;
      const about = {
        projectId,
        task: "transcription",
        visibility: "author",
        messageId: null,
      } as const;
      return { run: await admitStandalone(deps, actor, { ...body, ...about, input }) };
    },
    async listReadings({ actor, params: { messageId } }) {
      const of = {
        messageId,
        userId: actor.userId,
        task: "speech",
        limit: limits.pageSizeMost,
      } as const;
      const runs = await listRunsOfMessage(store.read, of);
      const assets = await listAssetsOfRuns(
        store.read,
        runs.map(({ id }) => id),
      );
      return { runs, assets };
    },
    async createReading({ actor, params: { messageId }, body }) {
      const { projectId, visibility, expiresAt } = await conversationOf(messageId);
      if (expiresAt !== null)
        throw new Problem("conflict", { message: sentences.chat.temporaryNoReading });
      const input = body.input as JsonObject;
      return {
        run: await admitStandalone(deps, actor, {
          ...body,
          projectId,
          messageId,
          task: "speech",
          visibility,
          input,
        }),
      };
    },
  };
}
