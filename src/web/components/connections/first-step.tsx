import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Boxes, MessageCircle } from "lucide-react";
import type { ReactNode } from "react";
import { tasks } from "#contract/tasks.ts";
import { toModelPath } from "../../data/model-ref.ts";
import { firstStepsQuery, type ListedConnection } from "../../data/queries/connections.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { InspectorSection } from "../../frame/inspector.tsx";
import { t } from "../../messages/t.ts";
import { taskIcon } from "../model/task-icon.ts";
import { firstModelOf } from "./first-model.ts";
import styles from "./first-step.module.css";

type FirstStepProps = {
  connection: ListedConnection;
  isOfTools: boolean;
  /** Models are added to it here, which its panel explains. */
  isFilledHere: boolean;
};

/** First steps with a working connection: its models, each with a link to where it is used. */
export function FirstStep({ connection, isOfTools, isFilledHere }: FirstStepProps) {
  const { project } = useSession();
  const { name, status, hasSecret, mayManage } = connection;
  const isEmpty = connection.models === 0;
  // For members the count leaves out the models that access rules close to them.
  const isIdle = status !== "ok" || (isEmpty && (isOfTools || isFilledHere || !mayManage));
  const steps =
    useQuery({
      ...firstStepsQuery(project.id, connection.id),
      enabled: !isIdle && !isEmpty && !isOfTools,
    }).data ?? [];
  if (isIdle) return null;
  if (isEmpty)
    return (
      <InspectorSection title={t("connections.first")}>
        <p className={styles.none}>
          {t(`connections.first.${hasSecret ? "noneForKey" : "none"}`, { name })}
        </p>
      </InspectorSection>
    );
  return (
    <InspectorSection title={t("connections.first")}>
      <ul className={styles.steps}>
        {isOfTools && (
          <li>
            <Link to="/chat" className={styles.step}>
              <MessageCircle aria-hidden />
              <StepText title={t("connections.first.tools")} />
            </Link>
          </li>
        )}
        {steps.map(({ task, models }) => {
          const model = firstModelOf(task, models);
          if (!model) return null;
          const Icon = taskIcon(task);
          const words = (
            <StepText
              title={
                task === "chat"
                  ? t("connections.first.chat")
                  : t("connections.first.make", { what: tasks[task].makes.one })
              }
              detail={t("connections.first.with", { name: model.name })}
            />
          );
          return (
            <li key={task}>
              {task === "chat" ? (
                <Link to="/chat" search={{ model: toModelPath(model) }} className={styles.step}>
                  <Icon aria-hidden />
                  {words}
                </Link>
              ) : (
                <Link
                  to="/create"
                  search={{ model: toModelPath(model), task }}
                  className={styles.step}
                >
                  <Icon aria-hidden />
                  {words}
                </Link>
              )}
            </li>
          );
        })}
        {!isOfTools && (
          <li>
            <Link
              to="/models"
              search={{ connection: connection.id, view: "all" }}
              className={styles.step}
            >
              <Boxes aria-hidden />
              <StepText title={t("connections.first.models", { count: connection.models })} />
            </Link>
          </li>
        )}
      </ul>
    </InspectorSection>
  );
}

const StepText = ({ title, detail }: { title: ReactNode; detail?: string }) => (
  <span className={styles.words}>
    <span className={styles.title}>{title}</span>
    {/* One accessible name for both lines. */}
    {detail && <span className={styles.detail}> {detail}</span>}
  </span>
);
