import type { Clock } from "#domain/runs/ids.ts";
import type { Commit, Unit } from "#store/runs/unit.ts";

/** What a slice aims to take. Every other write waits for it, and the rows of the next one may be larger. */
const aimMs = 8;
/** As nobody knows yet how large the rows are. */
const rowsFirst = 20;
const rowsLeast = 5;
const rowsMost = 500;

/**
 * Does a chore in units, each of so many rows as took about `aimMs` in the unit before. `slice` changes or removes at most `rows`
 * rows, and returns whether more may be left.
 * @param between what is done before the next slice
 */
export async function inSlices(
  { commit, clock }: { commit: Commit; clock: Pick<Clock, "monotonic"> },
  slice: (unit: Unit, rows: number) => Promise<boolean>,
  between: () => Promise<void> = async () => undefined,
): Promise<void> {
  for (let rows = rowsFirst, isMore = true; isMore; ) {
    let tookMs = 0;
    isMore = await commit(async (unit) => {
      const began = clock.monotonic();
      const more = await slice(unit, rows);
      tookMs = clock.monotonic() - began;
      return more;
    });
    // A slice that waited for the processor seems long, too: the next one has a quarter of its rows at least, and twice as many at most.
    const factor = Math.min(2, Math.max(1 / 4, aimMs / tookMs));
    rows = Math.min(rowsMost, Math.max(rowsLeast, Math.floor(rows * factor)));
    if (isMore) await between();
  }
}
