import { lazy } from "react";
import { isProblem } from "../../data/client.ts";
import { Part } from "../../ui/part.tsx";

const Ways = lazy(() => import("./budget-ways.tsx").then(({ BudgetWays }) => ({ default: BudgetWays })));

/** Where a refusal by a budget can be changed or understood; nothing for any other error. Its code comes with the refusal. */
export const BudgetWay = ({ error }: { error: unknown }) =>
  (isProblem(error, "budget_exceeded") || isProblem(error, "ceiling_needed")) && (
    <Part>
      <Ways error={error} />
    </Part>
  );
