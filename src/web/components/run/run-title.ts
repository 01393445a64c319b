import type { Run } from "#contract/entities.ts";
import { tasks } from "#contract/tasks.ts";
import { conversationOf, useConversationTitle } from "../../data/queries/activity.queries.ts";
import { t } from "../../messages/t.ts";
import { promptOfRun } from "./run-facts.ts";

/** A run's title in a list: its prompt, its conversation, or its task. */
export function useRunTitle(run: Run): string {
  const conversation = useConversationTitle(run);
  if (conversationOf(run)) return conversation || t("run.conversation");
  // A live canvas's prompt changes while it is open, and the run stores only the first one.
  return (run.task === "live" ? null : promptOfRun(run)) ?? tasks[run.task].name;
}
