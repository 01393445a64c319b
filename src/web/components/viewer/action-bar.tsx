import { BookmarkCheck, Ellipsis, Share2, ThumbsDown } from "lucide-react";
import type { Asset } from "#contract/entities.ts";
import { useSession } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";
import { classes } from "../../ui/classes.ts";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { Kbd } from "../../ui/display/kbd.tsx";
import { Menu } from "../../ui/overlays/menu.tsx";
import { Stars } from "../asset/inspector/asset-judgement.tsx";
import styles from "./action-bar.module.css";
import type { ViewerAction } from "./use-viewer-actions.ts";

export type JudgementActions = {
  pick: (value: "kept" | "rejected") => void;
  rate: (rating: number) => void;
};

type ActionBarProps = {
  asset: Asset;
  acts: readonly ViewerAction[];
  /** Null for viewers. */
  judge: JudgementActions | null;
};

/** The acts shown in the bar; the others are in its menu. */
const inBar: readonly ViewerAction["id"][] = ["again", "vary", "draw", "edit", "use", "animate"];

const priceOf = ({ price }: Pick<ViewerAction, "price">) =>
  price && <span className={styles.price}>{price}</span>;
const titleOf = ({ refusal, note }: ViewerAction) => refusal ?? note;

/** All acts on the shown asset: marks first, then those that make something from it. */
export function ActionBar({ asset, acts, judge }: ActionBarProps) {
  const shown = judge ? acts.filter(({ id }) => inBar.includes(id)) : acts;
  const rest = acts.filter((act) => !shown.includes(act));
  return (
    <section className={styles.bar} aria-label={t("viewer.acts")}>
      {judge && (
        <>
          <button
            type="button"
            className={classes(styles.act, asset.pick === "kept" && styles.kept)}
            aria-pressed={asset.pick === "kept"}
            onClick={() => judge.pick("kept")}
          >
            <BookmarkCheck aria-hidden />
            <span>{t("asset.keep")}</span>
            <Keys of="p" />
          </button>
          <button
            type="button"
            className={classes(styles.act, asset.pick === "rejected" && styles.rejected)}
            aria-pressed={asset.pick === "rejected"}
            onClick={() => judge.pick("rejected")}
          >
            <ThumbsDown aria-hidden />
            <span>{t("asset.reject")}</span>
            <Keys of="x" />
          </button>
          <span className={styles.stars}>
            <Stars rating={asset.rating} onRating={judge.rate} />
          </span>
          <span className={styles.rule} aria-hidden />
        </>
      )}
      {shown.map((act) => (
        <button
          key={act.id}
          type="button"
          className={styles.act}
          disabled={act.isDisabled}
          data-tooltip={titleOf(act)}
          data-tooltip-side="top"
          onClick={act.run}
        >
          <act.icon aria-hidden />
          <span>{act.label}</span>
          {priceOf(act)}
          <Keys of={act.shortcut} />
        </button>
      ))}
      {rest.length > 0 && <MoreActions acts={rest} side="top" />}
    </section>
  );
}

/**
 * A shortcut next to a name. Hidden from screen readers, which would read it as part of the name.
 */
const Keys = ({ of }: { of: string }) => (
  <span className={styles.keys} aria-hidden>
    <Kbd keys={of} />
  </span>
);

type MoreActionsProps = { acts: readonly ViewerAction[]; side: "top" | "bottom" };

/** The acts without room in the bar. */
export function MoreActions({ acts, side }: MoreActionsProps) {
  return (
    <Menu
      label={t("viewer.more")}
      side={side}
      isDark
      entries={acts.map((act) => ({
        label: act.label,
        detail: act.price ?? act.refusal,
        icon: act.icon,
        shortcut: act.shortcut,
        disabled: act.isDisabled,
        onSelect: act.run,
      }))}
      trigger={<IconButton icon={Ellipsis} label={t("viewer.more")} />}
    />
  );
}

/** An act as the phone's bar shows it, without its key. */
type PhoneAction = Omit<ViewerAction, "shortcut">;

/** The phone's bar: the stars, and five acts with labels. The others are in the header's menu. */
export function PhoneActions({ asset, acts, judge }: ActionBarProps) {
  const find = (id: ViewerAction["id"]): PhoneAction | undefined =>
    acts.find((act) => act.id === id);
  const share = shareOf(asset) ?? find("download");
  const shown = [find("vary"), find("edit") ?? find("use"), share].filter(
    (act) => act !== undefined,
  );
  return (
    <section className={styles.phone} aria-label={t("viewer.acts")}>
      {judge && <Stars isLarge rating={asset.rating} onRating={judge.rate} />}
      <div className={styles.phoneActs}>
        {judge && (
          <>
            <button
              type="button"
              aria-pressed={asset.pick === "rejected"}
              onClick={() => judge.pick("rejected")}
            >
              <ThumbsDown aria-hidden />
              {t("asset.reject")}
            </button>
            <button
              type="button"
              aria-pressed={asset.pick === "kept"}
              onClick={() => judge.pick("kept")}
            >
              <BookmarkCheck aria-hidden />
              {t("asset.keep")}
            </button>
          </>
        )}
        {shown.map((act) => (
          <button key={act.id} type="button" disabled={act.isDisabled} onClick={act.run}>
            <act.icon aria-hidden />
            {act.label}
            {priceOf(act)}
          </button>
        ))}
      </div>
    </section>
  );
}

/** A placeholder for either bar until the asset loads. */
export const ActionsPlaceholder = ({ isPhone }: { isPhone: boolean }) => {
  const { project } = useSession();
  if (!isPhone) return <div className={styles.coming} />;
  return (
    <div className={styles.phone}>
      {project.role !== "viewer" && <div className={styles.starsComing} />}
      <div className={styles.phoneActs} />
    </div>
  );
};

/** Shares the address with another app on the phone, if the browser supports it (HTTPS only). */
function shareOf(asset: Asset): PhoneAction | undefined {
  if (typeof navigator.share !== "function") return undefined;
  const url = new URL(`/library/${asset.id}`, location.origin).href;
  return {
    id: "download",
    label: t("viewer.share"),
    icon: Share2,
    // Closing the phone's share sheet isn't an error.
    run: () => void navigator.share({ url }).catch(() => undefined),
  };
}
