import type { feedbackRoutes } from "#contract/routes/chats/feedback.ts";
import { putFeedback, removeFeedback } from "#store/content/chats/feedback.ts";
import type { ServerDeps } from "../../deps.ts";
import type { Handlers } from "../../gate.ts";

export function feedbackHandlers({
  commit,
}: Pick<ServerDeps, "commit">): Handlers<keyof typeof feedbackRoutes> {
  return {
    putFeedback: async ({ me, params: { messageId }, body }) => ({
      feedback: await commit((unit) => putFeedback(unit, me.user, messageId, body)),
    }),
    async removeFeedback({ actor, params: { messageId } }) {
      await commit((unit) => removeFeedback(unit, actor, messageId));
      return {};
    },
  };
}
