import { z } from "zod";
import { limits } from "../limits.ts";

/** The query of a paged list: `cursor` is the `next` of the previous page. */
export const page = z.object({
  cursor: z.string().max(2_000).optional(),
  limit: z.coerce.number().int().min(1).max(limits.pageSizeMost).default(limits.pageSize),
});
