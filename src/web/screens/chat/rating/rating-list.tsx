import { ThumbsDown, ThumbsUp } from "lucide-react";
import type { Feedback } from "#contract/entities.ts";
import { t } from "../../../messages/t.ts";
import { Time } from "../../../ui/display/time.tsx";
import styles from "./rating.module.css";

/** The ratings of an answer, with their reasons. */
export function RatingList({ feedback }: { feedback: readonly Feedback[] }) {
  return (
    <ul className={styles.list}>
      {feedback.map(({ userId, person, value, reasons, text, at }) => (
        <li key={userId}>
          {value === "up" ? <ThumbsUp aria-hidden /> : <ThumbsDown aria-hidden />}
          <span>
            {t(`feedback.by.${value}`, { person })} · <Time at={at} />
          </span>
          {reasons.length > 0 && (
            <p>{reasons.map((reason) => t(`feedback.reason.${reason}`)).join(", ")}</p>
          )}
          {text && <p dir="auto">{text}</p>}
        </li>
      ))}
    </ul>
  );
}
