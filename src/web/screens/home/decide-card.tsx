import { Scale } from "lucide-react";
import { tasks } from "#contract/tasks.ts";
import { type PendingApproval, useDecideApproval } from "../../data/queries/budgets.queries.ts";
import { formatPrice } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { NoticeCard } from "../../ui/display/notice-card.tsx";
import { Time } from "../../ui/display/time.tsx";

/** A run over a budget: its requester, model and price, with buttons to approve or decline. */
export function DecideCard({ waiting }: { waiting: PendingApproval }) {
  const { runId, personName, projectName, modelName, task, heldMicros, createdAt } = waiting;
  const decide = useDecideApproval();
  const say = (allow: boolean) => decide.mutate({ runId, allow });
  const price = formatPrice(
    heldMicros > 0 ? { kind: "at-most", micros: heldMicros } : { kind: "unknown" },
  );
  return (
    <NoticeCard
      icon={Scale}
      tone="warn"
      title={t("home.decide", { isPriced: String(heldMicros > 0), person: personName, price })}
      text={
        <>
          {t("home.decide.text", {
            task: tasks[task].name,
            model: modelName,
            project: projectName,
          })}{" "}
          <Time at={createdAt} />
        </>
      }
    >
      <Button
        busy={decide.isPending && decide.variables.allow}
        disabled={decide.isPending}
        onClick={() => say(true)}
      >
        {t("home.decide.allow")}
      </Button>
      <Button
        variant="ghost"
        busy={decide.isPending && !decide.variables.allow}
        disabled={decide.isPending}
        onClick={() => say(false)}
      >
        {t("home.decide.refuse")}
      </Button>

      {decide.error && <ErrorState compact error={decide.error} />}
    </NoticeCard>
  );
}
