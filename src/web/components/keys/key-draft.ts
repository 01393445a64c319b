import { useState } from "react";
import type { Budget, ModelRef } from "#contract/entities.ts";
import type { KeyScope } from "#contract/key-scopes.ts";
import type { RouteInput } from "#contract/schemas/index.ts";
import { toModelRef } from "../../data/model-ref.ts";
import type { OwnKey } from "../../data/queries/keys.queries.ts";
import { t } from "../../messages/t.ts";
import { limitProblem } from "../budgets/budget-draft.ts";
import { formatDollars, parseDollars } from "../budgets/parse-dollars.ts";

const dayMs = 24 * 60 * 60_000;
export const lifetimesDays = [30, 90, 365] as const;
/** A key's expiry: unchanged, never, or in a number of days. */
export type Ends = "kept" | "never" | `${(typeof lifetimesDays)[number]}`;

/** A model that a key may use, with its name. */
export type KeyModel = ModelRef & { name: string };

/** A key being edited. */
export type KeyDraft = {
  name: string;
  projectId: string;
  scopes: readonly KeyScope[];
  /** Empty means every model. */
  models: readonly KeyModel[];
  keepsRunning: boolean;
  ends: Ends;
  limit: string;
  period: Budget["period"];
};
type KeyBudget = RouteInput<"setKeyBudget", "body">;
export type ReadKey = {
  name: string;
  projectId: string;
  scopes: KeyScope[];
  models: ModelRef[] | null;
  keepsRunning: boolean;
  /** Undefined means unchanged. */
  expiresAt: number | null | undefined;
  budget: (KeyBudget & { limitMicros: number }) | undefined;
};

const usual: readonly KeyScope[] = ["chat", "runs:write", "assets:write", "models:read"];
export const newKeyDraft = (projectId: string): KeyDraft => ({
  name: "",
  projectId,
  scopes: usual,
  models: [],
  keepsRunning: false,
  ends: "never",
  limit: "",
  period: "month",
});
export const draftOfKey = ({
  name,
  projectId,
  scopes,
  models,
  keepsRunning,
  expiresAt,
  budgets: [budget],
}: OwnKey): KeyDraft => ({
  name,
  projectId,
  scopes,
  models: models ?? [],
  keepsRunning,
  ends: expiresAt === null ? "never" : "kept",
  limit: budget ? formatDollars(budget.limitMicros) : "",
  period: budget?.period ?? "month",
});

/** A key draft. Problems are shown after the first submit, until they are fixed. */
export function useKeyDraft(initial: KeyDraft, timeZone: string) {
  const [draft, setDraft] = useState(initial);
  const [wasSent, setWasSent] = useState(false);
  const hasBudget = draft.limit.trim() !== "";
  const problems = {
    name: draft.name.trim() === "" ? t("keys.form.name.needed") : null,
    scopes: draft.scopes.length === 0 ? t("keys.form.scopes.needed") : null,
    limit: hasBudget ? limitProblem(draft.limit) : null,
  };
  return {
    draft,
    change: (part: Partial<KeyDraft>) => setDraft({ ...draft, ...part }),
    problems: wasSent ? problems : { name: null, scopes: null, limit: null },
    /** @returns undefined if the draft has a problem, which is then shown */
    read(now: number): ReadKey | undefined {
      setWasSent(true);
      if (Object.values(problems).some((problem) => problem !== null)) return undefined;
      const { name, projectId, scopes, models, keepsRunning, ends, limit, period } = draft;
      const limitMicros = parseDollars(limit);
      return {
        name,
        projectId,
        scopes: [...scopes],
        models: models.length > 0 ? models.map(toModelRef) : null,
        keepsRunning,
        expiresAt:
          ends === "kept" ? undefined : ends === "never" ? null : now + Number(ends) * dayMs,
        budget:
          hasBudget && limitMicros !== undefined
            ? { period, timeZone, limitMicros, onLimit: "block" }
            : undefined,
      };
    },
  };
}

/**
 * The calls that turn a key's current budget into this one; a budget of another period is removed.
 */
export function budgetChanges(
  before: OwnKey["budgets"][number] | undefined,
  wanted: ReadKey["budget"],
): KeyBudget[] {
  const isGone = before && before.period !== wanted?.period;
  const removed = isGone
    ? [
        {
          period: before.period,
          timeZone: before.timeZone,
          limitMicros: null,
          onLimit: "block" as const,
        },
      ]
    : [];
  const isSame = before && !isGone && wanted?.limitMicros === before.limitMicros;
  return wanted && !isSame ? [...removed, wanted] : removed;
}
