import { BudgetWay } from "../../../components/budgets/budget-way.tsx";
import { isProblem } from "../../../data/client.ts";
import { ContextWay } from "../context/context-way.tsx";

/** From why a message was not kept to where that is changed: a budget, or what is sent; nothing for any other error. */
export function ErrorWay({ error }: { error: unknown }) {
  return isProblem(error, "context_full") ? <ContextWay /> : <BudgetWay error={error} />;
}
