import { Link } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { Asset, Model, Run } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { tasks } from "#contract/tasks.ts";
import { priceOf, promptOf, tookMs } from "../../../components/run/run-facts.ts";
import { listSettings } from "../../../components/run/settings.ts";
import { Facts } from "../../../frame/inspector.tsx";
import { PageSection } from "../../../frame/page.tsx";
import {
  formatCount,
  formatDuration,
  formatExact,
  formatMoney,
  formatPrice,
} from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Time } from "../../../ui/display/time.tsx";
import { RunInputs } from "./run-inputs.tsx";
import styles from "./run-page.module.css";

type Detail = RouteOutput<"getRun">;

function SideCard({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.card}>
      <h3 className={styles.cardTitle}>{title}</h3>
      {children}
    </section>
  );
}

/** What it is, and what it cost or may cost. */
export function RunMoney({ run, model }: { run: Run; model: Model | null }) {
  const price = priceOf(run);
  const used = Object.entries(run.usage ?? {}).flatMap(([name, value]) =>
    typeof value === "number" ? [[usageName(name), formatCount(value)] as const] : [],
  );
  const other = (runId: string) => (
    <Link to="/activity/$runId" params={{ runId }} className={styles.link}>
      {t("run.facts.openRun")}
    </Link>
  );
  return (
    <>
      <SideCard title={t("run.facts")}>
        <Facts
          facts={[
            [
              t("run.facts.model"),
              model
                ? `${model.name}, ${model.connectionName}`
                : (run.imported?.modelName ?? run.modelId),
            ],
            [t("run.facts.alias"), run.alias],
            [t("run.facts.task"), tasks[run.task].name],
            [t("run.facts.retryOf"), run.retryOf && other(run.retryOf)],
            [t("run.facts.remixOf"), run.remixOf && other(run.remixOf)],
            [t("run.facts.id"), <code key="id">{run.id}</code>],
          ]}
        />
      </SideCard>
      <SideCard title={t("run.money")}>
        <Facts
          facts={[
            [t("run.money.cost"), formatPrice(price)],
            [
              t("run.money.held"),
              run.costMicros === null && run.heldMicros > 0 ? formatMoney(run.heldMicros) : null,
            ],
            ...used,
          ]}
        />
      </SideCard>
    </>
  );
}

/** What was asked for under an alias, and on which model behind it that ran, and why not on the others. */
export function RunAlias({
  run: { alias, modelId },
  model,
  passedOver,
}: Pick<Detail, "run" | "model" | "passedOver">) {
  if (alias === null || passedOver.length === 0) return null;
  const because = passedOver.flatMap(({ name, reason, costMicros }) => [
    name === null
      ? t("run.alias.becauseUnnamed", { reason })
      : t("run.alias.because", { name, reason }),
    ...(costMicros ? [t("run.alias.cost", { cost: formatMoney(costMicros) })] : []),
    ...(costMicros === null ? [t("run.alias.costUnknown")] : []),
  ]);
  return (
    <p className={styles.why}>
      {[t("run.alias", { alias, model: model?.name ?? modelId }), ...because].join(" ")}
    </p>
  );
}

/** "inputTokens" as words. The names are the providers' own, so there is no list of them. */
const usageName = (name: string): string => {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
  return `${words[0]?.toUpperCase() ?? ""}${words.slice(1)}`;
};

/** When each step happened, and how long it took. */
export function RunTiming({ run, apiKey }: { run: Run; apiKey: Detail["apiKey"] }) {
  const took = tookMs(run);
  return (
    <SideCard title={t("run.timing")}>
      <Facts
        facts={[
          [t("run.timing.key"), apiKey?.name ?? null],
          [t("run.timing.created"), <Time key="created" at={run.createdAt} />],
          [
            t("run.timing.waited"),
            run.startedAt === null ? null : formatDuration(run.startedAt - run.createdAt),
          ],
          [
            t("run.timing.first"),
            run.firstOutputAt === null || run.startedAt === null
              ? null
              : formatDuration(run.firstOutputAt - run.startedAt),
          ],
          [t("run.timing.took"), took === null ? null : formatDuration(took)],
          [t("run.timing.finished"), run.finishedAt === null ? null : formatExact(run.finishedAt)],
        ]}
      />
    </SideCard>
  );
}

/** Each time it was sent: when, what the provider said, under which id it is there. */
export function RunAttempts({ attempts }: { attempts: Detail["attempts"] }) {
  if (attempts.length === 0) return null;
  return (
    <SideCard title={t("run.attempts")}>
      {attempts.map((attempt) => (
        <div key={attempt.number} className={styles.attempt}>
          <h4>{t("run.attempt", { number: attempt.number })}</h4>
          <Facts
            facts={[
              [t("run.attempt.sent"), attempt.sentAt && formatExact(attempt.sentAt)],
              [t("run.attempt.accepted"), attempt.acceptedAt && formatExact(attempt.acceptedAt)],
              [t("run.attempt.ended"), attempt.endedAt && formatExact(attempt.endedAt)],
              [t("run.attempt.status"), attempt.httpStatus],
              [
                t("run.attempt.bytes"),
                attempt.bytesWritten === null ? null : formatCount(attempt.bytesWritten),
              ],
              [
                t("run.attempt.request"),
                attempt.providerRequestId && <code key="request">{attempt.providerRequestId}</code>,
              ],
            ]}
          />
        </div>
      ))}
    </SideCard>
  );
}

export function RunWarnings({ run }: { run: Run }) {
  if (run.warnings.length === 0) return null;
  return (
    <PageSection title={t("run.warnings")}>
      <ul className={styles.warnings}>
        {run.warnings.map((warning) => (
          <li key={`${warning.feature} ${warning.message}`}>
            <TriangleAlert aria-hidden />
            {warning.message}
          </li>
        ))}
      </ul>
    </PageSection>
  );
}

/** What the model was given: the prompt, the settings, the files. */
export function RunInput({ run, inputs }: { run: Run; inputs: Detail["inputs"] }) {
  const prompt = promptOf(run);
  const settings = listSettings(run.input);
  if (!prompt && settings.length === 0 && inputs.length === 0) return null;
  return (
    <PageSection title={t("run.input")}>
      {prompt && <p className={styles.prompt}>{prompt}</p>}
      <Facts facts={settings} />
      {inputs.length > 0 && (
        <RunInputs
          assetIds={[...new Set(inputs.map(({ assetId }: { assetId: Asset["id"] }) => assetId))]}
        />
      )}
    </PageSection>
  );
}
