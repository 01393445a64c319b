import { useState } from "react";
import type { Feedback } from "#contract/entities.ts";
import { feedbackReasons } from "#contract/filters/ratings.ts";
import { limits } from "#contract/limits.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Chip } from "../../../ui/controls/chip.tsx";
import { TextArea } from "../../../ui/controls/text-area.tsx";
import styles from "./rating.module.css";

type RatingFormProps = {
  /** Undefined until it is saved. */
  given: Feedback | undefined;
  onSave: (why: Pick<Feedback, "reasons" | "text">) => Promise<boolean>;
  onRemove: () => Promise<boolean>;
  onClose: () => void;
};

/** Asks for the reasons of a rating. */
export function RatingForm({ given, onSave, onRemove, onClose }: RatingFormProps) {
  const [reasons, setReasons] = useState(given?.reasons ?? []);
  const [text, setText] = useState(given?.text ?? "");
  const [busy, setBusy] = useState<"save" | "remove" | null>(null);
  const finish = async (what: "save" | "remove", act: () => Promise<boolean>) => {
    setBusy(what);
    const isDone = await act();
    setBusy(null);
    if (isDone) onClose();
  };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        void finish("save", () => onSave({ reasons, text }));
      }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset can't be laid out as a row in every browser */}
      <div role="group" aria-label={t("feedback.reasons")} className={styles.reasons}>
        {feedbackReasons.map((reason) => {
          const isChosen = reasons.includes(reason);
          return (
            <Chip
              key={reason}
              selected={isChosen}
              onClick={() =>
                setReasons(
                  feedbackReasons.filter((each) =>
                    each === reason ? !isChosen : reasons.includes(each),
                  ),
                )
              }
            >
              {t(`feedback.reason.${reason}`)}
            </Chip>
          );
        })}
      </div>
      <TextArea
        label={t("feedback.text")}
        hint={t("feedback.text.hint")}
        value={text}
        onValueChange={setText}
        maxLength={limits.feedbackCharacters}
        minRows={2}
        maxRows={6}
      />
      <div className={styles.buttons}>
        <Button
          variant="ghost"
          busy={busy === "remove"}
          disabled={busy !== null}
          onClick={() => void finish("remove", onRemove)}
        >
          {t("feedback.remove")}
        </Button>
        <Button type="submit" busy={busy === "save"} disabled={busy !== null}>
          {t("feedback.save")}
        </Button>
      </div>
    </form>
  );
}
