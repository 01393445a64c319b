import { join } from "node:path";
import { expect } from "vitest";
import { readSettings } from "#server/settings.ts";
import type { Tx } from "#store/database/store.ts";
import { putBudget } from "#store/money/budgets.ts";
import { doctor } from "../../../src/commands/doctor.ts";
import type { TestDatabase } from "../databases/databases.ts";
import { type Ended, runBottega } from "../server/run-command.ts";
import { createStudio } from "./studio.ts";

type Report = {
  clean: boolean;
  checks: { check: string; findings: { subject: string; text: string; mended?: string }[] }[];
};
type Flag = "deep" | "mend" | "removeStrays";

/** A doctor report's findings, without the checks that found nothing. */
export const foundBy = ({ report }: { report: Report }) =>
  report.checks.flatMap(({ check, findings }) =>
    findings.map(({ subject, text, mended }) => ({ check, subject, text, mended })),
  );

/**
 * A studio with a budget, two paid pictures (one through a key) and an answer, for tests that
 * damage it and run the doctor. Each test undoes its damage, so that findings come from one test
 * only.
 */
export async function createDoctorStudio(database: TestDatabase) {
  const studio = await createStudio(database);
  const store = studio.instance.deps.store;
  const change = (unit: (tx: Tx) => Promise<unknown>) =>
    store.write(async (tx) => void (await unit(tx)));
  await change((tx) =>
    putBudget(store, tx, {
      id: "budget-1",
      scope: "instance",
      scopeId: null,
      period: "month",
      timeZone: "Europe/Vienna",
      limitMicros: 1_000_000_000,
      onLimit: "warn",
      authority: "admin",
      createdBy: studio.person.user.id,
      at: Date.now(),
    }),
  );
  const { id: runId } = await studio.make("a picture that is paid for");
  await studio.ended(runId);
  await studio.ended((await studio.ask("say something")).run.id);
  const key = await studio.instance.createKey(studio.person);
  const input = { prompt: "a picture of a program", image_size: { width: 64, height: 64 } };
  const body = {
    projectId: studio.person.projectId,
    models: [studio.models.fal],
    task: "image" as const,
    input,
  };
  const made = await key.call<{ runs: { id: string }[] }>("createRuns", { body });
  await studio.ended(made.body.runs[0]!.id);
  const [asset] = await studio.assetsOf(runId);

  return {
    database,
    studio,
    store,
    /** The first picture's run. */
    runId,
    /** The hash of the first picture's file. */
    sha256: asset!.sha256,
    keyId: key.id,
    change,
    /**
     * Runs the doctor in this process, because starting another takes longer than all of its
     * checks.
     */
    async ask(flag?: Flag): Promise<{ code: number; report: Report }> {
      const lines: string[] = [];
      const flags = { deep: false, mend: false, removeStrays: false, json: true };
      const code = await doctor(
        readSettings(database.env, []),
        { ...flags, ...(flag && { [flag]: true }) },
        (line) => lines.push(line),
      );
      return { code, report: JSON.parse(lines.join("\n")) as Report };
    },
    /** Runs the doctor as a separate process. */
    async runDoctor(...flags: string[]): Promise<Ended & { report: Report }> {
      const ended = await runBottega(["doctor", "--json", ...flags], database.env);
      expect(ended.stderr).toBe("");
      return { ...ended, report: JSON.parse(ended.stdout) as Report };
    },
    blobPath: (hash: string): string =>
      join(database.dataFolder, "blobs", hash.slice(0, 2), hash.slice(2, 4), hash),
    close: studio.close,
  };
}
export type DoctorStudio = Awaited<ReturnType<typeof createDoctorStudio>>;
