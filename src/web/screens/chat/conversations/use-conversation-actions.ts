import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import type { Conversation } from "#contract/entities.ts";
import { call } from "../../../data/client.ts";
import {
  type ConversationChange,
  changeConversation,
  restoreConversation,
  trashConversation,
} from "../../../data/queries/chat.queries.ts";
import { conversationQuery } from "../../../data/queries/conversation.queries.ts";
import { useSearchValue } from "../../../data/use-search-value.ts";
import { t } from "../../../messages/t.ts";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";

/** Actions on a conversation. Each shows immediately, can be undone, and reports a failure. */
export function useConversationActions() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const showError = useErrorToast();
  const { id: openId } = useParams({ strict: false });
  const [, setFiling] = useSearchValue("filing");

  const change = (conversation: Conversation, body: ConversationChange): Promise<boolean> =>
    changeConversation(queryClient, conversation, body).then(
      () => true,
      (error: unknown) => {
        showError(error);
        return false;
      },
    );
  /** Makes a change and offers to undo it. */
  const withUndo = async (
    conversation: Conversation,
    text: string,
    body: ConversationChange,
    back: ConversationChange,
  ) => {
    if (!(await change(conversation, body))) return;
    toast({
      text,
      action: { label: t("ui.undo"), onAction: () => void change(conversation, back) },
    });
  };

  return {
    change,
    rename: (conversation: Conversation, title: string) => change(conversation, { title }),
    togglePin: (conversation: Conversation) =>
      change(conversation, { pinned: !conversation.pinned }),
    /** Opens the dialog for the conversation's folder and tags. */
    file: (conversation: Conversation) => setFiling(conversation.id),
    toggleArchive: (conversation: Conversation) => {
      const archived = conversation.archivedAt === null;
      return withUndo(
        conversation,
        t(archived ? "chat.archived" : "chat.unarchived"),
        { archived },
        { archived: !archived },
      );
    },
    toggleShare: (conversation: Conversation) => {
      const visibility = conversation.visibility === "project" ? "author" : "project";
      return withUndo(
        conversation,
        t(visibility === "project" ? "chat.shared" : "chat.unshared"),
        { visibility },
        { visibility: conversation.visibility },
      );
    },
    /** Deletes a temporary chat for good. */
    closeTemporary: async (conversation: Conversation) => {
      try {
        await call("removeConversation", { params: { conversationId: conversation.id } });
      } catch (error) {
        showError(error);
        return;
      }
      if (openId === conversation.id) await navigate({ to: "/chat", search: {} });
      queryClient.removeQueries({ queryKey: conversationQuery(conversation.id).queryKey });
      toast({ text: t("chat.temporary.closed") });
    },
    trash: async (conversation: Conversation) => {
      try {
        await trashConversation(queryClient, conversation);
      } catch (error) {
        showError(error);
        return;
      }
      if (openId === conversation.id) void navigate({ to: "/chat" });
      const onAction = () => {
        restoreConversation(queryClient, conversation).then(
          () => navigate({ to: "/chat/$id", params: { id: conversation.id } }),
          showError,
        );
      };
      toast({
        text: t("chat.trashed"),
        detail: t("chat.trashed.detail"),
        action: { label: t("ui.undo"), onAction },
      });
    },
  };
}
export type ConversationActions = ReturnType<typeof useConversationActions>;
