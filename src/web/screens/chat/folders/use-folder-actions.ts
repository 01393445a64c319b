import { useQueryClient } from "@tanstack/react-query";
import type { RouteInput } from "#contract/schemas/index.ts";
import { call } from "../../../data/client.ts";
import { keys } from "../../../data/keys.ts";
import { t } from "../../../messages/t.ts";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";

/**
 * Actions on a person's folders and tags. Each resolves to whether it succeeded; a toast reports
 * failures.
 */
export function useFolderActions(projectId: string) {
  const queryClient = useQueryClient();
  const toast = useToast();
  const showError = useErrorToast();
  const act = async (work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      showError(error);
      return false;
    } finally {
      void queryClient.invalidateQueries({ queryKey: keys.conversations(projectId) });
    }
  };
  return {
    create: (name: string, parentId: string | null) =>
      act(() => call("createFolder", { body: { projectId, name, parentId } })),
    rename: (folderId: string, name: string) =>
      act(() => call("updateFolder", { params: { folderId }, body: { name } })),
    move: (folderId: string, parentId: string | null) =>
      act(() => call("updateFolder", { params: { folderId }, body: { parentId } })),
    remove: async (folderId: string) => {
      const isRemoved = await act(() => call("removeFolder", { params: { folderId } }));
      if (isRemoved)
        toast({ text: t("chat.folder.deleted"), detail: t("chat.folder.deleted.detail") });
      return isRemoved;
    },
    file: (conversationId: string, filing: RouteInput<"fileConversation", "body">) =>
      act(() => call("fileConversation", { params: { conversationId }, body: filing })),
    renameTag: (name: string, to: string | null) =>
      act(() => call("renameConversationTag", { body: { projectId, name, to } })),
  };
}
export type FolderActions = ReturnType<typeof useFolderActions>;
