import { z } from "zod";

export const webhookInSchemas = {
  receiveWebhook: {
    params: z.object({ connectionId: z.string().max(100), runId: z.string().max(100) }),
    /** The attempt's own token: only who was given the address has it. */
    query: z.object({ token: z.string().max(100).default("") }),
  },
};
