import { useQueryClient } from "@tanstack/react-query";
import type { RouteInput } from "#contract/schemas/index.ts";
import { choiceOf, summaryOf } from "#domain/text/context.ts";
import { call, isProblem } from "../../../data/client.ts";
import { sendOnce } from "../../../data/idempotency-key.ts";
import {
  conversationQuery,
  refreshConversation,
} from "../../../data/queries/conversation.queries.ts";
import { t } from "../../../messages/t.ts";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import type { BranchContext } from "./branch-context.ts";

type Choice = RouteInput<"chooseContext", "body">["choice"];

/**
 * Saves which part of a branch is sent. A choice made in another tab meanwhile is shown as a
 * conflict.
 */
export function useContextChoice(conversationId: string) {
  const queryClient = useQueryClient();
  const toast = useToast();
  const showError = useErrorToast();

  const refresh = () =>
    queryClient.invalidateQueries({ queryKey: conversationQuery(conversationId).queryKey });

  /** @returns whether the choice was saved */
  async function choose(
    context: Pick<BranchContext, "seen">,
    upTo: string,
    choice: Choice,
  ): Promise<boolean> {
    const params = { conversationId };
    const body = { upTo, choice, seen: context.seen };
    try {
      const { message } = await sendOnce([conversationId, body], (idempotencyKey) =>
        call("chooseContext", { params, body: { ...body, idempotencyKey } }),
      );
      await refreshConversation(queryClient, conversationId, new Set([message.id]));
      return true;
    } catch (error) {
      if (isProblem(error, "conflict")) await refresh();
      showError(error);
      return false;
    }
  }

  /** Leaves out the oldest messages, with undo. */
  async function drop(context: BranchContext, upTo: string, count: number): Promise<boolean> {
    if (!(await choose(context, upTo, { sends: "later" }))) return false;
    const onAction = async () => {
      const now =
        queryClient.getQueryData(conversationQuery(conversationId).queryKey)?.messages ?? [];
      const seen = now.findLast(({ role }) => role === "context")?.id ?? null;
      const before = context.choice;
      const kind = before && choiceOf(before);
      if (!before || !kind || kind === "all") return void choose({ seen }, upTo, { sends: "all" });
      const again: Choice =
        kind === "drop" ? { sends: "later" } : { sends: "text", text: summaryOf(before.parts) };
      await choose({ seen }, before.parentId ?? upTo, again);
    };
    toast({
      text: t("context.dropped", { count }),
      action: { label: t("ui.undo"), onAction: () => void onAction() },
    });
    return true;
  }
  return { choose, drop };
}
