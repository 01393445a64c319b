import { useQuery } from "@tanstack/react-query";
import { ChevronDown, Download, EyeOff, Trophy } from "lucide-react";
import { useState } from "react";
import { type Task, taskNames, tasks } from "#contract/tasks.ts";
import { type Leaderboard, leaderboardQuery } from "../../components/compare/compare.queries.ts";
import { routePath } from "../../data/client.ts";
import { useStored } from "../../data/saved/use-stored.ts";
import { useSession } from "../../data/shell-data.ts";
import { useActions } from "../../frame/action-button.tsx";
import { ActionMenu } from "../../frame/action-menu.tsx";
import type { ScreenInspector } from "../../frame/screen-props.ts";
import { formatPrice, formatShare } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { Chip } from "../../ui/controls/chip.tsx";
import { EmptyState } from "../../ui/display/empty-state.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { useWidth } from "../../ui/use-width.ts";
import styles from "./leaderboard.module.css";
import { PriceChart } from "./price-chart.tsx";

type Rated = Leaderboard["models"][number];

/**
 * The leaderboard at the right. On a narrow screen it opens as a sheet.
 * @param shown "hidden" during a blind vote, because a changed rank would reveal the model
 */
export function useBoardPanel(shown: "whole" | "hidden" | "loading" = "whole"): ScreenInspector {
  const [isWideOpen, setWideOpen] = useStored("compare-board", true);
  const [isSheetOpen, setSheetOpen] = useState(false);
  const isWide = useWidth() === "wide";
  const [isOpen, setOpen] = isWide ? [isWideOpen, setWideOpen] : [isSheetOpen, setSheetOpen];
  return {
    title: t("compare.board"),
    isOpen,
    onOpenChange: setOpen,
    children: shown === "whole" ? <Board /> : <NoBoard isLoading={shown === "loading"} />,
  };
}

const NoBoard = ({ isLoading }: { isLoading: boolean }) => (
  <div className={styles.board}>
    {isLoading ? (
      <SkeletonText />
    ) : (
      <EmptyState icon={EyeOff} title={t("compare.board.hidden")}>
        {t("compare.board.hidden.text")}
      </EmptyState>
    )}
  </div>
);

const shareOf = (value: number): string => formatShare(value);
const priceOf = ({ costMicros }: Rated): string =>
  formatPrice(
    costMicros === null
      ? { kind: "unknown" }
      : costMicros === 0
        ? { kind: "free" }
        : { kind: "about", micros: costMicros },
  );

function Board() {
  const { project } = useSession();
  const [task, setTask] = useState<Task | null>(null);
  const [isOfProject, setOfProject] = useState(true);
  const projectId = isOfProject ? project.id : null;
  const found = useQuery(leaderboardQuery(projectId, task));
  const switchProject = () => setOfProject(!isOfProject);
  useActions([
    {
      id: "compare.board.project",
      title: t(isOfProject ? "compare.board.ofAll" : "compare.board.ofProject"),
      icon: Trophy,
      run: switchProject,
    },
  ]);
  const query = { ...(projectId && { projectId }), ...(task && { task }) };
  return (
    <div className={styles.board}>
      <div className={styles.filters}>
        <ActionMenu
          label={t("compare.board.taskFilter")}
          align="start"
          entries={[
            {
              label: t("compare.board.task"),
              checked: task === null,
              onSelect: () => setTask(null),
            },
            ...taskNames.map((name) => ({
              label: tasks[name].name,
              checked: task === name,
              onSelect: () => setTask(name),
            })),
          ]}
          trigger={
            <Chip endIcon={ChevronDown} selected={task ? true : undefined}>
              {task ? tasks[task].name : t("compare.board.task")}
            </Chip>
          }
        />
        <Chip selected={isOfProject} onClick={switchProject}>
          {t("compare.board.project")}
        </Chip>
      </div>
      {found.isError && !found.data ? (
        <ErrorState compact error={found.error} onRetry={() => void found.refetch()} />
      ) : !found.data ? (
        <SkeletonText />
      ) : found.data.models.length === 0 ? (
        <EmptyState icon={Trophy} title={t("compare.board.none")}>
          {t("compare.board.none.text")}
        </EmptyState>
      ) : (
        <>
          <p className={styles.count}>{t("compare.votes", { count: found.data.votes })}</p>
          <ol className={styles.rows}>
            {found.data.models.map((model) => (
              <Row key={`${model.connectionId}/${model.modelId}`} model={model} />
            ))}
          </ol>
          <PriceChart models={found.data.models} />
          <p className={styles.method}>{t("compare.board.method")}</p>
          <a
            className={buttonClass({ size: "small" })}
            href={routePath("downloadLeaderboard", { query })}
            download
          >
            <Download aria-hidden />
            {t("compare.board.csv")}
          </a>
        </>
      )}
    </div>
  );
}

function Row({ model }: { model: Rated }) {
  const { name, score, low, high, games, ratings, goodRatings } = model;
  const price = priceOf(model);
  const words = t("compare.board.row", {
    name,
    score: shareOf(score),
    low: shareOf(low),
    high: shareOf(high),
    price,
    games,
  });
  return (
    <li>
      <span className={styles.name}>{name}</span>
      <span className={styles.figures}>
        <strong>{shareOf(score)}</strong> {price}
      </span>
      <span className={styles.track} role="img" aria-label={words}>
        <span
          className={styles.interval}
          style={{ left: `${low * 100}%`, width: `${(high - low) * 100}%` }}
        />
        <span className={styles.score} style={{ left: `${score * 100}%` }} />
      </span>
      {ratings > 0 && (
        <span className={styles.ratings}>
          {t("compare.board.ratings", { good: goodRatings, count: ratings })}
        </span>
      )}
    </li>
  );
}
