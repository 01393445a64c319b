import {
  type Draft,
  emptyDraft,
  messageDraft,
  newChatDraftId,
} from "../../components/composer/message-draft.ts";
import { savedEntries } from "../../data/saved/saved-entries.ts";
import type { ShellProject } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";

/**
 * Moves the text of a new conversation out of a project that is gone. Its files are gone as well.
 * @public through use-chat.ts
 */
export function moveDraft(
  person: string,
  from: ShellProject,
  to: ShellProject,
  change: (next: (before: Draft) => Draft) => void,
  toast: (toast: { text: string }) => void,
): void {
  const left = newChatDraftId(from.id);
  const { text } = savedEntries().read(messageDraft, person, left);
  if (text.trim() === "") return;
  savedEntries().write(messageDraft, person, emptyDraft, left);
  change((draft) => ({ ...draft, text: draft.text ? `${draft.text}\n\n${text}` : text }));
  toast({ text: t("chat.draft.moved", { from: from.name, to: to.name }) });
}
