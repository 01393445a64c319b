import type { Run } from "#contract/entities.ts";
import { tasks } from "#contract/tasks.ts";
import { conversationOf, useConversationTitle } from "../../data/queries/activity.queries.ts";
import { t } from "../../messages/t.ts";
import { promptOfRun } from "./run-facts.ts";

/** What a run is called in a list: its prompt, its conversation, or what kind of work it is. */
export function useRunTitle(run: Run): string {
  const conversation = useConversationTitle(run);
  if (conversationOf(run)) return conversation || t("run.conversation");
  // The words of a live canvas change while it is drawn on: the run holds those of its first moment.
  return (run.task === "live" ? null : promptOfRun(run)) ?? tasks[run.task].name;
}
