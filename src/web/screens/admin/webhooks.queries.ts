import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../data/client.ts";

export const webhooksQuery = queryOptions({
  queryKey: ["webhooks"],
  queryFn: async ({ signal }) => (await call("listWebhooks", { signal })).webhooks,
});

function useWebhookCall<Given, Answer>(mutationFn: (given: Given) => Promise<Answer>) {
  const queryClient = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => queryClient.invalidateQueries({ queryKey: webhooksQuery.queryKey }) });
}

export const useAddWebhook = () => useWebhookCall((url: string) => call("addWebhook", { body: { url } }));
export const useRemoveWebhook = () => useWebhookCall((webhookId: string) => call("removeWebhook", { params: { webhookId } }));
export const useTestWebhooks = () => useWebhookCall(() => call("testWebhooks"));
