import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Run } from "#contract/entities.ts";
import { call } from "../../../data/client.ts";
import { refreshAfter } from "../../../data/keys.ts";
import { describeError } from "../../../ui/describe-error.ts";

/** The actions for several unconfirmed runs at once. */
export type OfferForAll = "look" | "not-made" | "made-elsewhere";

/** The number of runs changed and failed, and the reason for the failures. */
export type DecisionResult = { changed: number; failed: number; reason: string | null };

async function decide(run: Run, offer: OfferForAll): Promise<boolean> {
  const params = { runId: run.id };
  if (offer === "look") return (await call("lookAgain", { params })).found;
  await call("resolveRun", {
    params,
    body: offer === "not-made" ? { outcome: offer } : { outcome: offer, costMicros: null },
  });
  return true;
}

/** Applies an action to each run in sequence. A refused run doesn't stop the others. */
export function useDecideAll() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({
      runs,
      offer,
    }: {
      runs: readonly Run[];
      offer: OfferForAll;
    }): Promise<DecisionResult> => {
      const decided: DecisionResult = { changed: 0, failed: 0, reason: null };
      for (const run of runs) {
        try {
          if (await decide(run, offer)) decided.changed++;
        } catch (error) {
          decided.failed++;
          decided.reason = describeError(error).title;
        }
      }
      return decided;
    },
    onSettled: () => refreshAfter(queryClient, "decision"),
  });
}
