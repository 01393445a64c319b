import { sql } from "kysely";
import type { Message } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { foldWords, wordsOfMessage } from "#domain/text/search-words.ts";
import { fromCursor, page } from "../database/cursor.ts";
import { isOneOf } from "../database/is-one-of.ts";
import { fromJson, toJson } from "../database/json.ts";
import { prepared } from "../database/prepared.ts";
import type { Reader, Searchable } from "../database/store.ts";
import { isOfFreePrice, shownOf } from "../runs/run-rows.ts";
import { toMessage } from "./conversations.ts";

type Outline = Pick<RouteOutput<"getConversation">, "outline" | "groups">;

const outlineRows = prepared((db, { conversationId }: { conversationId: string }) =>
  db
    .selectFrom("message")
    .select(["id", "parent_id", "role", "ask_group", "ask_column"])
    .where("conversation_id", "=", conversationId)
    .where("trashed_at", "is", null)
    .orderBy("id"),
);
const newestRows = prepared(
  (db, { conversationId, limit }: { conversationId: string; limit: number }) =>
    db
      .selectFrom("message")
      .selectAll()
      .where("conversation_id", "=", conversationId)
      .where("trashed_at", "is", null)
      .orderBy("id", "desc")
      .limit(limit),
);
const contextRows = prepared((db, { conversationId }: { conversationId: string }) =>
  db
    .selectFrom("message")
    .selectAll()
    .where("conversation_id", "=", conversationId)
    .where("trashed_at", "is", null)
    .where("role", "=", sql.lit("context"))
    .orderBy("id"),
);
const rowsByIds = prepared((db, { conversationId, ids }: { conversationId: string; ids: string }) =>
  db
    .selectFrom("message")
    .selectAll()
    .where(isOneOf(db, "id", ids))
    .where("conversation_id", "=", conversationId)
    .where("trashed_at", "is", null)
    .orderBy("id"),
);

/**
 * Returns a conversation's tree without its text, oldest first. It is JSON, which passes between
 * threads quickly.
 */
export async function readOutline({ read }: Searchable, conversationId: string): Promise<string> {
  const rows = await outlineRows(read, { conversationId });
  const places = new Map(rows.map(({ id }, index) => [id, index]));
  const outline: Outline["outline"] = rows.map(({ id, parent_id, role }) => [
    id,
    parent_id === null ? null : (places.get(parent_id) ?? null),
    role,
  ]);
  const groups: Outline["groups"] = rows.flatMap(({ ask_group, ask_column }, index) =>
    ask_group === null ? [] : [[index, ask_group, ask_column]],
  );
  return toJson({ outline, groups } satisfies Outline);
}

/** Lists a conversation's context selections, oldest first. */
export async function listContextMessages(db: Reader, conversationId: string): Promise<Message[]> {
  return (await contextRows(db, { conversationId })).map(toMessage);
}

/** Lists the newest messages and every context selection, oldest first. */
export async function listNewestMessages(
  db: Reader,
  conversationId: string,
  limit: number,
): Promise<Message[]> {
  const newest = (await newestRows(db, { conversationId, limit })).map(toMessage).reverse();
  const first = newest[0]?.id ?? "";
  const choices = await listContextMessages(db, conversationId);
  return [...choices.filter(({ id }) => id < first), ...newest];
}

export async function getMessagesByIds(
  db: Reader,
  conversationId: string,
  ids: readonly string[],
): Promise<Message[]> {
  return (await rowsByIds(db, { conversationId, ids: toJson(ids) })).map(toMessage);
}

export async function pageMessages(
  db: Reader,
  of: { conversationId: string; cursor?: string; limit: number },
): Promise<{ messages: Message[]; next: string | null }> {
  const after = of.cursor === undefined ? "" : String(fromCursor(of.cursor, ["string"])[0]);
  const rows = await db
    .selectFrom("message")
    .selectAll()
    .where("conversation_id", "=", of.conversationId)
    .where("trashed_at", "is", null)
    .where("id", ">", after)
    .orderBy("id")
    .limit(of.limit + 1)
    .execute();
  const shown = page(rows, of.limit, (row) => [row.id]);
  return { messages: shown.rows.map(toMessage), next: shown.next };
}

type Costs = RouteOutput<"getConversationCost">["costs"];

/**
 * Sums the costs of a conversation's answers and tools, including deleted ones, which were paid
 * for. Runs in the same state are grouped by whether their cost is known.
 */
export async function sumCosts({ read }: Searchable, conversationId: string): Promise<Costs> {
  const rows = await read
    .selectFrom("message")
    .innerJoin("run", "run.message_id", "message.id")
    .select([
      "run.state",
      "run.cost_micros",
      "run.cost_basis",
      "run.held_micros",
      "run.finished_at",
      "run.price_snapshot",
      "run.imported",
    ])
    .where("message.conversation_id", "=", conversationId)
    // Excludes runs made from a message later, such as reading it aloud.
    .where((e) =>
      e.or([e("run.id", "=", e.ref("message.run_id")), e("message.role", "=", sql.lit("tool"))]),
    )
    .execute();
  const sums = new Map<string, Costs[number]>();
  for (const row of rows) {
    const imported = row.imported ? shownOf(fromJson(row.imported)) : undefined;
    const isFree = isOfFreePrice(row);
    const micros = imported ? imported.costMicros : row.cost_micros;
    const likeness = [row.state, row.cost_basis, row.finished_at === null, isFree, !!imported];
    const key = [...likeness, micros === null ? null : Math.sign(micros)].join(" ");
    const sum = sums.get(key);
    if (!sum) {
      sums.set(key, {
        runs: 1,
        state: row.state as Costs[number]["state"],
        costMicros: row.cost_micros,
        costBasis: row.cost_basis,
        finishedAt: row.finished_at,
        ...(isFree && { isFree: true as const }),
        ...(imported && { imported }),
      });
      continue;
    }
    sum.runs += 1;
    if (sum.imported) sum.imported.costMicros = add(sum.imported.costMicros, micros);
    else sum.costMicros = add(sum.costMicros, micros);
  }
  return [...sums.values()];
}

const add = (sum: number | null, micros: number | null): number | null =>
  sum === null || micros === null ? null : sum + micros;

/**
 * Finds messages that contain these words in sequence, newest first. The last word may be
 * incomplete.
 */
export async function findMessages(
  store: Searchable,
  of: { projectId: string; conversationId: string; q: string; limit: number },
): Promise<string[]> {
  const words = foldWords(of.q);
  if (words.length === 0) return [];
  const rows = await store.read
    .selectFrom("message")
    .select(["id", "parts"])
    .where("conversation_id", "=", of.conversationId)
    .where("trashed_at", "is", null)
    .where("role", "<>", sql.lit("context"))
    .where(store.search("message", words, of.projectId))
    .orderBy("id", "desc")
    .execute();
  // The index has no word order.
  const phrase = ` ${words.join(" ")}`;
  return rows
    .filter(({ parts }) => ` ${wordsOfMessage(fromJson(parts))}`.includes(phrase))
    .slice(0, of.limit)
    .map(({ id }) => id);
}
