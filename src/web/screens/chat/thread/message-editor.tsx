import { useEffect, useRef, useState } from "react";
import type { Message } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { messageDraft } from "../../../components/composer/message-draft.ts";
import { useSaved } from "../../../data/saved/use-saved.ts";
import { formatCount } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { useAutoGrow } from "../../../ui/controls/text-area.tsx";
import { filesOf, textOf } from "../answer/message-parts.ts";
import { MessageFiles } from "./message-files.tsx";
import styles from "./thread.module.css";
import type { ThreadActions } from "./thread-actions.ts";

/** Heights of the field in px. */
const height = { least: 72, most: 420 };

/** Edits one of the person's messages. Saving creates a branch; the original stays. */
export function MessageEditor({
  message,
  actions,
  canAsk,
}: {
  message: Message;
  actions: ThreadActions;
  canAsk: boolean;
}) {
  const files = filesOf(message.parts);
  const {
    value: draft,
    change,
    clear,
    clearSent,
  } = useSaved(messageDraft, `edit:${message.id}`, {
    text: textOf(message.parts),
    files: [],
  });
  const [saving, setSaving] = useState<"ask" | "keep" | null>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  useAutoGrow(area, draft.text, height.least, height.most);
  useEffect(() => {
    area.current?.focus();
    area.current?.setSelectionRange(area.current.value.length, area.current.value.length);
  }, []);
  const isTooLong = draft.text.length > limits.messageCharacters;
  const isEmpty = draft.text.trim() === "" && files.length === 0;
  const save = async (isAsking: boolean) => {
    if (isTooLong || isEmpty || saving) return;
    setSaving(isAsking ? "ask" : "keep");
    if (await actions.saveEdit(message, draft.text, files, isAsking)) clearSent(draft);
    setSaving(null);
  };
  const cancel = () => {
    clear();
    actions.cancelEdit();
  };
  return (
    <div className={styles.editor}>
      <MessageFiles assetIds={files} />
      <textarea
        ref={area}
        className={styles.editorArea}
        aria-label={t("chat.edit.label")}
        aria-invalid={isTooLong || undefined}
        value={draft.text}
        onChange={(event) => change((before) => ({ ...before, text: event.target.value }))}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "Escape") {
            event.preventDefault();
            cancel();
          }
          if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            void save(canAsk);
          }
        }}
      />
      {isTooLong && (
        <p className={styles.editorNote} role="alert">
          {t("composer.tooLong", { count: draft.text.length, most: limits.messageCharacters })}
        </p>
      )}
      <div className={styles.editorFoot}>
        <span className={styles.editorHint}>
          {t("chat.edit.hint", { count: formatCount(draft.text.length) })}
        </span>
        <Button variant="ghost" onClick={cancel}>
          {t("ui.cancel")}
        </Button>
        <Button
          disabled={isTooLong || isEmpty}
          busy={saving === "keep"}
          onClick={() => void save(false)}
        >
          {t("chat.edit.keep")}
        </Button>
        {canAsk && (
          <Button
            variant="primary"
            disabled={isTooLong || isEmpty}
            busy={saving === "ask"}
            onClick={() => void save(true)}
          >
            {t("chat.edit.ask")}
          </Button>
        )}
      </div>
    </div>
  );
}
