import type { Run } from "#contract/entities.ts";

/** The shortest run worth a notification; a person watches shorter runs to their end. */
export const longMs = 10_000;

/** The number of times a run that left the list is looked up before the watch gives up on it. */
const maxAsked = 20;

export type Notice = { run: Run; why: "ended" | "waits" };
type Watched = Pick<Run, "id" | "userId" | "waitingFor">;

/**
 * Watches a project's open runs for news to report: the person's own runs that ended after a while,
 * or that now wait for approval. The state at the first look isn't news.
 * @param fetchRun reads a run that is no longer open; undefined if it can't be read now. Such a run
 *   is read again at the next look, like a run that only dropped out of a list of the newest.
 */
export function createNoticeWatch(
  userId: string,
  fetchRun: (id: string) => Promise<Run | undefined>,
): { see: (open: readonly Run[], isSeen: boolean) => Promise<Notice[]> } {
  let known: Map<string, Watched> | undefined;
  /**
   * Runs that left the list in the background and whose end isn't known yet, with the number of
   * lookups.
   */
  const unclear = new Map<string, number>();
  return {
    async see(open, isSeen) {
      const own = new Map(open.filter((run) => run.userId === userId).map((run) => [run.id, run]));
      const before = known;
      known = own;
      for (const id of own.keys()) unclear.delete(id);
      // A visible page shows the news itself.
      if (!before || isSeen) {
        unclear.clear();
        return [];
      }
      const waits = [...own.values()].filter(
        ({ id, waitingFor }) =>
          waitingFor !== null && (before.get(id)?.waitingFor ?? null) === null,
      );
      const gone = [...before.keys()].filter((id) => !own.has(id));
      const asked = [...new Set([...unclear.keys(), ...gone])];
      for (const id of asked) {
        const times = (unclear.get(id) ?? 0) + 1;
        if (times > maxAsked) unclear.delete(id);
        else unclear.set(id, times);
      }
      const found = await Promise.all(asked.map(fetchRun));
      const ended = found.filter(
        (run): run is Run =>
          // Another look may have reported it meanwhile.
          run !== undefined && run.finishedAt !== null && unclear.delete(run.id) && isLong(run),
      );
      return [
        ...waits.map((run) => ({ run, why: "waits" as const })),
        ...ended.map((run) => ({ run, why: "ended" as const })),
      ];
    },
  };
}

/** Canceled runs don't count, because the person canceled them. */
const isLong = ({ state, finishedAt, createdAt }: Run): boolean =>
  state !== "cancelled" && (finishedAt ?? 0) - createdAt >= longMs;

type TitlePlace = { title: string };

/**
 * The title of a background tab: the latest finished run and the number of news, until the tab is
 * visible again.
 */
export function createTitleNotice(place: TitlePlace): {
  show: (text: string) => void;
  clear: () => void;
} {
  let own: { count: number; before: string; shown: string } | undefined;
  return {
    show(text) {
      const count = (own?.count ?? 0) + 1;
      // A screen may have changed the title meanwhile.
      const before = own && place.title === own.shown ? own.before : place.title;
      own = { count, before, shown: `(${count}) ${text}` };
      place.title = own.shown;
    },
    clear() {
      if (own && place.title === own.shown) place.title = own.before;
      own = undefined;
    },
  };
}
