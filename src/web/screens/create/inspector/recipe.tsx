import type { ReactNode } from "react";
import type { Run } from "#contract/entities.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import { assetsInInput, promptOf } from "#domain/schemas/input-schema.ts";
import { humanise, nameValue } from "../../../components/schema-form/schema-words.ts";
import { Facts, InspectorSection } from "../../../frame/inspector.tsx";
import { costOf, formatDuration, formatMoney, formatPrice } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import styles from "./inspector.module.css";

/** What a result was made with, and what it cost. */
export function RecipeSection({ run, modelName }: { run: Run; modelName: string }) {
  const input = run.input as JsonObject;
  const prompt = promptOf(input);
  const settings = Object.entries(input).flatMap(([name, value]): [string, ReactNode][] => {
    if (value === prompt || value === null || assetsInInput(value).length > 0) return [];
    return [[humanise(name), asWords(value)]];
  });
  const took =
    run.startedAt !== null && run.finishedAt !== null
      ? formatDuration(run.finishedAt - run.startedAt)
      : null;
  return (
    <InspectorSection title={t("create.recipe")}>
      {prompt && <p className={styles.prompt}>{prompt}</p>}
      <Facts
        facts={[
          [t("create.model"), modelName],
          ...settings,
          [t("create.price"), priceWords(run)],
          [t("create.time"), took],
        ]}
      />
      {run.warnings.length > 0 && (
        <ul className={styles.warnings}>
          {run.warnings.map(({ type, feature, message }) => (
            <li key={`${type} ${feature}`}>{message}</li>
          ))}
        </ul>
      )}
    </InspectorSection>
  );
}

function asWords(value: Json | undefined): string {
  if (typeof value !== "object" || value === null) return nameValue(value);
  const { width, height, ...rest } = value as JsonObject;
  const isSize =
    typeof width === "number" && typeof height === "number" && Object.keys(rest).length === 0;
  return isSize ? `${width} × ${height}` : JSON.stringify(value);
}

function priceWords(run: Run): string | null {
  if (run.finishedAt === null)
    return run.heldMicros > 0
      ? t("create.cost.held", { amount: formatMoney(run.heldMicros) })
      : null;
  return run.costMicros && run.costBasis === "known"
    ? formatMoney(run.costMicros, "exact")
    : formatPrice(costOf(run));
}
