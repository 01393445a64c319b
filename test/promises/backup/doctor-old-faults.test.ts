import { afterAll, beforeAll, expect, it } from "vitest";
import type { ErrorCode } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { readSettings } from "#server/settings.ts";
import type { AttemptRow, RunRow } from "#store/database/schema.ts";
import { doctor } from "../../../src/commands/doctor.ts";
import { forEachDatabase, type TestDatabase } from "../../support/databases/databases.ts";
import { createStudio, type Studio } from "../../support/studio/studio.ts";

type Found = { check: string; findings: { subject: string; text: string; mended?: string }[] };

/** Faults of 0.1 in a database that 0.2 doesn't have. */
forEachDatabase((_, create) => {
  let database: TestDatabase;
  let studio: Studio;
  beforeAll(async () => {
    database = await create();
    studio = await createStudio(database);
  });
  afterAll(() => studio.close());

  const ask = async (mend = false) => {
    const lines: string[] = [];
    const options = { deep: false, mend, removeStrays: false, json: true };
    await doctor(readSettings(database.env, []), options, (line) => lines.push(line));
    const { checks } = JSON.parse(lines.join("\n")) as { checks: Found[] };
    return checks.flatMap(({ check, findings }) =>
      findings.map(({ subject, mended }) => ({ check, subject, ...(mended && { mended }) })),
    );
  };
  const change = (
    runId: string,
    run: Partial<RunRow>,
    attempt: Partial<AttemptRow> = {},
    outputs: "stay" | "go" = "stay",
  ) =>
    studio.instance.store.write(async (tx) => {
      await tx
        .updateTable("run")
        .set({ attempts: 1, ...run })
        .where("id", "=", runId)
        .execute();
      await tx
        .updateTable("attempt")
        .set({ number: 1, ...attempt })
        .where("run_id", "=", runId)
        .execute();
      if (outputs === "go") await tx.deleteFrom("output").where("run_id", "=", runId).execute();
    });
  const failedBy = (code: ErrorCode): Partial<RunRow> => ({
    state: "failed",
    cost_basis: "held",
    error: JSON.stringify({ code, message: "m", advice: "a", retryable: true }),
  });
  const accepted = { http_status: 200, provider_request_id: null, provider_urls: null };

  it("an accepted attempt without its answer is found, and its run is marked", async () => {
    const make = async (prompt: string) => (await studio.ended((await studio.make(prompt)).id)).id;
    const torn = await make("torn behind a 200");
    await change(torn, failedBy("provider_interrupted"), { ...accepted, state: "ended" }, "go");
    const killed = await make("the server was killed while it came");
    const unknown = { ...accepted, http_status: null, state: "lost" as const };
    await change(killed, failedBy("provider_interrupted"), unknown, "go");
    const relayed = await make("taken for a web page, and made by the next model");
    await change(relayed, {}, { ...accepted, state: "refused" });

    const refused = await make("refused in words");
    await change(refused, failedBy("provider_rejected"), { ...accepted, state: "ended" }, "go");
    const decided = await make("decided by a person");
    await change(decided, failedBy("outcome_unknown"), { ...accepted, state: "lost" }, "go");
    const busy = await make("refused for want of a place");
    await change(busy, {}, { ...accepted, http_status: 429, state: "refused" });
    const kept = await make("failed with what came");
    await change(kept, failedBy("provider_interrupted"), { ...accepted, state: "ended" });
    const words = (await studio.ended((await studio.ask("torn words")).run.id)).id;
    await change(words, failedBy("provider_interrupted"), { ...accepted, state: "ended" });

    const found = [torn, killed]
      .map((id) => `run ${id} (failed)`)
      .concat(`run ${relayed} (succeeded)`)
      .sort()
      .map((subject) => ({ check: "lost-answers", subject }));
    expect(await ask()).toEqual(found);
    const mended = "the run carries the warning now";
    expect(await ask(true)).toEqual(found.map((one) => ({ ...one, mended })));
    expect(await ask()).toEqual([]);
    expect((await studio.runOf(torn)).warnings).toMatchObject([
      { message: expect.stringContaining("its answer was lost") },
    ]);
  });

  it("a background answer that cites pages and counts no search is found, and its run is marked", async () => {
    const { run, answer } = await studio.ask("searched in the background");
    await studio.ended(run.id);
    const cite = (parts: object[]) =>
      studio.instance.store.write((tx) =>
        tx
          .updateTable("message")
          .set({ parts: JSON.stringify(parts) })
          .where("id", "=", answer.id)
          .execute(),
      );
    const source = { type: "source", title: "Found", url: "https://example.org/found" };
    await cite([{ type: "text", text: "It is so." }, source]);
    expect(await ask()).toEqual([]);
    const job = { provider_request_id: "resp_1", provider_urls: "{}" };
    const counted = JSON.stringify({ units: { "web searches": "2" } });
    await change(run.id, { usage: counted }, job);
    expect(await ask()).toEqual([]);
    await change(run.id, { usage: "{}" }, job);
    const finding = { check: "searches", subject: `run ${run.id} (succeeded)` };
    expect(await ask()).toEqual([finding]);
    expect(await ask(true)).toMatchObject([finding]);
    expect(await ask()).toEqual([]);
    await cite([]);
  });

  it("a file that the trash lost to a fast clock is found, a deleted one is not", async () => {
    const run = await studio.ended((await studio.make("deleted too early")).id);
    const [asset] = await studio.assetsOf(run.id);
    const now = Date.now();
    const dayMs = 86_400_000;
    const setTimes = (trashed_at: number | null, deleted_at: number | null) =>
      studio.instance.store.write((tx) =>
        tx
          .updateTable("asset")
          .set({ trashed_at, deleted_at })
          .where("id", "=", asset!.id)
          .execute(),
      );
    await setTimes(now - dayMs, now + limits.trashMs);
    expect(await ask()).toEqual([{ check: "trash", subject: `asset ${asset!.id}` }]);
    await setTimes(now - dayMs, now + dayMs);
    expect(await ask()).toEqual([]);
    await setTimes(now - limits.trashMs - dayMs, now - dayMs);
    expect(await ask()).toEqual([]);
    await setTimes(null, null);
  });
});
