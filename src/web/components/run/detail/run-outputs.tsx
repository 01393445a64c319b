import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Asset, Run } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { conversationOf } from "../../../data/queries/activity.queries.ts";
import { useRunStream } from "../../../data/run-stream.ts";
import { t } from "../../../messages/t.ts";
import { buttonClass } from "../../../ui/controls/button.tsx";
import { AssetTile } from "../../asset/asset-tile.tsx";
import { listOfAssets, useViewerList } from "../../viewer/viewer-lists.tsx";
import { MissingOutputs } from "../missing-outputs.tsx";
import { isEnded, titleOf } from "../run-facts.ts";
import { savedText } from "../run-text.ts";
import styles from "./run-outputs.module.css";

type ResultsProps = { detail: RouteOutput<"getRun">; tilePx: number };

/** A run's results, and the outputs that were paid for but not received. */
export function RunResults({
  detail: { run, assets, outputs, conversation },
  tilePx,
}: ResultsProps) {
  const isMissing = isEnded(run) && outputs.some(({ state }) => state !== "stored");
  const answered = conversationOf(run);
  return (
    <>
      {answered !== undefined && (
        <ConversationLine isAnswer id={answered} messageId={conversation?.messageId} />
      )}
      {answered === undefined && (assets.length > 0 || !isMissing) && (
        <RunOutputs run={run} assets={assets} tilePx={tilePx} />
      )}
      {answered === undefined && conversation && <ConversationLine {...conversation} />}
      {isMissing && <MissingOutputs run={run} outputs={outputs} />}
    </>
  );
}

type ConversationLineProps = { id: string; messageId: string | undefined; isAnswer?: boolean };

/** A link to the answer's conversation, or to the one that a tool or a file reading ran for. */
function ConversationLine({ id, messageId, isAnswer = false }: ConversationLineProps) {
  return (
    <p className={styles.line}>
      {t(isAnswer ? "run.outputs.conversation" : "run.outputs.inConversation")}
      <Link
        to="/chat/$id"
        params={{ id }}
        search={{ message: messageId }}
        className={buttonClass({ size: "small" })}
      >
        {t("run.outputs.openConversation")}
      </Link>
    </p>
  );
}

/** A run's assets as tiles, or the provider's preview of the coming picture. */
function RunOutputs({
  run,
  assets,
  tilePx,
}: {
  run: Run;
  assets: readonly Asset[];
  tilePx: number;
}) {
  const answer = savedText(run);
  if (answer || assets.length > 0)
    return (
      <>
        {answer && <p className={styles.answer}>{answer}</p>}
        {assets.length > 0 && <AssetRow assets={assets} height={tilePx} />}
      </>
    );
  return isEnded(run) ? (
    <p className={styles.quiet}>{t("run.outputs.ended")}</p>
  ) : (
    <PendingResults run={run} />
  );
}

function PendingResults({ run }: { run: Run }) {
  const { previewUrl } = useRunStream(run.id);
  if (!previewUrl) return <p className={styles.quiet}>{t("run.outputs.none")}</p>;
  return <img className={styles.preview} src={previewUrl} alt={titleOf(run)} />;
}

/** Tiles of the same height that link to their assets. */
export function AssetRow({ assets, height }: { assets: readonly Asset[]; height: number }) {
  useViewerList(useMemo(() => listOfAssets(assets), [assets]));
  return (
    <ul className={styles.tiles}>
      {assets.map((asset) => {
        const ratio =
          asset.width && asset.height
            ? Math.min(2.4, Math.max(0.5, asset.width / asset.height))
            : 1;
        return (
          <li key={asset.id} style={{ width: height * ratio, height }}>
            <AssetTile
              asset={asset}
              href={`/library/${asset.id}`}
              width={height * ratio}
              hasToolbar
            />
          </li>
        );
      })}
    </ul>
  );
}
