import { sql } from "kysely";
import type { Store, Tx } from "#store/database/store.ts";
import { insertConnection } from "#store/models/connections.ts";
import { insertUser } from "#store/people/people.ts";
import { insertMember, insertProject } from "#store/people/projects.ts";

/** A team's runs over two years. */
export const team = {
  entries: 1_000_000,
  days: 730,
  people: 60,
  projects: 40,
  models: 30,
  connections: 3,
} as const;
const runs = Math.floor(team.entries / 3);
const dayMs = 24 * 60 * 60_000;

const kinds = { project: 1, user: 2, connection: 3 } as const;
/** A seeded row's id, a UUID; `number` is a number, or its SQL. */
const idOf = (kind: keyof typeof kinds, number: number): string =>
  `00000000-0000-7000-8000-${kinds[kind]}${String(number).padStart(11, "0")}`;
const sqlIdOf = (kind: keyof typeof kinds, number: string) =>
  sql.raw(`printf('00000000-0000-7000-8000-${kinds[kind]}%011d', ${number})`);

/**
 * Inserts a million entries into an embedded database's ledger, three per run (hold, release,
 * spend), with the rollups that settling them would have kept. Everyone works in two of the
 * projects, with four of the models; the given person is a member of five. Uses SQL, because
 * admitting them would take hours.
 */
export async function seedUsage(
  store: Store,
  { userId, now }: { userId: string; now: number },
): Promise<void> {
  const firstDayMs = (Math.floor(now / dayMs) - team.days + 1) * dayMs;
  await store.write(async (tx) => {
    await seedNames(tx, userId, firstDayMs);
    await drawRuns(tx, firstDayMs);
    for (const { kind, micros, settlement } of entries)
      await sql`
        insert into ledger_entry (id, run_id, project_id, user_id, connection_id, model_id, kind, settlement, micros, at, admitted_at)
        select printf('%012x-%06d-', at, i) || ${kind}, 'run-' || i, project_id, user_id, connection_id, model_id, ${kind},
          ${sql.raw(settlement)}, ${sql.raw(micros)}, at, at
        from drawn_run order by i`.execute(tx);
    await sql`
      insert into usage_day (day, project_id, user_id, connection_id, model_id, runs, tokens, micros)
      select strftime('%Y-%m-%d', at / 1000, 'unixepoch'), project_id, user_id, connection_id, model_id, count(*), count(*) * 700, sum(micros)
      from drawn_run group by 1, 2, 3, 4, 5`.execute(tx);
    await sql`
      insert into usage_month (month, project_id, user_id, connection_id, model_id, runs, tokens, micros)
      select substr(day, 1, 7), project_id, user_id, connection_id, model_id, sum(runs), sum(tokens), sum(micros)
      from usage_day group by 1, 2, 3, 4, 5`.execute(tx);
    await sql`drop table drawn_run`.execute(tx);
  });
}

const entries = [
  { kind: "hold", micros: "micros * 2", settlement: "null" },
  { kind: "release", micros: "micros * -2", settlement: "null" },
  { kind: "spend", micros: "micros", settlement: "'run-' || i" },
] as const;

/**
 * Distributes the runs evenly over the days, by multiplication, so that every bench measures the
 * same data.
 */
async function drawRuns(tx: Tx, firstDayMs: number): Promise<void> {
  const person = `(a / 65536) % ${team.people}`;
  const model = `((${person} * 7 + (b / 2) % 4 * 11) % ${team.models})`;
  await sql`
    create table drawn_run as
    with recursive number(i) as (select 0 union all select i + 1 from number where i < ${sql.lit(runs - 1)}),
    drawn as (select i, (i * 2654435761) % 4294967296 as a, (i * 40503 + 7919) % 65536 as b from number)
    select i,
      ${sql.lit(firstDayMs)} + cast(i * ${sql.lit((team.days * dayMs) / runs)} as integer) as at,
      ${sqlIdOf("user", person)} as user_id,
      ${sqlIdOf("project", `(${person} + (b % 2) * 17) % ${team.projects}`)} as project_id,
      ${sqlIdOf("connection", `${model} % ${team.connections}`)} as connection_id,
      'model-' || ${sql.raw(model)} as model_id,
      1000 + a % 90000 as micros
    from drawn`.execute(tx);
}

async function seedNames(tx: Tx, member: string, at: number): Promise<void> {
  for (let i = 0; i < team.people; i++) {
    const id = idOf("user", i);
    await insertUser(tx, {
      id,
      accountId: id,
      name: `Person ${i}`,
      email: `${i}@example.org`,
      role: "member",
      passwordHash: "",
      at,
    });
  }
  for (let i = 0; i < team.projects; i++) {
    const id = idOf("project", i);
    await insertProject(tx, {
      id,
      name: `Project ${i}`,
      description: "",
      ownerId: idOf("user", i % team.people),
      at,
    });
    if (i < 5) await insertMember(tx, { projectId: id, userId: member, role: "viewer", at });
  }
  const facts = {
    kind: "openai-compatible",
    scope: "instance",
    scopeId: null,
    baseUrls: {},
    options: {},
    sealedSecret: null,
  } as const;
  for (let i = 0; i < team.connections; i++) {
    const id = idOf("connection", i);
    await insertConnection(tx, {
      ...facts,
      id,
      slug: `c${i}`,
      name: `Connection ${i}`,
      places: { text: 1, media: 1 },
      createdBy: null,
      at,
    });
  }
}
