import { z } from "zod";
import { asset, collectionKinds, conversation, id, model, time } from "../entities.ts";
import { searchedText } from "../filters/searched-text.ts";

/** A key without the scope for a list gets an empty one. */
export const searchSchemas = {
  search: {
    query: z.strictObject({
      projectId: id,
      q: searchedText.trim().min(1),
    }),
    response: z.object({
      /** By title. */
      conversations: z.array(conversation),
      messages: z.array(z.object({ conversation, messageId: id, snippet: z.string() })),
      assets: z.array(asset),
      models: z.array(model),
      /** Collections and saved searches, by name. */
      collections: z.array(z.object({ id, kind: z.enum(collectionKinds), name: z.string() })),
      /** By title and by the prompts of their results. */
      comparisons: z.array(z.object({ id, title: z.string(), createdAt: time })),
      wordLists: z.array(z.object({ name: z.string(), count: z.int() })),
      /** The project's members; for admins also other people of this server. */
      people: z.array(
        z.object({ userId: id, name: z.string(), email: z.string(), isMember: z.boolean() }),
      ),
      manual: z.array(z.object({ title: z.string(), pageTitle: z.string(), text: z.string() })),
    }),
  },
};
