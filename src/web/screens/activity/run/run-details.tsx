import type { ReactNode } from "react";
import type { Run } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { listRunFacts, listUsage } from "../../../components/run/detail/list-run-facts.tsx";
import { Prompt } from "../../../components/run/detail/recipe.tsx";
import { RunInputs } from "../../../components/run/detail/run-inputs.tsx";
import { isEnded, promptOfRun } from "../../../components/run/run-facts.ts";
import { listSettings } from "../../../components/run/settings.ts";
import { PageSection } from "../../../frame/page.tsx";
import { formatCount, formatExact, formatMoney } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Facts } from "../../../ui/display/facts.tsx";
import styles from "./run-page.module.css";

const inputPx = 96;

type Detail = RouteOutput<"getRun">;

function SideCard({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.card}>
      <h3 className={styles.cardTitle}>{title}</h3>
      {children}
    </section>
  );
}

/** The run's details, cost and timing. */
export function RunFacts({ detail: { run, model, apiKey } }: { detail: Detail }) {
  const of = {
    run,
    modelName: model?.name,
    connectionName: model?.connectionName,
    apiKeyName: apiKey?.name,
  };
  return (
    <>
      <SideCard title={t("run.facts")}>
        <Facts
          facts={listRunFacts(of, ["model", "connection", "alias", "task", "retryOf", "remixOf"])}
        />
      </SideCard>
      <SideCard title={t("run.money")}>
        <Facts facts={[...listRunFacts(of, ["cost", "reserved", "tokens"]), ...listUsage(run)]} />
      </SideCard>
      <SideCard title={t("run.timing")}>
        <Facts
          facts={listRunFacts(of, [
            "key",
            "requested",
            "queuedFor",
            "firstOutput",
            "duration",
            "finished",
          ])}
        />
      </SideCard>
    </>
  );
}

/** The call to the webhook that a program passed with the run. */
export function RunWebhook({ detail: { run, webhook } }: { detail: Detail }) {
  if (!webhook) return null;
  const { origin, status, attempts, nextAt, triedAt, httpStatus, error } = webhook;
  const first = isEnded(run) ? "run.webhook.sending" : "run.webhook.unfinished";
  const words = {
    waiting: t(nextAt === null ? first : "run.webhook.again"),
    delivered: t("run.webhook.delivered"),
    "given-up": t("run.webhook.given-up", { count: attempts }),
  };
  return (
    <SideCard title={t("run.webhook")}>
      <Facts
        facts={[
          [t("run.webhook.address"), origin],
          [t("run.webhook.delivery"), words[status]],
          [t("run.webhook.tried"), triedAt && formatExact(triedAt)],
          [t("run.webhook.next"), nextAt && formatExact(nextAt)],
          [t("run.webhook.status"), httpStatus],
          [t("run.webhook.error"), httpStatus === null ? error : null],
        ]}
      />
    </SideCard>
  );
}

/** The alias that was requested, the model that ran, and why others were skipped. */
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

/**
 * Technical details for the provider or for support: ids, and each attempt's times, HTTP status and
 * bytes.
 */
export function RunPlumbing({ detail: { run, attempts } }: { detail: Detail }) {
  return (
    <details className={styles.card}>
      <summary className={styles.folded}>{t("run.details")}</summary>
      <Facts facts={listRunFacts({ run }, ["id"])} />
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
    </details>
  );
}

/** The input: prompt, settings and files. */
export function RunInput({ run, inputs }: { run: Run; inputs: Detail["inputs"] }) {
  const prompt = promptOfRun(run);
  const settings = listSettings(run.input);
  if (!prompt && settings.length === 0 && inputs.length === 0) return null;
  return (
    <PageSection title={t("run.input")}>
      <div className={styles.prompt}>
        <Prompt text={prompt} />
      </div>
      <Facts facts={settings} />
      {inputs.length > 0 && (
        <section className={styles.inputs}>
          <h3 className={styles.cardTitle}>{t("run.inputs")}</h3>
          <RunInputs inputs={inputs} tilePx={inputPx} />
        </section>
      )}
    </PageSection>
  );
}
