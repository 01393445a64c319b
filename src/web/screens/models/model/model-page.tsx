import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { ArrowLeft, MessageCircle, WandSparkles } from "lucide-react";
import type { ReactNode } from "react";
import type { ModelDetail, ModelRef } from "#contract/entities.ts";
import { isMadeByForm, tasks } from "#contract/tasks.ts";
import { useReachableConnection } from "../../../components/connections/use-reachable-connections.ts";
import { ModelMarks } from "../../../components/model/model-marks.tsx";
import { useViewerList } from "../../../components/viewer/viewer-lists.tsx";
import { toModelPath } from "../../../data/model-ref.ts";
import { resultsOfModelQuery } from "../../../data/queries/catalogue.queries.ts";
import { modelQuery } from "../../../data/queries/models.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { useActions } from "../../../frame/action-button.tsx";
import { PageColumn, PageSection } from "../../../frame/page.tsx";
import { type MessageId, t } from "../../../messages/t.ts";
import { buttonClass } from "../../../ui/controls/button.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { Facts } from "../../../ui/display/facts.tsx";
import { Skeleton, SkeletonText } from "../../../ui/display/skeleton.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { Part } from "../../../ui/part.tsx";
import { StarButton } from "../star-button.tsx";
import { taskOfPrompt } from "../try/trial.ts";
import { ModelFactsSource } from "./facts-form.tsx";
import { MadeWith } from "./made-with.tsx";
import { ModelExamples } from "./model-examples.tsx";
import styles from "./model-page.module.css";
import { ModelPrice } from "./model-price.tsx";
import { ModelSchema } from "./model-schema.tsx";

const TryOne = lazyPart(() => import("../try/try-one.tsx").then(({ TryOne }) => TryOne));

/** A model's page: details, examples, price, limits, capabilities and settings. */
export function ModelPage({ projectId, modelRef }: { projectId: string; modelRef: ModelRef }) {
  const query = useQuery(modelQuery(projectId, modelRef));
  return (
    <div className={styles.scroller}>
      <PageColumn>
        <Link to="/models" search={(before) => before} className={styles.back}>
          <ArrowLeft aria-hidden />
          {t("models.back")}
        </Link>
        {query.isPending && <Loading />}
        {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
        {query.data && <Model projectId={projectId} model={query.data} />}
      </PageColumn>
    </div>
  );
}

function Model({ projectId, model }: { projectId: string; model: ModelDetail }) {
  const media = model.tasks.find(isMadeByForm);
  const path = toModelPath(model);
  const connection = useReachableConnection(model.connectionId);
  const results = useQuery(resultsOfModelQuery(projectId, model));
  // Late results and forms would push down what follows them.
  const isRestReady = connection !== undefined && !results.isPending;
  const mayManage = connection?.mayManage ?? false;
  const { project } = useSession();
  const task = taskOfPrompt(model);
  const navigate = useNavigate();
  useActions([
    ...(model.tasks.includes("chat")
      ? [
          {
            id: "models.chat",
            title: t("models.chat"),
            icon: MessageCircle,
            run: () => void navigate({ to: "/chat", search: { model: path } }),
          },
        ]
      : []),
    ...(media
      ? [
          {
            id: "models.use",
            title: t("models.use"),
            icon: WandSparkles,
            run: () => void navigate({ to: "/create", search: { model: path, task: media } }),
          },
        ]
      : []),
  ]);
  return (
    <>
      <div className={styles.head}>
        <span className={styles.title}>
          <h2>{model.name}</h2>
          <ModelMarks model={model} />
        </span>
        <span className={styles.actions}>
          <StarButton model={model} />
          {model.tasks.includes("chat") && (
            <Link
              to="/chat"
              search={{ model: path }}
              className={buttonClass({ variant: media ? "secondary" : "primary" })}
            >
              <MessageCircle aria-hidden size={16} />
              {t("models.chat")}
            </Link>
          )}
          {media && (
            <Link
              to="/create"
              search={{ model: path, task: media }}
              className={buttonClass({ variant: "primary" })}
            >
              <WandSparkles aria-hidden size={16} />
              {t("models.use")}
            </Link>
          )}
        </span>
      </div>
      {model.description && <p className={styles.about}>{model.description}</p>}
      {task && project.role !== "viewer" && (
        <Part fallback={<div className={styles.tryComing} />}>
          <TryOne key={path} model={model} task={task} />
        </Part>
      )}
      <PageSection title={t("models.facts")}>
        <Facts
          facts={[
            [t("models.facts.connection"), model.connectionName],
            [
              t("models.filter.runsOn"),
              connection === undefined ? (
                <Skeleton key="place" width={80} />
              ) : (
                connection && t(`models.runsOn.${connection.runsOn}`)
              ),
            ],
            [t("models.facts.id"), <code key="id">{model.modelId}</code>],
            [t("models.facts.tasks"), model.tasks.map((task) => tasks[task].name).join(", ")],
            [t("models.facts.takes"), listModalities(model.inputModalities)],
            [t("models.facts.gives"), listModalities(model.outputModalities)],
            [
              t("models.facts.status"),
              model.status === "active" ? t("models.status.active") : t(`models.${model.status}`),
            ],
            [
              t("models.facts.cameOut"),
              hasReleaseDay(model) ? <Time key="out" at={model.cameAt} /> : null,
            ],
            [t("models.facts.firstSeen"), <Time key="first" at={model.firstSeenAt} />],
            [t("models.facts.read"), <Time key="read" at={model.fetchedAt} />],
          ]}
        />
      </PageSection>
      <ModelExamples model={model} />
      <MadeWith projectId={projectId} model={model} />
      {isRestReady ? (
        <>
          <ModelPrice model={model} mayManage={mayManage} />
          <PageSection title={t("models.limits")}>
            <FactsOr facts={limitFacts(model)} none="models.limits.none" />
          </PageSection>
          <PageSection title={t("models.can")}>
            <Capabilities capabilities={model.capabilities} />
          </PageSection>
          <ModelFactsSource model={model} mayManage={mayManage} />
          <ModelSchema schema={model.inputSchema} />
        </>
      ) : (
        <div role="status" aria-busy aria-label={t("ui.loading")}>
          <SkeletonText lines={5} />
        </div>
      )}
    </>
  );
}

const listModalities = (modalities: ModelDetail["inputModalities"]): string | null =>
  modalities.map((modality) => t(`models.modality.${modality}`)).join(", ") || null;

/**
 * Whether the provider states a release date. Otherwise the date is when the model was first
 * listed.
 */
const hasReleaseDay = (model: ModelDetail): model is ModelDetail & { cameAt: number } =>
  model.cameAt !== null && model.cameAt !== model.firstSeenAt;

type Pair = readonly [string, ReactNode];
function FactsOr({ facts, none }: { facts: Pair[]; none: MessageId }) {
  return facts.length > 0 ? <Facts facts={facts} /> : <p className={styles.text}>{t(none)}</p>;
}

const limitFacts = ({ limits }: ModelDetail): Pair[] =>
  (["contextTokens", "outputTokens"] as const).flatMap((name): Pair[] => {
    const count = limits[name];
    return typeof count === "number"
      ? [[t(`models.limits.${name}`), t("models.limits.tokens", { count })]]
      : [];
  });

const flags = [
  "imageInput",
  "pdfInput",
  "audioInput",
  "videoInput",
  "reasoning",
  "tools",
  "prefill",
  "seed",
  "deterministic",
  "preview",
] as const;
function Capabilities({ capabilities }: { capabilities: ModelDetail["capabilities"] }) {
  const count = capabilities.countField as { most: number } | undefined;
  const words = flags
    .filter((flag) => capabilities[flag] === true)
    .map((flag) => t(`models.can.${flag}`));
  if (count) words.push(t("models.can.countField", { most: count.most }));
  if (words.length === 0) return <p className={styles.text}>{t("models.can.none")}</p>;
  return (
    <ul className={styles.can}>
      {words.map((word) => (
        <li key={word}>{word}</li>
      ))}
    </ul>
  );
}

function Loading() {
  useViewerList("coming");
  return (
    <div role="status" aria-busy aria-label={t("ui.loading")} className={styles.loading}>
      <Skeleton width="40%" height={28} />
      <SkeletonText lines={2} />
      <Skeleton width="18%" height={18} />
      <SkeletonText lines={5} />
    </div>
  );
}
