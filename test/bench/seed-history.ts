import { type RawBuilder, sql } from "kysely";
import type { Store, Tx } from "#store/database/store.ts";
import { insertProject } from "#store/people/projects.ts";
import type { Picture } from "./seed-assets.ts";

export type History = {
  /** The number of rows of everything that grows: runs, files, conversations, messages, notices. */
  count: number;
  projectIds: readonly string[];
  userId: string;
  connectionId: string;
  /** The newest row's time; the others are a second apart before it. */
  now: number;
  /** Files that exist, which the assets have in turn; without them their rows point at none. */
  pictures?: readonly Picture[];
};

/**
 * Inserts the history of a long-used installation into an embedded database: ended and pruned runs,
 * each with a file, a batch and an answered message, spread evenly over the projects. Each project
 * has the same share of every word, model and mark, because otherwise requests for a small project
 * among others would read more rows than for a single one. Uses SQL, because admitting them would
 * take hours.
 */
export async function seedHistory(store: Store, history: History): Promise<void> {
  const { count, projectIds, now } = history;
  await store.write(async (tx) => {
    await sql`create temporary table project_number (i integer primary key, id text)`.execute(tx);
    for (const [i, id] of projectIds.entries()) {
      await sql`insert into project_number values (${i}, ${id})`.execute(tx);
      const known = await tx.selectFrom("project").select("id").where("id", "=", id).execute();
      if (known.length === 0)
        await insertProject(tx, {
          id,
          name: `Project ${i}`,
          description: "",
          ownerId: history.userId,
          at: now,
        });
    }
    await sql`create temporary table history as
      with recursive number(i) as (select 0 union all select i + 1 from number where i < ${sql.lit(count - 1)})
      select number.i, ${sql.lit(now)} - (${sql.lit(count)} - number.i) * 1000 as at, project_number.id as project_id,
        number.i / ${sql.lit(projectIds.length)} as place
      from number join project_number on project_number.i = number.i % ${sql.lit(projectIds.length)}
      order by number.i`.execute(tx);
    for (const [table, columns] of Object.entries(columnsOf(history)))
      await fill(tx, table, columns);
    for (const [turn, picture] of (history.pictures ?? []).entries())
      await showPicture(tx, history, picture, turn);
    await sql`update project set seq = coalesce((select max(change.seq) from change where change.project_id = project.id), seq)`.execute(
      tx,
    );
    await sql`drop table history`.execute(tx);
    await sql`drop table project_number`.execute(tx);
  });
}

/** Gives every so many-th asset a file that exists. */
async function showPicture(tx: Tx, history: History, picture: Picture, turn: number) {
  const { sha256, bytes, mime, width, height, thumbhash, variants } = picture;
  await tx
    .insertInto("blob")
    .values({ sha256, bytes, mime, state: "stored", created_at: history.now })
    .execute();
  await sql`update asset set blob_sha256 = ${sha256}, bytes = ${bytes}, mime = ${mime}, width = ${width},
      height = ${height}, thumbhash = ${thumbhash}, variants = ${variants}
    where id in (select ${id(3)} from history where i % ${sql.lit(history.pictures?.length)} = ${sql.lit(turn)})`.execute(
    tx,
  );
}

async function fill(
  tx: Tx,
  table: string,
  columns: Record<string, RawBuilder<unknown>>,
): Promise<void> {
  const names = sql.join(Object.keys(columns).map((name) => sql.ref(name)));
  await sql`insert into ${sql.table(table)} (${names})
    select ${sql.join(Object.values(columns))} from history order by i`.execute(tx);
}

/** The id of a kind's row `i`: a version 7 UUID, in order of creation. */
const id = (kind: number): RawBuilder<unknown> =>
  sql.raw(`printf('%08x-%04x-7000-8000-${kind}%011x', at / 65536, at % 65536, i)`);
const raw = (text: string): RawBuilder<unknown> => sql.raw(text);

function columnsOf({
  userId,
  connectionId,
}: History): Record<string, Record<string, RawBuilder<unknown>>> {
  const user = sql.lit(userId);
  const connection = sql.lit(connectionId);
  const words = raw("'picture number' || i || iif(place % 10 = 0, ' heron', ' harbour')");
  return {
    batch: {
      id: id(1),
      project_id: raw("project_id"),
      kind: raw("'one'"),
      task: raw("'image'"),
      input: raw("'{}'"),
      created_by: user,
      created_at: raw("at"),
    },
    run: {
      id: id(2),
      project_id: raw("project_id"),
      user_id: user,
      visibility: raw("'project'"),
      batch_id: id(1),
      connection_id: connection,
      model_id: raw("'model-' || (place % 7)"),
      task: raw("'image'"),
      input: raw(`'{"prompt":"picture number' || i || '"}'`),
      input_hash: raw("'hash'"),
      request_hash: raw("'hash'"),
      state: raw("'succeeded'"),
      priority: raw("0"),
      placeless: raw("0"),
      fence: raw("1"),
      seq: raw("4"),
      attempts: raw("1"),
      probes: raw("0"),
      held_micros: raw("0"),
      cost_micros: raw("1000 + place % 10 * 100"),
      cost_basis: raw("'exact'"),
      warnings: raw("'[]'"),
      created_at: raw("at"),
      started_at: raw("at"),
      finished_at: raw("at"),
      pruned_at: raw("at"),
    },
    attempt: {
      run_id: id(2),
      number: raw("1"),
      request_hash: raw("'hash'"),
      client_token: raw("'token'"),
      state: raw("'done'"),
      sent_at: raw("at"),
      ended_at: raw("at"),
    },
    output: {
      run_id: id(2),
      index: raw("0"),
      state: raw("'stored'"),
      asset_id: id(3),
      name: raw("'picture'"),
      facts: raw("'{}'"),
    },
    blob: {
      sha256: raw("printf('%064x', i)"),
      bytes: raw("1000000"),
      mime: raw("'image/webp'"),
      state: raw("'stored'"),
      needed_at: raw("at"),
      created_at: raw("at"),
    },
    asset: {
      id: id(3),
      project_id: raw("project_id"),
      visibility: raw("'project'"),
      run_id: id(2),
      connection_id: connection,
      model_id: raw("'model-' || (place % 7)"),
      output_index: raw("0"),
      created_by: user,
      blob_sha256: raw("printf('%064x', i)"),
      kind: raw("'image'"),
      mime: raw("'image/webp'"),
      bytes: raw("1000000 + place % 1000"),
      width: raw("1024"),
      height: raw("768 + place % 5 * 64"),
      variants: raw("'[]'"),
      // Spread like unrelated pictures', except that every hundredth differs from the other
      // hundredths by only a few bits.
      phash: raw(
        "iif(place % 100 = 0, printf('c3a50f96%08x', 2779096485 + (place / 100) % 8), printf('%08x%08x', (i * 2654435761) % 4294967296, (i * 40503 + 12345) * 69069 % 4294967296))",
      ),
      title: words,
      prompt_text: words,
      search: words,
      pick: raw("iif(place % 10 = 0, 'kept', 'none')"),
      rating: raw("place % 6"),
      created_at: raw("at"),
    },
    conversation: {
      id: id(4),
      project_id: raw("project_id"),
      user_id: user,
      visibility: raw("'author'"),
      title: words,
      system_prompt: raw("''"),
      settings: raw("'{}'"),
      pinned: raw("0"),
      temporary: raw("0"),
      created_at: raw("at"),
      updated_at: raw("at"),
    },
    message: {
      id: id(5),
      conversation_id: id(4),
      role: raw("'assistant'"),
      state: raw("'complete'"),
      parts: raw("'[]'"),
      search: words,
      run_id: raw("null"),
      created_at: raw("at"),
    },
    change: {
      project_id: raw("project_id"),
      seq: raw("i + 1"),
      kind: raw("'asset'"),
      id: id(3),
      at: raw("at"),
    },
    webhook_in: {
      connection_id: connection,
      event_id: raw("'event-' || i"),
      received_at: raw("at"),
      outcome: raw("'known'"),
    },
  };
}
