import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { forEachDatabase } from "../../support/databases/databases.ts";
import { until } from "../../support/server/instance.ts";
import {
  fileOnServer,
  type RunDetail,
  runEnds,
  shownText,
} from "../../support/server/server-client.ts";
import { textOfMessage } from "../../support/studio/studio.ts";
import { type Cell, createWorld, kinds, type World, wholeText } from "./campaign.ts";

/** The number of words in an answer; its stream is broken after each. */
const words = 5;

forEachDatabase((_, create) => {
  let world: World;
  const at = (point: string, kind: Cell["kind"], detail = ""): Cell => {
    const found = world.cells.find((cell) => cell.mark === `${point} ${kind}${detail}`);
    if (!found) throw new Error(`no cell ${point} ${kind}${detail}`);
    return found;
  };

  /** A server is killed at every point, and the next one continues with what it left. */
  beforeAll(async () => {
    world = await createWorld(await create());
    await diesBeforeTelling();
    await diesBeforeAdmitting();
    await diesBetweenAdmissionAndAttempt();
    await diesEverywhereAtOnce();
    await diesBeforeSettling();
    await world.live();
    for (const cell of world.cells) {
      const runId = await world.send(cell);
      // A client that retries with its key gets the earlier run, or has it made now.
      expect(runId).toBe(cell.runId ?? runId);
      cell.runId = runId;
    }
    await Promise.all(world.cells.map((cell) => runEnds(world.client, cell.runId!)));
  });
  afterAll(() => world.close());

  async function diesBeforeTelling(): Promise<void> {
    for (const kind of kinds) {
      await world.live("settle.committed=kill");
      await world.ask(world.newCell("P11", kind));
      await world.dies("failpoint settle.committed: kill");
    }
  }

  async function diesBeforeAdmitting(): Promise<void> {
    for (const kind of kinds) {
      const cell = world.newCell("P1", kind);
      await world.live(`run.commit@${cell.mark}=kill`);
      await expect(world.ask(cell)).rejects.toThrow();
      await world.dies(`failpoint run.commit@${cell.mark}: kill`);
    }
    const known = new Set(world.cells.map((cell) => cell.runId));
    expect((await world.books()).filter((entry) => !known.has(entry.run))).toEqual([]);
  }

  async function diesBetweenAdmissionAndAttempt(): Promise<void> {
    await diesUnclaimed(kinds.map((kind) => world.newCell("P2", kind)));
    for (const kind of kinds) {
      const cell = world.newCell("P3", kind);
      await diesUnclaimed([cell], () =>
        world.liveAndDie(
          `claim.commit@${cell.mark}=kill`,
          `failpoint claim.commit@${cell.mark}: kill`,
        ),
      );
    }
  }

  /**
   * Runs are admitted by a server that claims nothing, which is killed, and killed again in
   * `between`, before a server continues with them.
   */
  async function diesUnclaimed(
    cells: readonly Cell[],
    between?: () => Promise<void>,
  ): Promise<void> {
    await world.live("claim.begin=hang");
    for (const cell of cells) await world.ask(cell);
    await world.reached("failpoint claim.begin: hang");
    await world.kill();
    await between?.();
    for (const cell of cells) expect(world.postsOf(cell)).toBe(0);
    await world.live();
    for (const cell of cells) await runEnds(world.client, cell.runId!);
    await world.kill();
  }

  /**
   * One process with an active run at every point from the attempt to the file, and with an answer
   * torn after every word.
   */
  async function diesEverywhereAtOnce(): Promise<void> {
    const parked = {
      "attempt.begin": kinds.map((kind) => world.newCell("P4", kind)),
      "answer.whole": [world.newCell("P6", "answer")],
      "job.accepted": [world.newCell("P6", "job")],
      "answer.part": [world.newCell("P6", "stream")],
      "job.follow": [world.newCell("P7", "job")],
      "output.begun": [world.newCell("P8", "answer"), world.newCell("P8", "job")],
      "output.kept": [world.newCell("P9", "answer"), world.newCell("P9", "job")],
    };
    const points = Object.entries(parked).flatMap(([name, cells]) =>
      cells.map((cell) => ({ name: `${name}@${cell.mark}`, cell })),
    );
    const torn = world.newCell("P12", "stream", " unheard");
    const told = world.newCell("P12", "stream", " unwritten");
    const last = world.newCell("P5", "job");
    const plan = [
      ...points.map(({ name }) => `${name}=hang`),
      `answer.part@${torn.mark}#3=hang`,
      `log.write@${told.mark}#2=hang`,
      `answer.whole@${told.mark}=hang`,
      `attempt.sent@${last.mark}=kill`,
    ];
    await world.live(plan.join(";"));

    for (const { name, cell } of points) {
      await world.ask(cell, cell.mark === "P8 answer" ? { picturesByUrl: true } : undefined);
      await world.reached(`failpoint ${name}: hang`);
    }
    for (const kind of ["answer", "stream"] as const)
      await world.ask(world.newCell("P5", kind), { gate: { name: "unanswered", at: "head" } });
    for (let word = 1; word <= words; word++) {
      const cell = world.newCell("P12", "stream", ` ${word}`);
      await world.ask(cell, { gate: { name: "more", at: word } });
      await until(
        "its words are written",
        async () => (await world.written(cell)) === wordsOf(word),
      );
    }
    await world.ask(torn);
    await until("two words are written", async () => (await world.written(torn)) === wordsOf(2));
    await world.reached(`failpoint answer.part@${torn.mark}: hang`);
    await world.ask(told, { gate: { name: "told", at: 1 } });
    await until("a word is written", async () => (await world.written(told)) === wordsOf(1));
    world.openai.open("told");
    await until("all words are shown", async () => shownText(told.watch!.events) === wholeText);
    await world.reached(`failpoint log.write@${told.mark}: hang`);

    await world.ask(last).catch(() => undefined);
    await world.dies(`failpoint attempt.sent@${last.mark}: kill`);
    world.openai.open("unanswered");
    world.openai.open("more");
    const files = world.keptFiles();
    expect(files.map(({ hash }) => hash)).toEqual(files.map(({ name }) => name));
  }

  async function diesBeforeSettling(): Promise<void> {
    for (const kind of kinds) {
      const cell = world.newCell("P10", kind);
      await world.live(`settle.commit@${cell.mark}=kill`);
      const gate = { name: "settling", at: writtenBeforeEnd };
      await world.ask(cell, kind === "stream" ? { gate } : undefined);
      if (kind === "stream") {
        const before = wordsOf(writtenBeforeEnd);
        await until("words are written", async () => (await world.written(cell)) === before);
        world.openai.open(gate.name);
      }
      await world.dies(`failpoint settle.commit@${cell.mark}: kill`);
    }
  }

  /** The reserved, released and spent amounts in the ledger. */
  async function moneyOf(cell: Cell) {
    const entries = await world.books(cell.runId!);
    const sum = (...of: string[]): number =>
      entries.filter(({ kind }) => of.includes(kind)).reduce((all, { micros }) => all + micros, 0);
    return {
      held: sum("hold", "release"),
      holds: entries.filter(({ kind }) => kind === "hold").length,
      spent: sum("spend", "overage", "adjust"),
      settlements: entries.filter(({ settles }) => settles).length,
    };
  }

  async function expectMade(cell: Cell): Promise<RunDetail> {
    const detail = await world.detail(cell);
    expect(detail.run).toMatchObject({ state: "succeeded", heldMicros: 0 });
    expect(world.postsOf(cell)).toBe(1);
    expect(world.billedOf(cell)).toBe(1);
    expect(detail.run.costMicros).toBeGreaterThan(0);
    expect(await moneyOf(cell)).toEqual({
      held: 0,
      holds: 1,
      spent: detail.run.costMicros,
      settlements: 1,
    });
    if (cell.kind === "stream") {
      const message = await world.messageOf(cell);
      expect([message.state, textOfMessage(message)]).toEqual(["complete", wholeText]);
    } else {
      expect(detail.assets).toHaveLength(1);
      const file = await fileOnServer(world.client, detail.assets[0]!.id);
      expect(createHash("sha256").update(file).digest("hex")).toBe(detail.assets[0]!.sha256);
    }
    return detail;
  }

  async function expectUnconfirmed(cell: Cell, posts: number): Promise<void> {
    if (cell.kind === "stream") return expectInterrupted(cell, "", { posts });
    const { run, attempts, assets } = await world.detail(cell);
    expect(run).toMatchObject({
      state: "unconfirmed",
      costMicros: null,
      finishedAt: null,
      error: { code: "outcome_unknown" },
    });
    expect(attempts).toMatchObject([{ number: 1, state: "lost" }]);
    expect(assets).toEqual([]);
    expect(world.postsOf(cell)).toBe(posts);
    expect(run.heldMicros).toBeGreaterThan(0);
    expect(await moneyOf(cell)).toEqual({
      held: run.heldMicros,
      holds: 1,
      spent: 0,
      settlements: 0,
    });
  }

  /** Expects that every written word is kept, and marked as incomplete. */
  async function expectInterrupted(
    cell: Cell,
    text: string,
    { posts = 1, mayBeMore = false } = {},
  ): Promise<void> {
    const { run } = await world.detail(cell);
    expect(run).toMatchObject({
      state: "failed",
      heldMicros: 0,
      error: { code: "provider_interrupted" },
      usage: { units: { estimated: "yes" } },
    });
    const message = await world.messageOf(cell);
    const kept = textOfMessage(message);
    expect([message.state, kept]).toEqual(["interrupted", mayBeMore ? kept : text]);
    expect([kept.startsWith(text), wholeText.startsWith(kept)]).toEqual([true, true]);
    const shown = shownText(cell.watch!.events);
    expect(text.startsWith(shown) || shown.startsWith(text)).toBe(true);
    expect(world.postsOf(cell)).toBe(posts);
    // Its usage wasn't counted, so the cost is estimated and marked as such.
    expect(run.costBasis).toBe("estimated");
    expect(run.costMicros).toBeGreaterThan(0);
    expect(await moneyOf(cell)).toEqual({
      held: 0,
      holds: 1,
      spent: run.costMicros,
      settlements: 1,
    });
  }

  for (const kind of kinds) {
    it(`P1 before the run commits: no ${kind} exists or is reserved, and the client's retry makes it once`, async () => {
      await expectMade(at("P1", kind));
    });
    it(`P2 admitted, not claimed: the ${kind} is claimed, and sent once`, async () => {
      const { attempts } = await expectMade(at("P2", kind));
      expect(attempts).toMatchObject([{ number: 1, state: "ended" }]);
    });
    it(`P3 claimed, before its attempt commits: the ${kind} is claimed again, and sent once`, async () => {
      const { attempts } = await expectMade(at("P3", kind));
      expect(attempts).toMatchObject([{ number: 1, state: "ended" }]);
    });
    const left =
      kind === "stream"
        ? "has failed with an estimate of its cost"
        : "is unconfirmed and holds its money";
    it(`P4 attempt committed, no byte sent: the ${kind} ${left}, and is not sent`, async () => {
      await expectUnconfirmed(at("P4", kind), 0);
    });
    it(`P5 sent, no answer: the ${kind} ${left}, and is not sent again`, async () => {
      await expectUnconfirmed(at("P5", kind), 1);
      await until(
        "the provider has charged for it",
        async () => world.billedOf(at("P5", kind)) === 1,
      );
    });
    it(`P6 taken by the provider, nothing of its answer durable: the ${kind} ${left}, and is not sent again`, async () => {
      await expectUnconfirmed(at("P6", kind), 1);
    });
    it(`P11 settled, before anyone is notified: the ended ${kind} is visible to the next reader`, async () => {
      const cell = at("P11", kind);
      await expectMade(cell);
      expect(cell.watch!.events.map(({ type }) => type)).not.toContain("run-settled");
    });
  }

  it("P7 the job's ID durable, not yet polled: it is followed to its end without a second POST", async () => {
    const { attempts } = await expectMade(at("P7", "job"));
    expect(attempts).toMatchObject([{ number: 1, providerRequestId: expect.any(String) }]);
  });
  it.each(["answer", "job"] as const)(
    "P8 while a file is downloaded: that of the %s is downloaded again, and a part never becomes a file",
    async (kind) => {
      await expectMade(at("P8", kind));
    },
  );
  it.each(["answer", "job"] as const)(
    "P9 file durable, no row: that of the %s is recovered by its hash",
    async (kind) => {
      await expectMade(at("P9", kind));
    },
  );
  it.each(["answer", "job"] as const)(
    "P10 file and asset written, before the end commits: the %s is settled once",
    async (kind) => {
      await expectMade(at("P10", kind));
    },
  );
  it("P10 the end of a stream written, before it commits: earlier text is saved, and it is settled once", async () => {
    await expectInterrupted(at("P10", "stream"), wordsOf(writtenBeforeEnd), { mayBeMore: true });
  });
  it.each(Array.from({ length: words }, (_each, index) => index + 1))(
    "P12 in a stream after word %i: all written text is saved",
    async (word) => {
      const cell = at("P12", "stream", ` ${word}`);
      expect(shownText(cell.watch!.events)).toBe(wordsOf(word));
      await expectInterrupted(cell, wordsOf(word));
    },
  );
  it("P12 in a stream with shown, unwritten words: earlier words are saved", async () => {
    const cell = at("P12", "stream", " unwritten");
    expect(shownText(cell.watch!.events)).toBe(wholeText);
    await expectInterrupted(cell, wordsOf(1));
  });
  it("P12 in a stream with a word that nobody saw: the words before it are saved", async () => {
    await expectInterrupted(at("P12", "stream", " unheard"), wordsOf(2));
  });

  it("all ledgers and budgets add up to costs and reservations, and every file has its hash", async () => {
    const details = await Promise.all(world.cells.map((cell) => world.detail(cell)));
    const heldMicros = details.reduce((sum, { run }) => sum + run.heldMicros, 0);
    const spentMicros = details.reduce((sum, { run }) => sum + (run.costMicros ?? 0), 0);
    expect((await world.books()).reduce((sum, entry) => sum + entry.micros, 0)).toBe(
      heldMicros + spentMicros,
    );
    expect(await world.balance()).toEqual({ heldMicros, spentMicros });
    const files = world.keptFiles();
    expect(files.map(({ hash }) => hash)).toEqual(files.map(({ name }) => name));
  });
});

/** The number of words in a stream's log before the unit that ends it. */
const writtenBeforeEnd = 3;

const wordsOf = (count: number): string => wholeText.split(" ").slice(0, count).join(" ");
