import { Link } from "@tanstack/react-router";
import { Check, Copy } from "lucide-react";
import { useState } from "react";
import type { Asset } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { priceOf, tookMs } from "../../../components/run/run-facts.ts";
import { listSettings } from "../../../components/run/settings.ts";
import { Facts, InspectorSection } from "../../../frame/inspector.tsx";
import { formatBytes, formatClip, formatDuration, formatPrice } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { Time } from "../../../ui/display/time.tsx";
import styles from "./asset-inspector.module.css";

const copiedMs = 1_600;

/** The words it was made from. */
export function AssetPrompt({ asset }: { asset: Asset }) {
  const [isCopied, setCopied] = useState(false);
  if (!asset.promptText) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(asset.promptText);
    setCopied(true);
    setTimeout(() => setCopied(false), copiedMs);
  };
  return (
    <InspectorSection>
      <div className={styles.promptHead}>
        <h3>{t("asset.prompt")}</h3>
        <IconButton
          size="small"
          icon={isCopied ? Check : Copy}
          label={isCopied ? t("ui.copied") : t("asset.copyPrompt")}
          onClick={() => void copy()}
        />
      </div>
      <p className={styles.prompt} tabIndex={asset.promptText.length > 400 ? 0 : undefined}>
        {asset.promptText}
      </p>
    </InspectorSection>
  );
}

/** Model, size, settings, cost, when and how long; for an upload what is known of the file. */
export function AssetRecipe({
  detail: { asset, run, modelName },
}: {
  detail: RouteOutput<"getAsset">;
}) {
  const took = run && tookMs(run);
  const price = run && priceOf(run);
  const settings = run ? listSettings(run.input) : [];
  return (
    <InspectorSection title={t("asset.recipe")}>
      <Facts
        facts={[
          [t("asset.recipe.model"), run && (modelName ?? run.modelId)],
          [
            t("asset.recipe.size"),
            asset.width && asset.height ? `${asset.width} × ${asset.height}` : null,
          ],
          [
            t("asset.recipe.length"),
            asset.durationMs === null ? null : formatClip(asset.durationMs),
          ],
          ...settings.filter(([name]) => !/^image.?size$/i.test(name)),
          [t("asset.recipe.file"), `${asset.mime.split(";")[0]}, ${formatBytes(asset.bytes)}`],
          [t("asset.recipe.cost"), price && formatPrice(price)],
          [
            run ? t("asset.recipe.made") : t("asset.recipe.uploaded"),
            <span key="made">
              <Time at={asset.createdAt} />
              {took ? `, ${formatDuration(took)}` : ""}
            </span>,
          ],
          [
            t("asset.recipe.run"),
            run && (
              <Link to="/activity/$runId" params={{ runId: run.id }} className={styles.link}>
                {t("asset.recipe.openRun")}
              </Link>
            ),
          ],
          [
            t("asset.recipe.hash"),
            <code key="hash" data-tooltip={asset.sha256}>{`${asset.sha256.slice(0, 16)}…`}</code>,
          ],
        ]}
      />
    </InspectorSection>
  );
}
