import { useQueries } from "@tanstack/react-query";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { assetQuery } from "../../../data/queries/shared.queries.ts";
import { AssetRow } from "./run-outputs.tsx";

/** A run's input files, as small tiles. */
export function RunInputs({
  inputs,
  tilePx,
}: {
  inputs: RouteOutput<"getRun">["inputs"];
  tilePx: number;
}) {
  const assetIds = [...new Set(inputs.map(({ assetId }) => assetId))];
  const answers = useQueries({ queries: assetIds.map((assetId) => assetQuery(assetId)) });
  const assets = answers.flatMap(({ data }) => (data ? [data.asset] : []));
  return <AssetRow assets={assets} height={tilePx} />;
}
