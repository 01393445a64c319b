import { useRef } from "react";
import type { Asset } from "#contract/entities.ts";
import type { TakeBack } from "../asset/inspector/use-asset-actions.ts";
import { type Judgement, useJudge } from "../asset/inspector/use-judge.ts";

type Judged = Pick<Asset, "id" | "pick" | "rating">;

/**
 * Keeps, rejects and rates the shown asset, and undoes the last change on whichever asset it was.
 */
export function useJudgement(onUndone: (assetId: string) => void) {
  const judge = useJudge();
  const done = useRef<{ id: string; takeBack: TakeBack }[]>([]);
  const remember = (id: string, takeBack: TakeBack): void => {
    done.current.push({ id, takeBack });
  };
  const set = (asset: Judged, change: Judgement) => {
    const { pick, rating } = asset;
    remember(asset.id, () => {
      judge(asset, { pick, rating });
      return true;
    });
    judge(asset, change);
  };
  return {
    /** Pressing the same mark again removes it. */
    pick: (asset: Judged, value: "kept" | "rejected") =>
      set(asset, { pick: asset.pick === value ? "none" : value }),
    rate: (asset: Judged, rating: number) => set(asset, { rating }),
    /** Records another change of an asset for undo. */
    remember,
    /** False if there is nothing to undo. */
    undo: (): boolean => {
      for (let last = done.current.pop(); last; last = done.current.pop()) {
        // A toast may have undone it before.
        if (!last.takeBack()) continue;
        onUndone(last.id);
        return true;
      }
      return false;
    },
  };
}
