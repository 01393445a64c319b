import { Link } from "@tanstack/react-router";
import type { Asset, Run } from "#contract/entities.ts";
import { AssetTile } from "../../../components/asset/asset-tile.tsx";
import { isEnded, titleOf } from "../../../components/run/run-facts.ts";
import { keptAnswer } from "../../../components/run/run-words.ts";
import { conversationOf } from "../../../data/queries/activity.queries.ts";
import { useRunStream } from "../../../data/run-stream.ts";
import { t } from "../../../messages/t.ts";
import { buttonClass } from "../../../ui/controls/button.tsx";
import styles from "./run-outputs.module.css";

const tileHeightPx = 200;

/** Assets of a run as tiles, the conversation of an answer, or what a provider shows of the coming picture. */
export function RunOutputs({ run, assets }: { run: Run; assets: readonly Asset[] }) {
  const conversationId = conversationOf(run);
  if (conversationId)
    return (
      <p className={styles.line}>
        {t("run.outputs.conversation")}
        <Link
          to="/chat/$id"
          params={{ id: conversationId }}
          className={buttonClass({ size: "small" })}
        >
          {t("run.outputs.openConversation")}
        </Link>
      </p>
    );
  const answer = keptAnswer(run);
  if (answer || assets.length > 0)
    return (
      <>
        {answer && <p className={styles.answer}>{answer}</p>}
        {assets.length > 0 && <AssetRow assets={assets} />}
      </>
    );
  return isEnded(run) ? (
    <p className={styles.quiet}>{t("run.outputs.ended")}</p>
  ) : (
    <Coming run={run} />
  );
}

function Coming({ run }: { run: Run }) {
  const { previewUrl } = useRunStream(run.id);
  if (!previewUrl) return <p className={styles.quiet}>{t("run.outputs.none")}</p>;
  return <img className={styles.preview} src={previewUrl} alt={titleOf(run)} />;
}

/** Tiles of one height that lead to their asset pages. */
export function AssetRow({
  assets,
  height = tileHeightPx,
}: {
  assets: readonly Asset[];
  height?: number;
}) {
  return (
    <ul className={styles.tiles}>
      {assets.map((asset) => {
        const ratio =
          asset.width && asset.height
            ? Math.min(2.4, Math.max(0.5, asset.width / asset.height))
            : 1;
        return (
          <li key={asset.id} style={{ width: height * ratio, height }}>
            <AssetTile asset={asset} href={`/library/${asset.id}`} width={height * ratio} />
          </li>
        );
      })}
    </ul>
  );
}
