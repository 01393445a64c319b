import { z } from "zod";
import { id } from "../../entities.ts";
import { limits } from "../../limits.ts";

/** The query of the proxy's URL: `/api/fal/proxy?projectId=…&connection=…`. */
const proxy = z.strictObject({
  /** Required for a signed-in person; a key has its own project. */
  projectId: id.optional(),
  /**
   * The slug of a fal connection, if there are several; by default the first that has the model.
   */
  connection: z.string().min(1).max(200).optional(),
});

/** The signed parameters of an upload address. */
const ticket = z.object({
  by: id,
  key: id.optional(),
  projectId: id,
  name: z.string().min(1).max(limits.nameCharacters),
  until: z.coerce.number().int().nonnegative(),
  signature: z.string().max(100),
});
/** 2 GB in parts of 1 MB. */
const maxParts = 2_048;

export const falSchemas = {
  postToFal: { query: proxy, body: z.record(z.string(), z.unknown()) },
  getFromFal: { query: proxy },
  putToFal: { query: proxy },
  putLinkedUpload: { params: z.object({ assetId: id }), query: ticket },
  putLinkedPart: {
    params: z.object({ assetId: id, part: z.coerce.number().int().min(1).max(maxParts) }),
    query: ticket,
  },
  completeLinkedUpload: {
    params: z.object({ assetId: id }),
    query: ticket,
    body: z.strictObject({
      parts: z
        .array(
          z.strictObject({ partNumber: z.int().min(1).max(maxParts), etag: z.string().max(200) }),
        )
        .min(1)
        .max(maxParts),
    }),
  },
  getFalHookKeys: {
    response: z.object({ keys: z.array(z.looseObject({ kty: z.string() })) }),
  },
  getLinkedFile: {
    params: z.object({ assetId: id, name: z.string().max(400) }),
    query: z.object({
      by: id,
      key: id.optional(),
      until: z.coerce.number().int().nonnegative(),
      signature: z.string().max(100),
    }),
  },
};
