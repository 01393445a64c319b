import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Asset, Run } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { askedRatio } from "#domain/files/picture-shape.ts";
import { useSession } from "../../data/shell-data.ts";
import { JustifiedRows } from "../grid/justified-rows.tsx";
import { MadeTile } from "../run/tile/made-tile.tsx";
import { RunTile } from "../run/tile/run-tile.tsx";
import type { TileActions } from "../run/tile/tile-actions.ts";
import { listOfAssets, useViewerList } from "../viewer/viewer-lists.tsx";
import type { RunResult } from "./use-batch-results.ts";

/** Limits tile ratios, so that no tile is a sliver or a banner. */
const [narrowest, widest] = [0.6, 2.2];
const ratioOf = ({ run }: RunResult, asset: Asset | undefined): number => {
  const ratio =
    asset?.width && asset.height
      ? asset.width / asset.height
      : asset?.kind === "audio"
        ? widest
        : (askedRatio(run.input as JsonObject) ?? 1);
  return Math.min(widest, Math.max(narrowest, ratio));
};

type Tile = { run: Run; asset: Asset | undefined; ratio: number };

/**
 * Results shown where they were requested: a tile for each file, and one for each run without
 * files.
 */
export function ResultTiles({
  label,
  made,
  targetHeight,
}: {
  label: string;
  made: readonly RunResult[];
  targetHeight: number;
}) {
  const actions = useTileActions();
  const tiles = made.flatMap((one): Tile[] =>
    one.assets.length > 0
      ? one.assets.map((asset) => ({ run: one.run, asset, ratio: ratioOf(one, asset) }))
      : [{ run: one.run, asset: undefined, ratio: ratioOf(one, undefined) }],
  );
  const shapes = tiles.map(({ ratio }) => ratio).join(" ");
  const ratios = useMemo(() => shapes.split(" ").map(Number), [shapes]);
  const assets = tiles.flatMap(({ asset }) => asset ?? []);
  useViewerList(useMemo(() => listOfAssets(assets), [assets]));
  if (tiles.length === 0) return null;
  return (
    <JustifiedRows
      label={label}
      ratios={ratios}
      targetHeight={targetHeight}
      keyAt={(index) => tiles[index]?.asset?.id ?? tiles[index]?.run.id ?? ""}
      renderTile={(index, width) => {
        const tile = tiles[index];
        if (!tile) return null;
        const { asset, run, ratio } = tile;
        return asset ? (
          <MadeTile asset={asset} width={width} ratio={ratio} />
        ) : (
          <RunTile run={run} actions={actions} isSelected={false} />
        );
      }}
    />
  );
}

/** Outside of Create, a run's details open in Activity and its recipe opens in Create. */
function useTileActions(): TileActions {
  const { project } = useSession();
  const navigate = useNavigate();
  return {
    mayEdit: project.role !== "viewer",
    selectRun: ({ id }) => void navigate({ to: "/activity/$runId", params: { runId: id } }),
    change: ({ id }) => void navigate({ to: "/create", search: { remix: id } }),
  };
}
