import { useMutation, useQueries, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Asset, Run } from "#contract/entities.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";
import { makeAgain } from "../../../data/queries/create.queries.ts";
import { runQuery } from "../../../data/queries/shared.queries.ts";
import { t } from "../../../messages/t.ts";
import { isEnded } from "../../run/run-facts.ts";
import { useRemakePrice } from "../../run/use-remake-price.ts";

export type RemakeKind = "again" | "vary";
export type Remake = {
  kind: RemakeKind;
  count: number;
  runId: string;
  state: "running" | "same" | "other" | "failed";
  /** The result, once it exists. */
  asset: Asset | null;
};

/** An action that spends money, with its price or the reason that it is unavailable. */
export type RemakeOffer = {
  kind: RemakeKind;
  price: string | null;
  refusal: string | null;
  /** What to expect of the result if the model has no seed. */
  note: string | null;
};

/**
 * The price of making a recipe again, and whether it can be varied. Without a price there is no
 * offer. "Make again" repeats the run, "vary" runs it four times with other seeds.
 */
export function useRemakeOffers(run: Run | null): {
  again: RemakeOffer;
  vary: RemakeOffer;
  /** How the result of "make again" relates to this one. */
  note: string | null;
  /** The prices aren't known yet. */
  isComing: boolean;
} {
  const { model, isGone, isComing, ...prices } = useRemakePrice(run);
  const refusal = isGone ? t("run.modelGone") : null;
  const offer = (kind: RemakeKind): RemakeOffer => ({
    kind,
    price: prices[kind],
    refusal,
    note: null,
  });
  const hasSeed =
    !run ||
    !model ||
    typeof run.input.seed === "number" ||
    "seed" in propertiesOf(model.inputSchema);
  const isExact = model?.capabilities.deterministic === true;
  // Without a seed and without randomness, there is nothing to vary.
  const sameness = hasSeed ? null : t(isExact ? "asset.exact" : "asset.noSeed");
  return {
    again: offer("again"),
    vary: {
      ...offer("vary"),
      refusal: refusal ?? (!hasSeed && isExact ? sameness : null),
      note: sameness,
    },
    note: sameness,
    isComing,
  };
}

/** Makes an asset's recipe again or varies it, and follows the new runs. */
export function useRemake(asset: Asset, run: Run) {
  const queryClient = useQueryClient();
  const [started, setStarted] = useState<{ kind: RemakeKind; runIds: string[] } | null>(null);
  const create = useMutation({
    mutationFn: (kind: RemakeKind) => makeAgain(queryClient, run, kind),
    onSuccess: ({ runs }, kind) => setStarted({ kind, runIds: runs.map(({ id }) => id) }),
  });
  const details = useQueries({
    queries: (started?.runIds ?? []).map((id) => runQuery(id)),
  }).map(({ data }) => data);
  return {
    start: (kind: RemakeKind) => create.mutate(kind),
    isStarting: create.isPending,
    error: create.error,
    remake: started && toRemake(started, asset, details),
  };
}

function toRemake(
  { kind, runIds }: { kind: RemakeKind; runIds: string[] },
  original: Asset,
  details: ({ run: Run; assets: Asset[] } | undefined)[],
): Remake {
  const known = details.filter((detail) => detail !== undefined);
  const made = known.flatMap(({ assets }) => assets);
  const base = { kind, count: Math.max(1, made.length), runId: runIds[0] ?? "" };
  if (known.length < runIds.length || known.some(({ run }) => !isEnded(run)))
    return { ...base, state: "running", asset: null };
  // A run with several outputs makes all of them again; the one at the same index corresponds to
  // this asset.
  const asset =
    made.find(({ outputIndex }) => outputIndex === original.outputIndex) ?? made[0] ?? null;
  if (!asset || known.every(({ run }) => run.state !== "succeeded"))
    return { ...base, state: "failed", asset: null };
  return { ...base, state: asset.sha256 === original.sha256 ? "same" : "other", asset };
}
