import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Asset } from "#contract/entities.ts";
import { AssetTile } from "../../../components/asset/asset-tile.tsx";
import { JustifiedRows } from "../../../components/grid/justified-rows.tsx";
import { messageFileQuery } from "../../../data/queries/chat.queries.ts";
import { t } from "../../../messages/t.ts";
import { Skeleton } from "../../../ui/display/skeleton.tsx";
import { MessageFiles } from "../thread/message-files.tsx";

/** Approximate picture height: large enough to judge a picture, with two common ones per row. */
const pictureHeight = 300;

const isPicture = ({ kind }: Asset): boolean => kind === "image" || kind === "video";

/** Null while it loads. */
type Shown = { id: string; asset: Asset | null };

/** An answer's files: pictures and videos in rows of large tiles with acts; other files by name. */
export function MadeFiles({ assetIds }: { assetIds: readonly string[] }) {
  const files = useQueries({ queries: assetIds.map((id) => messageFileQuery(id)) });
  // A loading file gets a picture's room, because it most likely is one.
  const shown = assetIds.flatMap((id, index): Shown[] => {
    const { data, isError } = files[index]!;
    if (data) return isPicture(data.asset) ? [{ id, asset: data.asset }] : [];
    return isError ? [] : [{ id, asset: null }];
  });
  const named = assetIds.filter((id) => !shown.some((one) => one.id === id));
  const shape = shown.map(({ asset }) => ratioOf(asset)).join(" ");
  const ratios = useMemo(() => shape.split(" ").map(Number), [shape]);
  return (
    <>
      {shown.length > 0 && (
        <JustifiedRows
          label={t("chat.files")}
          ratios={ratios}
          targetHeight={pictureHeight}
          keyAt={(index) => shown[index]?.id ?? `${index}`}
          renderTile={(index, width) => {
            const { asset } = shown[index] ?? {};
            return asset ? (
              <AssetTile asset={asset} href={`/library/${asset.id}`} width={width} hasToolbar />
            ) : (
              <Skeleton height="100%" radius={5} />
            );
          }}
        />
      )}
      <MessageFiles assetIds={named} />
    </>
  );
}

const ratioOf = (asset: Asset | null): number =>
  asset?.width && asset.height ? asset.width / asset.height : 1;
