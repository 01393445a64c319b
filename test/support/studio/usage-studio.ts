import { expect } from "vitest";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { insertLedgerEntry, type LedgerEntry } from "#store/money/ledger.ts";
import { addUsage } from "#store/money/usage-rollup.ts";
import { insertProject } from "#store/people/projects.ts";
import type { TestDatabase } from "../databases/databases.ts";
import type { Caller } from "../server/instance.ts";
import { createStudio } from "./studio.ts";

type Usage = RouteOutput<"getUsage">;
type Kind = LedgerEntry["kind"];
/** The kinds of entries that are spending. */
export const spends: readonly Kind[] = ["spend", "overage", "adjust"];

/**
 * The costs of a team's runs, in odd micro-dollars so that a lost one is noticed: from two years
 * ago, from the last two months, from today.
 */
const booked = [
  { at: "2024-12-31T23:59:59.999Z", model: "early", micros: 1_000_001 },
  { at: "2025-03-01T00:00:00.000Z", model: "early", micros: 7 },
  { at: "2025-03-31T23:59:59.999Z", model: "plain", micros: 333_333 },
  { at: "2025-04-01T00:00:00.000Z", model: '+sum(A1:A9)|"cmd"', micros: 12_345_679 },
  { at: "2025-05-17T12:00:00.000Z", model: "two\nlines, and a comma", micros: 1, overage: 999_999 },
  { at: "2025-06-02T08:00:00.000Z", model: "plain", micros: 77_777 },
] as const;

export const sumOf = (rows: readonly { micros: number }[]): number =>
  rows.reduce((sum, row) => sum + row.micros, 0);

/** Parses CSV according to RFC 4180. */
function readCsv(text: string): string[][] {
  const cells = [...text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n)/g)];
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of cells) {
    rows.at(-1)!.push(quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'));
    if (end === "\r\n") rows.push([]);
  }
  return rows.slice(0, -1);
}

/**
 * A studio with two years of spending: Ada's in two projects, partly through a key, and Eve's in
 * her own.
 */
export async function createUsageStudio(database: TestDatabase) {
  const studio = await createStudio(database);
  const ada = studio.person;
  const eve = await studio.instance.createPerson("eve@example.org");
  const posterId = "00000000-0000-7000-8000-0000000000aa";
  await studio.instance.commit(({ tx }) =>
    insertProject(tx, {
      id: posterId,
      name: '=Poster, "A3"',
      description: "",
      ownerId: ada.user.id,
      at: 0,
    }),
  );
  const key = await studio.instance.createKey(ada, { name: "=press" });

  /** Writes a run's entries and rollup, like settling it. */
  async function book(
    runId: string,
    projectId: string,
    who: Caller,
    facts: { at: string; model: string; micros: number; overage?: number },
    apiKeyId: string | null = null,
  ): Promise<void> {
    const at = Date.parse(facts.at);
    const { connectionId } = studio.models.openai;
    const entry = {
      runId,
      projectId,
      userId: who.user.id,
      apiKeyId,
      connectionId,
      modelId: facts.model,
      admittedAt: at,
      at,
    };
    await studio.instance.commit(async ({ tx }) => {
      const write = (kind: Kind, micros: number) =>
        insertLedgerEntry(tx, { ...entry, id: studio.instance.deps.ids(), kind, micros });
      await write("hold", 20_000_000);
      await write("release", -20_000_000);
      await write("spend", facts.micros);
      if (facts.overage) await write("overage", facts.overage);
      const micros = facts.micros + (facts.overage ?? 0);
      const usage = {
        day: facts.at.slice(0, 10),
        projectId,
        userId: who.user.id,
        apiKeyId,
        connectionId,
        modelId: facts.model,
        runs: 1,
        tokens: 10,
        micros,
      };
      await addUsage(tx, usage);
    });
  }
  for (const [i, facts] of booked.entries())
    await book(`r${i}`, i % 2 ? posterId : ada.projectId, ada, facts, i % 2 ? null : key.id);
  await book("of-eve", eve.projectId, eve, {
    at: "2025-05-01T00:00:00.000Z",
    model: "of eve",
    micros: 5_000_003,
  });

  const usage = async (
    who: Caller,
    query: Record<string, string>,
    of: "getUsage" | "getInstanceUsage" = "getUsage",
  ): Promise<Usage> => {
    const { status, body } = await who.call<Usage>(of, { query });
    expect(status).toBe(200);
    return body;
  };
  /** The ledger's sum for runs that ended in a range. */
  async function ledgerSum(
    { from, to }: { from: string; to: string },
    projectIds?: string[],
  ): Promise<number> {
    let query = studio.instance.store.db
      .selectFrom("ledger_entry")
      .select((e) => e.fn.sum<number | string>("micros").as("micros"))
      .where("kind", "in", spends)
      .where("at", ">=", Date.parse(from))
      .where("at", "<", Date.parse(to) + 86_400_000);
    if (projectIds) query = query.where("project_id", "in", projectIds);
    return Number((await query.executeTakeFirst())?.micros ?? 0);
  }
  const keySum = async ({ from, to }: { from: string; to: string }): Promise<number> => {
    const rows = await studio.instance.store.db
      .selectFrom("ledger_entry")
      .select("micros")
      .where("api_key_id", "=", key.id)
      .where("kind", "in", spends)
      .where("at", ">=", Date.parse(from))
      .where("at", "<", Date.parse(to) + 86_400_000)
      .execute();
    return sumOf(rows);
  };

  async function csv(
    who: Caller,
    query: Record<string, string>,
    of: "usage.csv" | "admin/usage.csv" = "usage.csv",
  ): Promise<string[][]> {
    const answer = await studio.instance.request(`/api/v1/${of}?${new URLSearchParams(query)}`, {
      headers: { host: "127.0.0.1", cookie: who.cookie },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    return readCsv(await answer.text());
  }

  return { studio, ada, eve, key, posterId, usage, ledgerSum, keySum, csv, close: studio.close };
}
export type UsageStudio = Awaited<ReturnType<typeof createUsageStudio>>;
