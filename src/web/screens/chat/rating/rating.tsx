import { ThumbsDown, ThumbsUp } from "lucide-react";
import { useState } from "react";
import type { Feedback, Message } from "#contract/entities.ts";
import { feedbackValues } from "#contract/filters/ratings.ts";
import { useSession } from "../../../data/shell-data.ts";
import { useRowActions } from "../../../frame/action-menu.tsx";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { Popover } from "../../../ui/overlays/popover.tsx";
import { Part } from "../../../ui/part.tsx";
import styles from "./rating.module.css";
import { useRating } from "./use-rating.ts";

const RatingForm = lazyPart(
  () => import("./rating-form.tsx").then(({ RatingForm }) => RatingForm),
  "feedback",
);
const icons = { up: ThumbsUp, down: ThumbsDown };

/**
 * A person's own rating of an answer. One click saves it; the reasons are asked for afterwards and
 * are optional.
 */
export function Rating({ message }: { message: Message }) {
  const { user } = useSession();
  const own = message.feedback?.find(({ userId }) => userId === user.id);
  const [opened, setOpened] = useState<Feedback["value"] | null>(null);
  const rating = useRating(message);
  const value = rating.pending === undefined ? own?.value : (rating.pending ?? undefined);
  const rate = async (given: Feedback["value"]) =>
    value === given || (await rating.rate({ value: given, reasons: [], text: "" }));
  const press = (pressed: Feedback["value"]) => {
    setOpened(pressed);
    void rate(pressed).then((isSaved) => isSaved || setOpened(null));
  };
  const at = useRowActions<HTMLSpanElement>(
    t("chat.message.menu"),
    feedbackValues.map((each) => ({
      id: each,
      title: t(`chat.rate.${each}`),
      icon: icons[each],
      run: () => void rate(each),
    })),
  );
  return (
    <span ref={at} className={styles.thumbs}>
      {feedbackValues.map((each) => (
        <Popover
          key={each}
          trigger={
            <IconButton
              size="small"
              icon={icons[each]}
              label={t(`chat.rate.${each}`)}
              pressed={value === each}
            />
          }
          title={t(`chat.rate.why.${each}`)}
          open={opened === each}
          onOpenChange={(open) => (open ? press(each) : setOpened(null))}
        >
          <Part>
            <RatingForm
              given={own?.value === each ? own : undefined}
              onSave={(why) => rating.rate({ value: each, ...why })}
              onRemove={rating.remove}
              onClose={() => setOpened(null)}
            />
          </Part>
        </Popover>
      ))}
    </span>
  );
}
