import { useRef } from "react";
import type { Asset } from "#contract/entities.ts";
import { type Judgement, useJudge } from "../asset/inspector/use-judge.ts";

type Judged = Pick<Asset, "id" | "pick" | "rating">;

/** Keeps, rejects and rates what is shown, and takes the last of it back, on whichever asset it was. */
export function useJudgement(onUndone: (assetId: string) => void) {
  const judge = useJudge();
  const done = useRef<Judged[]>([]);
  const set = (asset: Judged, change: Judgement) => {
    const { id, pick, rating } = asset;
    done.current.push({ id, pick, rating });
    judge(asset, change);
  };
  return {
    /** Pressed again, it takes the mark back. */
    pick: (asset: Judged, value: "kept" | "rejected") =>
      set(asset, { pick: asset.pick === value ? "none" : value }),
    rate: (asset: Judged, rating: number) => set(asset, { rating }),
    /** False where there is nothing to take back. */
    undo: (): boolean => {
      const last = done.current.pop();
      if (!last) return false;
      judge(last, { pick: last.pick, rating: last.rating });
      onUndone(last.id);
      return true;
    },
  };
}
