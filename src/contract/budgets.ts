/**
 * Names of budgets, apart from the schemas of entities.ts because the browser needs only the names.
 */

export const budgetScopes = ["instance", "project", "user", "api_key"] as const;
export type BudgetScope = (typeof budgetScopes)[number];

export const budgetPeriods = ["day", "month", "total"] as const;
export type BudgetPeriod = (typeof budgetPeriods)[number];

/** At its limit a budget refuses a run, makes it wait for approval, or only warns. */
export const onLimits = ["block", "ask", "warn"] as const;
export type OnLimit = (typeof onLimits)[number];

export const budgetAuthorities = ["admin", "manager"] as const;
export type BudgetAuthority = (typeof budgetAuthorities)[number];
