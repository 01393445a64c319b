import type { Clock } from "#domain/runs/ids.ts";
import type { Commit, Unit } from "#store/runs/unit.ts";

/**
 * The target duration of one slice. All other writes wait for it, and the next slice's rows may be
 * larger.
 */
const aimMs = 8;
/** Small, because the size of the rows isn't known yet. */
const rowsFirst = 20;
const minRows = 5;
const maxRows = 500;

/**
 * Runs a chore in units, each with as many rows as the previous unit handled in about `aimMs`.
 * `slice` changes or removes at most `rows` rows, and returns whether more may be left.
 * @param between called before each further slice
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
    // A slice that waited for the CPU also looks slow, so the size at most quarters or doubles.
    const factor = Math.min(2, Math.max(1 / 4, aimMs / tookMs));
    rows = Math.min(maxRows, Math.max(minRows, Math.floor(rows * factor)));
    if (isMore) await between();
  }
}
