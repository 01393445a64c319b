import type { folderRoutes } from "#contract/routes/chats/folders.ts";
import {
  deleteFolder,
  fileConversation,
  getFiling,
  insertFolder,
  listConversationTags,
  listFolders,
  renameConversationTag,
  updateFolder,
} from "#store/content/chats/folders.ts";
import type { ServerDeps } from "../../deps.ts";
import type { Handlers } from "../../gate.ts";

export function folderHandlers({
  store,
  commit,
  ids,
}: Pick<ServerDeps, "store" | "commit" | "ids">): Handlers<keyof typeof folderRoutes> {
  return {
    async listFolders({ actor, query: { projectId } }) {
      const owner = { projectId, userId: actor.userId };
      const [folders, tags] = await Promise.all([
        listFolders(store.read, owner),
        listConversationTags(store.read, owner),
      ]);
      return { folders, tags };
    },
    createFolder: async ({ actor, body }) => ({
      folder: await commit((unit) =>
        insertFolder(unit, { ...body, id: ids(), userId: actor.userId }),
      ),
    }),
    updateFolder: async ({ params, body }) => ({
      folder: await commit((unit) => updateFolder(unit, params.folderId, body)),
    }),
    async removeFolder({ params }) {
      await commit((unit) => deleteFolder(unit, params.folderId));
      return {};
    },
    getFiling: ({ params }) => getFiling(store.read, params.conversationId),
    async fileConversation({ params: { conversationId }, body }) {
      await commit((unit) => fileConversation(unit, conversationId, body));
      return getFiling(store.read, conversationId);
    },
    async renameConversationTag({ actor, body: { projectId, name, to } }) {
      const owner = { projectId, userId: actor.userId };
      await commit((unit) => renameConversationTag(unit, owner, name, to));
      return {};
    },
  };
}
