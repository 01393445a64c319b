import { z } from "zod";

export const webhookInSchemas = {
  receiveWebhook: {
    params: z.object({ connectionId: z.string().max(100), runId: z.string().max(100) }),
    /** The attempt's token, which only the recipient of the webhook address has. */
    query: z.object({ token: z.string().max(100).default("") }),
  },
};
