import { useNavigate } from "@tanstack/react-router";
import { CalendarRange } from "lucide-react";
import type { DayRange } from "#domain/money/usage-range.ts";
import { useActions } from "../../frame/action-button.tsx";
import { t } from "../../messages/t.ts";
import { Segmented } from "../../ui/controls/segmented.tsx";
import { TextField } from "../../ui/controls/text-field.tsx";
import { formatSpan } from "./days.ts";
import { type ChosenRange, type RangeProblem, rangeNames } from "./range.ts";
import styles from "./usage.module.css";

export type RangePickerProps = {
  chosen: ChosenRange;
  problem: RangeProblem | null;
  shown: DayRange | undefined;
};

/** Chooses the range, and shows its dates. */
export function RangePicker({ chosen, problem, shown }: RangePickerProps) {
  const navigate = useNavigate();
  const set = (change: Record<string, string | undefined>) =>
    void navigate({ to: ".", search: (before) => ({ ...before, ...change }), replace: true });
  const { name } = chosen;
  // A custom range starts with the dates shown before.
  const setName = (next: ChosenRange["name"]) =>
    set(
      next === "any"
        ? { range: next, from: shown?.from, to: shown?.to }
        : { range: next, from: undefined, to: undefined },
    );
  useActions(
    rangeNames
      .filter((value) => value !== name)
      .map((value) => ({
        id: `usage.range.${value}`,
        title: t("usage.range.show", { range: t(`usage.range.${value}`) }),
        icon: CalendarRange,
        run: () => setName(value),
      })),
  );
  const errorOf = (field: RangeProblem["field"]) =>
    problem?.field === field ? t(`usage.range.${problem.why}`) : null;
  return (
    <div className={styles.range}>
      <Segmented
        label={t("usage.range")}
        className={styles.names}
        value={name}
        onValueChange={setName}
        options={rangeNames.map((value) => ({ value, label: t(`usage.range.${value}`) }))}
      />
      {name === "any" && (
        <div className={styles.days}>
          {(["from", "to"] as const).map((field) => (
            <TextField
              key={field}
              type="date"
              label={t(`usage.range.${field}`)}
              error={errorOf(field)}
              value={chosen[field]}
              onValueChange={(value) => set({ [field]: value })}
            />
          ))}
        </div>
      )}
      <p className={styles.meant}>
        {shown && name !== "any" && <>{formatSpan(shown)} · </>}
        {t("usage.range.utc")}
      </p>
    </div>
  );
}
