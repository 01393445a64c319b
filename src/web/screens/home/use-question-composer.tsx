import type { Draft } from "../../components/composer/message-draft.ts";
import { ModelPicker } from "../../components/composer/model-picker.tsx";
import { useChosenModel } from "../../components/composer/use-chosen-model.ts";
import { useSession } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";
import { Skeleton } from "../../ui/display/skeleton.tsx";
import { firstPart } from "../../ui/lazy-part.ts";
import { OptionalPart } from "../../ui/part.tsx";
import { useStartConversation } from "./use-start-conversation.ts";

const NextPrice = firstPart(() =>
  import("../../components/composer/next-price.tsx").then(({ NextPrice }) => NextPrice),
);
const newConversation = { systemPrompt: "", settings: {} };

/** Asks a question in a new conversation. */
export function useQuestionComposer(draft: Draft, clear: () => void) {
  const { project } = useSession();
  const chosen = useChosenModel(project.id);
  const begin = useStartConversation();
  const { ref } = chosen;
  return {
    answering: chosen.model,
    model: chosen.isLoading ? (
      <Skeleton width={84} height={26} radius={99} />
    ) : (
      <ModelPicker projectId={project.id} model={chosen.model} onChoose={chosen.choose} />
    ),
    price: (
      <OptionalPart>
        <NextPrice
          projectId={project.id}
          conversationId={undefined}
          parentId={null}
          chosen={chosen}
          conversation={newConversation}
          text={draft.text}
          files={draft.files}
        />
      </OptionalPart>
    ),
    error: begin.error ?? chosen.error,
    retry: chosen.error && !begin.error ? chosen.retry : undefined,
    blocked: chosen.hasNone
      ? t("home.noModel")
      : chosen.isLoading || begin.isPending
        ? t("ui.loading")
        : null,
    send: () => {
      if (!ref) return;
      const attachments = draft.files.map(({ assetId }) => assetId);
      const question = { projectId: project.id, model: ref, text: draft.text, attachments };
      // Not a `mutate` option, because those are skipped once the screen has changed.
      begin.mutateAsync(question).then(clear, () => undefined);
    },
  };
}
