import { useRef } from "react";
import type { Asset } from "#contract/entities.ts";
import { type Judgement, useJudge } from "../asset/inspector/use-judge.ts";

type Judged = Pick<Asset, "id" | "pick" | "rating">;

/** Keeps, rejects and rates what is shown, and takes the last of it back, on whichever asset it was. */
export function useJudgement(onUndone: (assetId: string) => void) {
  const judge = useJudge();
  const done = useRef<{ id: string; takeBack: () => void }[]>([]);
  const remember = (id: string, takeBack: () => void): void => {
    done.current.push({ id, takeBack });
  };
  const set = (asset: Judged, change: Judgement) => {
    const { pick, rating } = asset;
    remember(asset.id, () => judge(asset, { pick, rating }));
    judge(asset, change);
  };
  return {
    /** Pressed again, it takes the mark back. */
    pick: (asset: Judged, value: "kept" | "rejected") =>
      set(asset, { pick: asset.pick === value ? "none" : value }),
    rate: (asset: Judged, rating: number) => set(asset, { rating }),
    /** Something else that was done to an asset: it is taken back in its turn. */
    remember,
    /** False where there is nothing to take back. */
    undo: (): boolean => {
      const last = done.current.pop();
      if (!last) return false;
      last.takeBack();
      onUndone(last.id);
      return true;
    },
  };
}
