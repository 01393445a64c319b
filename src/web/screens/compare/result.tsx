import { Maximize2 } from "lucide-react";
import type { ReactNode } from "react";
import { fileUrl } from "../../components/asset/asset-urls.ts";
import { AssetLink } from "../../components/asset/inspector/asset-link.tsx";
import { SoundPlayer } from "../../components/asset/lazy-sound.ts";
import type { ComparedEntry } from "../../components/compare/compare.queries.ts";
import { isEnded, priceOf, tookMs } from "../../components/run/run-facts.ts";
import { useRunLive } from "../../components/run/run-live.ts";
import { RunStateTag } from "../../components/run/run-state.tsx";
import { useModelName } from "../../data/queries/activity.queries.ts";
import { formatDuration, formatPrice } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { Part } from "../../ui/part.tsx";
import styles from "./compare.module.css";

type ResultProps = {
  entry: ComparedEntry;
  /** The display position, from 0; people see numbers from 1. */
  place: number;
  best: readonly number[];
  isRevealed: boolean;
  onBest: ((place: number) => void) | null;
  children?: ReactNode;
};

/**
 * A result with its number and vote button; once revealed, with its model, price and time, and with
 * a link to the viewer, which names them.
 */
export function Result({ entry, place, best, isRevealed, onBest, children }: ResultProps) {
  const isBest = best.includes(entry.position);
  const number = place + 1;
  return (
    <li className={styles.result} data-best={isBest || undefined}>
      <div className={styles.content}>
        {children ?? <Other entry={entry} isRevealed={isRevealed} />}
      </div>
      <div className={styles.bar}>
        <span className={styles.number} role="img" aria-label={t("compare.number", { number })}>
          {number}
        </span>
        {isRevealed && entry.run && <Facts run={entry.run} />}
        {isRevealed && entry.asset && (
          <AssetLink
            assetId={entry.asset.id}
            className={styles.open}
            aria-label={t("compare.large", { number })}
            data-tooltip={t("compare.large", { number })}
          >
            <Maximize2 aria-hidden />
          </AssetLink>
        )}
        {(onBest || isBest) && (
          <button
            type="button"
            className={styles.best}
            aria-pressed={isBest}
            aria-label={t("compare.best.choose", { number })}
            disabled={!onBest}
            onClick={() => onBest?.(place)}
          >
            {t("compare.best")}
          </button>
        )}
      </div>
    </li>
  );
}

function Facts({ run }: { run: NonNullable<ComparedEntry["run"]> }) {
  const name = useModelName(run);
  const ms = tookMs(run);
  return (
    <span className={styles.facts}>
      <strong>{name}</strong> {formatPrice(priceOf(run))}
      {ms !== null && ` · ${formatDuration(ms)}`}
    </span>
  );
}

/**
 * Results other than pictures, videos and text: a sound, a file, or the reason that there is none.
 */
function Other({
  entry: { asset, run, text },
  isRevealed,
}: Pick<ResultProps, "entry" | "isRevealed">) {
  if (asset?.kind === "audio")
    return (
      <Part>
        <SoundPlayer asset={asset} />
      </Part>
    );
  if (asset && isRevealed)
    return (
      <AssetLink assetId={asset.id} className={buttonClass()}>
        {t("compare.open")}
      </AssetLink>
    );
  if (asset)
    return (
      <a className={buttonClass()} href={fileUrl(asset.id)} target="_blank" rel="noreferrer">
        {t("compare.open")}
      </a>
    );
  if (text !== null) return <p className={styles.plain}>{text}</p>;
  if (!run) return <p className={styles.gone}>{t("compare.gone")}</p>;
  if (!isEnded(run)) return <Coming run={run} />;
  return <p className={styles.gone}>{t("compare.noResult")}</p>;
}

/**
 * The state of a run without a result yet. The feed replaces it with the result. Steps aren't
 * counted in words, because their number may name the model.
 */
function Coming({ run }: { run: NonNullable<ComparedEntry["run"]> }) {
  const { state, share } = useRunLive(run);
  return (
    <div className={styles.gone}>
      <RunStateTag run={{ ...run, state }} share={share} />
      {!isEnded({ state }) && (
        <p>{t(state === "unconfirmed" ? "compare.unconfirmed" : "compare.coming")}</p>
      )}
    </div>
  );
}
