import type { Run } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { conversationOf } from "../../data/queries/activity.queries.ts";

type Place = RouteOutput<"getRun">["conversation"];

/**
 * The page that a notification opens: the message that the run wrote or worked for, otherwise the
 * run.
 */
export function targetOf(run: Run, place: Place) {
  if (place)
    return {
      to: "/chat/$id",
      params: { id: place.id },
      search: { message: place.messageId },
    } as const;
  const conversationId = conversationOf(run);
  return conversationId
    ? ({ to: "/chat/$id", params: { id: conversationId } } as const)
    : ({ to: "/activity/$runId", params: { runId: run.id } } as const);
}
