import { z } from "zod";
import { id, time } from "../../entities.ts";
import { page } from "../../filters/page.ts";
import { searchedText } from "../../filters/searched-text.ts";

const day = z.iso.date();
const filter = {
  /** A part of the actor's name or email address. */
  q: searchedText.optional(),
  action: z.string().max(100).optional(),
  /** UTC dates, both included. */
  from: day.optional(),
  to: day.optional(),
};

export const auditSchemas = {
  listAudit: {
    query: page.extend(filter),
    response: z.object({
      events: z.array(
        z.object({
          id,
          at: time,
          /** Null for Bottega itself. `name` is empty if the person was deleted. */
          actor: z.object({ id: z.string(), name: z.string(), email: z.string() }).nullable(),
          /** The current ones are in `auditActions`. */
          action: z.string(),
          /**
           * `name` is empty if the target no longer exists, or has no name that admins may read.
           */
          target: z.object({ kind: z.string(), id: z.string(), name: z.string() }),
          ip: z.string().nullable(),
          detail: z.record(z.string(), z.unknown()),
        }),
      ),
      next: z.string().nullable(),
    }),
  },
  downloadAudit: { query: z.strictObject(filter) },
};
