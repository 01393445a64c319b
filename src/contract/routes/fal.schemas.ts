import { z } from "zod";
import { id } from "../entities.ts";

/** What stands in the proxy's own address: `/api/fal/proxy?projectId=…&connection=…`. */
const proxy = z.strictObject({
  /** Needed by a signed-in person; a key has its project. */
  projectId: id.optional(),
  /** The short name of a fal connection, where there are several; else the first that has the model. */
  connection: z.string().min(1).max(200).optional(),
});

export const falSchemas = {
  postToFal: { query: proxy, body: z.record(z.string(), z.unknown()) },
  getFromFal: { query: proxy },
  putToFal: { query: proxy },
  getLinkedFile: {
    params: z.object({ assetId: id, name: z.string().max(400) }),
    query: z.object({ by: id, key: id.optional(), until: z.coerce.number().int().nonnegative(), signature: z.string().max(100) }),
  },
};
