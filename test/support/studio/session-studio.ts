import { checkConnection } from "#engine/connections/catalogue.ts";
import { openCanvas, type TestCanvas } from "../browser/canvas.ts";
import type { TestDatabase } from "../databases/databases.ts";
import { expectRightBooks } from "../databases/right-books.ts";
import { type Caller, until } from "../server/instance.ts";
import { createStudio } from "./studio.ts";

/** A clock that runs like the wall clock and can be advanced. */
function createMovableClock() {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    monotonic: () => performance.now() + ahead,
    advance: (ms: number) => (ahead += ms),
  };
}

/**
 * A studio with a port and two realtime models: "sim/klein/realtime" is billed by the second,
 * "sim/lcm" by the picture.
 */
export async function createSessionStudio(database: TestDatabase) {
  const clock = createMovableClock();
  const studio = await createStudio(database, { instance: { clock } });
  const url = await studio.instance.listen();
  await studio.instance.engine.changeConnection(studio.models.fal.connectionId, {
    values: { realtimeModels: "sim/lcm" },
  });
  await checkConnection(studio.instance.engineDeps, studio.models.fal.connectionId);
  const canvases: TestCanvas[] = [];

  const live = (modelId = "sim/klein/realtime") => ({
    connectionId: studio.models.fal.connectionId,
    modelId,
  });
  async function open(who: Caller = studio.person): Promise<TestCanvas> {
    const canvas = await openCanvas(url, who.cookie);
    canvases.push(canvas);
    return canvas;
  }
  /** Starts a session. */
  async function start(
    options: {
      who?: Caller;
      modelId?: string;
      projectId?: string;
      settings?: { prompt: string };
    } = {},
  ) {
    const who = options.who ?? studio.person;
    const canvas = await open(who);
    canvas.say({
      start: {
        projectId: options.projectId ?? who.projectId,
        model: live(options.modelId),
        settings: options.settings ?? { prompt: "a boat" },
      },
    });
    const { started } = await canvas.heard("started");
    return { canvas, runId: started.runId, started };
  }

  return {
    studio,
    clock,
    live,
    open,
    start,
    expectGoodBooks: (): Promise<void> => expectRightBooks(studio.instance.store.db),
    /**
     * Between two tests: closes every canvas, waits until every session has ended, and removes all
     * budgets.
     */
    async clear(): Promise<void> {
      for (const canvas of canvases.splice(0)) canvas.ws.terminate();
      const { db } = studio.instance.store;
      await until("nothing is under way", async () => {
        const open = await db
          .selectFrom("run")
          .select("id")
          .where("finished_at", "is", null)
          .execute();
        return open.length === 0;
      });
      await db.deleteFrom("budget").execute();
    },
    close: studio.close,
  };
}
export type SessionStudio = Awaited<ReturnType<typeof createSessionStudio>>;
