import type { Run } from "#contract/entities.ts";
import { RunShelf } from "../../components/run/run-shelf.tsx";
import { t } from "../../messages/t.ts";

const shownMost = 5;

/** The project's running runs; Activity lists all. */
export function RunningNow({ runs }: { runs: readonly Run[] }) {
  // The oldest finish first.
  const shown = [...runs].sort((a, b) => a.createdAt - b.createdAt).slice(0, shownMost);
  return <RunShelf title={t("home.running")} aside={runs.length} runs={shown} />;
}
