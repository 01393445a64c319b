import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type { RouteInput, RouteOutput } from "#contract/schemas/index.ts";
import type { HookEvent } from "#contract/webhooks.ts";
import { call } from "../client.ts";
import { keys, refreshAfter } from "../keys.ts";

export type Webhook = RouteOutput<"listWebhooks">["webhooks"][number];
export type Delivery = RouteOutput<"listDeliveries">["deliveries"][number];

/** The polling interval while a delivery is pending. */
const againMs = 2_000;

/** The webhooks of a project, or of the instance (null). */
export const webhooksQuery = (projectId: string | null) =>
  queryOptions({
    queryKey: keys.webhooks(projectId),
    queryFn: async ({ signal }) =>
      (projectId === null
        ? await call("listWebhooks", { signal })
        : await call("listProjectWebhooks", { params: { projectId }, signal })
      ).webhooks,
    refetchInterval: ({ state }) =>
      state.data?.some(({ waiting }) => waiting > 0) ? againMs : false,
  });

/** A webhook's deliveries, newest first. */
export const deliveriesQuery = (webhookId: string) =>
  infiniteQueryOptions({
    queryKey: keys.webhooks("deliveries", webhookId),
    queryFn: ({ pageParam, signal }) =>
      call("listDeliveries", {
        params: { webhookId },
        query: { limit: 25, ...(pageParam && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.deliveries.some(({ status }) => status === "waiting") ? againMs : false,
  });

function useWebhookCall<Given, Answer>(mutationFn: (given: Given) => Promise<Answer>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => refreshAfter(queryClient, "webhook"),
  });
}

export const useAddWebhook = (projectId: string | null) =>
  useWebhookCall(({ url, events }: { url: string; events: readonly HookEvent[] }) =>
    projectId === null
      ? call("addWebhook", { body: { url } })
      : call("addProjectWebhook", { params: { projectId }, body: { url, events: [...events] } }),
  );
export const useChangeWebhook = () =>
  useWebhookCall(
    ({ webhookId, change }: { webhookId: string; change: RouteInput<"updateWebhook", "body"> }) =>
      call("updateWebhook", { params: { webhookId }, body: change }),
  );
export const useRemoveWebhook = () =>
  useWebhookCall((webhookId: string) => call("removeWebhook", { params: { webhookId } }));
export const useRotateSecret = () =>
  useWebhookCall((webhookId: string) => call("rotateWebhookSecret", { params: { webhookId } }));
export const useTestWebhook = () =>
  useWebhookCall((webhookId: string) => call("testWebhook", { params: { webhookId } }));
export const useDeliverAgain = (webhookId: string) =>
  useWebhookCall((deliveryId: string) =>
    call("deliverAgain", { params: { webhookId, deliveryId } }),
  );
