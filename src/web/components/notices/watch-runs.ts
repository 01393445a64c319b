import type { Run } from "#contract/entities.ts";

/** What has lasted so long is worth a word: of the rest the person waits for the end with their own eyes. */
export const longMs = 10_000;

/** Looks at a run that left the list: past them it is one that nobody can be told of. */
const askedMost = 20;

export type Notice = { run: Run; why: "ended" | "waits" };
type Watched = Pick<Run, "id" | "userId" | "waitingFor">;

/**
 * Watches the open runs of a project for what a person wants to be told of: their own runs alone, that ended after a while, or that
 * have begun to wait for approval. What was so before the first look is no news.
 * @param fetchRun what became of a run that is not open any more; undefined where it can't be told now. It is asked about again at the
 * next look, as is a run that is only out of a list which shows the newest.
 */
export function createNoticeWatch(
  userId: string,
  fetchRun: (id: string) => Promise<Run | undefined>,
): { see: (open: readonly Run[], isSeen: boolean) => Promise<Notice[]> } {
  let known: Map<string, Watched> | undefined;
  /** Runs that left the list while nobody looked, and whose end is not known yet, with how often it was asked for. */
  const unclear = new Map<string, number>();
  return {
    async see(open, isSeen) {
      const own = new Map(open.filter((run) => run.userId === userId).map((run) => [run.id, run]));
      const before = known;
      known = own;
      for (const id of own.keys()) unclear.delete(id);
      // Who looks at the page sees it there.
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
        if (times > askedMost) unclear.delete(id);
        else unclear.set(id, times);
      }
      const found = await Promise.all(asked.map(fetchRun));
      const ended = found.filter(
        (run): run is Run =>
          // Another look may have told of it meanwhile.
          run !== undefined && run.finishedAt !== null && unclear.delete(run.id) && isLong(run),
      );
      return [
        ...waits.map((run) => ({ run, why: "waits" as const })),
        ...ended.map((run) => ({ run, why: "ended" as const })),
      ];
    },
  };
}

/** Who has stopped a run knows. */
const isLong = ({ state, finishedAt, createdAt }: Run): boolean =>
  state !== "cancelled" && (finishedAt ?? 0) - createdAt >= longMs;

type TitlePlace = { title: string };

/** The title of a tab that nobody looks at: what ended last, and how much, until somebody looks. */
export function createTitleNotice(place: TitlePlace): {
  show: (text: string) => void;
  clear: () => void;
} {
  let own: { count: number; before: string; shown: string } | undefined;
  return {
    show(text) {
      const count = (own?.count ?? 0) + 1;
      // A screen may have changed it meanwhile.
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
