import { z } from "zod";
import { asset, conversation, id, model } from "../entities.ts";

/** A key without the scope of a list gets it empty. */
export const searchSchemas = {
  search: {
    query: z.strictObject({ projectId: id, q: z.string().trim().min(1).max(200) }),
    response: z.object({
      /** By their titles. */
      conversations: z.array(conversation),
      messages: z.array(z.object({ conversation, messageId: id, snippet: z.string() })),
      assets: z.array(asset),
      models: z.array(model),
      people: z.array(z.object({ userId: id, name: z.string(), email: z.string() })),
      manual: z.array(z.object({ title: z.string(), pageTitle: z.string(), text: z.string() })),
    }),
  },
};
