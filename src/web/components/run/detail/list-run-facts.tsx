import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Run } from "#contract/entities.ts";
import { tasks } from "#contract/tasks.ts";
import {
  formatCount,
  formatDuration,
  formatExact,
  formatMoney,
  formatPrice,
} from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Time } from "../../../ui/display/time.tsx";
import { humanize } from "../../schema-form/schema-names.ts";
import { isEnded, priceOf, tokensOf, tookMs } from "../run-facts.ts";
import styles from "./detail.module.css";

type Fact = readonly [name: string, value: ReactNode];

/** A run with the related names that are known. */
type NamedRun = {
  run: Run;
  modelName?: string | null;
  connectionName?: string | null;
  apiKeyName?: string | null;
};

const duration = (from: number | null, to: number | null): string | null =>
  from === null || to === null ? null : formatDuration(to - from);

const linkTo = (runId: string | null, label: string): ReactNode =>
  runId && (
    <Link to="/activity/$runId" params={{ runId }} className={styles.link}>
      {label}
    </Link>
  );

/** The labels and formats of a run's facts, shared by all screens. */
const facts = {
  model: ({ run, modelName }: NamedRun) => [
    t("run.facts.model"),
    modelName ?? run.imported?.modelName ?? run.modelId,
  ],
  connection: ({ connectionName }) => [t("run.facts.connection"), connectionName],
  alias: ({ run }) => [t("run.facts.alias"), run.alias],
  task: ({ run }) => [t("run.facts.task"), tasks[run.task].name],
  retryOf: ({ run }) => [t("run.facts.retryOf"), linkTo(run.retryOf, t("run.facts.earlier"))],
  remixOf: ({ run }) => [t("run.facts.remixOf"), linkTo(run.remixOf, t("run.facts.earlier"))],
  id: ({ run }) => [t("run.facts.id"), <code key="id">{run.id}</code>],
  run: ({ run }) => [t("run.facts"), linkTo(run.id, t("run.facts.open"))],
  // Until the end, the reserved amount is more informative than a price.
  cost: ({ run }) => [
    t("run.money.cost"),
    !isEnded(run) && run.heldMicros > 0 ? null : formatPrice(priceOf(run)),
  ],
  reserved: ({ run }) => [
    t("run.money.held"),
    run.costMicros === null && run.heldMicros > 0 ? formatMoney(run.heldMicros) : null,
  ],
  tokens: ({ run }) => [t("run.money.tokens"), tokensText(run)],
  key: ({ apiKeyName }) => [t("run.timing.key"), apiKeyName],
  requested: ({ run }) => [t("run.timing.created"), <Time key="at" at={run.createdAt} />],
  queuedFor: ({ run }) => [t("run.timing.waited"), duration(run.createdAt, run.startedAt)],
  firstOutput: ({ run }) => [t("run.timing.first"), duration(run.startedAt, run.firstOutputAt)],
  duration: ({ run }) => {
    const took = tookMs(run);
    return [t("run.timing.took"), took === null ? null : formatDuration(took)];
  },
  finished: ({ run }) => [
    t("run.timing.finished"),
    run.finishedAt === null ? null : formatExact(run.finishedAt),
  ],
} as const satisfies Record<string, (run: NamedRun) => Fact>;

export type RunFactName = keyof typeof facts;

/** A run's named facts, for `Facts`. Unknown facts have no value and aren't shown. */
export const listRunFacts = (run: NamedRun, names: readonly RunFactName[]): Fact[] =>
  names.map((name) => facts[name](run));

function tokensText(run: Run): string | null {
  const { input, output, isEstimate } = tokensOf(run);
  if (input === null && output === null) return null;
  return t(isEstimate ? "run.money.tokensAbout" : "run.money.tokensInOut", {
    input: input === null ? "?" : formatCount(input),
    output: output === null ? "?" : formatCount(output),
  });
}

const reportedNames = ["inputTokens", "outputTokens"];

/**
 * Further usage counted by the provider. The names are the provider's own, so there is no list of
 * them.
 */
export const listUsage = (run: Run): Fact[] =>
  Object.entries(run.usage ?? {}).flatMap(([name, value]) =>
    typeof value === "number" && !reportedNames.includes(name)
      ? [[humanize(name), formatCount(value)] as const]
      : [],
  );
