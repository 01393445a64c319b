import { z } from "zod";
import { limits } from "../limits.ts";

/** What asks for a page of a list: `cursor` is the `next` of the page before. */
export const page = z.object({
  cursor: z.string().max(2_000).optional(),
  limit: z.coerce.number().int().min(1).max(limits.pageSizeMost).default(limits.pageSize),
});
