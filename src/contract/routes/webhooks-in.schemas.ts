import { z } from "zod";

export const webhookInSchemas = {
  receiveWebhook: { params: z.object({ connectionId: z.string().max(100), runId: z.string().max(100) }) },
};
