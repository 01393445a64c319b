import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck } from "lucide-react";
import { t } from "../../../messages/t.ts";
import { ProgressRing } from "../../../ui/display/progress.tsx";
import styles from "./asset-inspector.module.css";
import { AssetLink } from "./asset-link.tsx";
import type { Remake } from "./use-remake.ts";

/** The status of "make again" or "vary", during the run and after it. */
export function RemakeStatus({ remake }: { remake: Remake }) {
  const { kind, count, state, runId, asset } = remake;
  const isVary = kind === "vary";
  const words = {
    running: isVary ? t("asset.vary.running") : t("asset.again.running"),
    same: isVary ? t("asset.vary.done", { count }) : t("asset.again.same"),
    other: isVary ? t("asset.vary.done", { count }) : t("asset.again.other"),
    failed: t("asset.again.failed"),
  };
  const way = asset ? (
    <AssetLink assetId={asset.id}>{t("asset.again.show")}</AssetLink>
  ) : (
    <Link to="/activity/$runId" params={{ runId }}>
      {t("asset.again.run")}
    </Link>
  );
  return (
    <p className={styles.status} role="status">
      {state === "running" && <ProgressRing value={null} />}
      {(state === "same" || state === "other") && <CircleCheck aria-hidden className={styles.ok} />}
      {state === "failed" && <CircleAlert aria-hidden className={styles.bad} />}
      <span>{words[state]}</span>
      {way}
    </p>
  );
}
