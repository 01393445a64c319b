import { BookmarkCheck, Star, ThumbsDown } from "lucide-react";
import { useId } from "react";
import type { Asset } from "#contract/entities.ts";
import { t } from "../../../messages/t.ts";
import { classes } from "../../../ui/classes.ts";
import { Chip } from "../../../ui/controls/chip.tsx";
import styles from "./asset-inspector.module.css";
import { useJudge } from "./use-judge.ts";

const most = 5;

/** The keep and reject marks, and one to five stars. */
export function AssetJudgement({ asset }: { asset: Asset }) {
  const judge = useJudge();
  const pick = (value: "kept" | "rejected") =>
    judge(asset, { pick: asset.pick === value ? "none" : value });
  return (
    <div className={styles.judge}>
      <Chip icon={BookmarkCheck} selected={asset.pick === "kept"} onClick={() => pick("kept")}>
        {t("asset.keep")}
      </Chip>
      <Chip icon={ThumbsDown} selected={asset.pick === "rejected"} onClick={() => pick("rejected")}>
        {t("asset.reject")}
      </Chip>
      <Stars rating={asset.rating} onRating={(rating) => judge(asset, { rating })} />
    </div>
  );
}

/**
 * One to five stars. They are radio buttons, so that arrow keys work; clicking the current rating
 * removes it.
 */
export function Stars({
  rating,
  onRating,
  isLarge = false,
}: {
  rating: number;
  onRating: (rating: number) => void;
  /** In a row of its own on a phone. */
  isLarge?: boolean;
}) {
  const name = useId();
  return (
    <div
      role="radiogroup"
      aria-label={t("asset.rating")}
      className={classes(styles.stars, isLarge && styles.large)}
    >
      {Array.from({ length: most }, (_, place) => place + 1).map((stars) => (
        <label key={stars} className={classes(styles.star, stars <= rating && styles.full)}>
          <input
            type="radio"
            name={name}
            checked={stars === rating}
            aria-label={t("asset.rate", { stars })}
            onChange={() => onRating(stars)}
            onClick={() => {
              if (stars === rating) onRating(0);
            }}
          />
          <Star aria-hidden />
        </label>
      ))}
    </div>
  );
}
