import { Readable } from "node:stream";
import type { Context } from "hono";
import type { Lists } from "#engine/threads/lists/lists.ts";
import type { AuditEvent, AuditFilter } from "#store/people/audit.ts";
import type { Env } from "../env.ts";
import { toCsv } from "./usage-csv.ts";

const columns = ["at", "who", "email", "action", "kind", "target", "id", "address", "detail"];
const eventsAtOnce = 1_000;

/** Streams the audit log as CSV (RFC 4180), newest first, a thousand entries at a time. */
export const answerAuditCsv = (c: Context<Env>, lists: Lists, filter: AuditFilter): Response =>
  c.body(Readable.toWeb(Readable.from(auditLines(lists, filter))) as ReadableStream, 200, {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": 'attachment; filename="bottega-audit.csv"',
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });

async function* auditLines(lists: Lists, filter: AuditFilter): AsyncGenerator<Uint8Array> {
  yield toCsv([columns]);
  for (let cursor: string | undefined; ; ) {
    const { events, next } = await lists.listAuditEvents({
      ...filter,
      ...(cursor !== undefined && { cursor }),
      limit: eventsAtOnce,
    });
    if (events.length > 0) yield toCsv(events.map(cellsOf));
    if (next === null) return;
    cursor = next;
  }
}

const cellsOf = ({ at, actor, action, target, ip, detail }: AuditEvent): string[] => [
  new Date(at).toISOString(),
  actor?.name ?? "",
  actor?.email ?? "",
  action,
  target.kind,
  target.name,
  target.id,
  ip ?? "",
  JSON.stringify(detail),
];
