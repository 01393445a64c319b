import type { Run } from "#contract/entities.ts";
import { RunShelf } from "../../components/run/run-shelf.tsx";
import { t } from "../../messages/t.ts";

const shownMost = 5;

/** What goes on in the project; all of it is in Activity. */
export function RunningNow({ runs }: { runs: readonly Run[] }) {
  // The oldest are nearest to their end.
  const shown = [...runs].sort((a, b) => a.createdAt - b.createdAt).slice(0, shownMost);
  return <RunShelf title={t("home.running")} aside={runs.length} runs={shown} />;
}
