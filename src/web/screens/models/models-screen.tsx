import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Boxes, Plug, SearchX } from "lucide-react";
import { useDeferredValue } from "react";
import { type Task, taskNames, tasks } from "#contract/tasks.ts";
import { t } from "../../messages/t.ts";
import { hasScreen } from "../../screen-modules.ts";
import { PaneHeading, PaneList, PaneRow, PaneSearch } from "../../shell/pane.tsx";
import { Screen } from "../../shell/screen.tsx";
import { useSession } from "../../shell/shell-data.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useSearchValue } from "../../use-search-value.ts";
import { ModelLine, modelLineClass } from "./model-line.tsx";
import { ModelList } from "./model-list.tsx";
import { ModelPage } from "./model-page.tsx";
import { fromModelPath, toModelPath } from "./model-ref.ts";
import { connectionsQuery, offeredTasksQuery } from "./models.queries.ts";
import styles from "./models-screen.module.css";
import { taskIcon } from "./task-icon.ts";

/** Every model of every connection: search, filters, and a page for each. */
export function ModelsScreen() {
  const { project } = useSession();
  const ref = fromModelPath(useParams({ strict: false })._splat);
  const [search = "", setSearch] = useSearchValue("q");
  const [task, setTask] = useSearchValue("task");
  const [connectionId, setConnection] = useSearchValue("connection");
  const connections = useQuery(connectionsQuery).data?.connections ?? [];
  const filter = { task: isTask(task) ? task : undefined, search: useDeferredValue(search), connectionId };
  const isFiltered = Boolean(search || filter.task || connectionId);
  const offered = connections.filter((connection) => connection.models > 0 && connection.status !== "disabled");
  const clear = () => {
    setSearch(null);
    setTask(null);
    setConnection(null);
  };
  const pane = {
    children: (
      <>
        <PaneSearch label={t("models.search")} value={search} onValueChange={(value) => setSearch(value || null)} />
        <PaneList label={t("models.connections")}>
          <PaneHeading>{t("models.connections")}</PaneHeading>
          <PaneRow link={<FilterLink connection={undefined} isCurrent={!ref && !connectionId} />} count={sum(offered)}>
            {t("models.connections.all")}
          </PaneRow>
          {offered.map(({ id, name, models }) => (
            <PaneRow key={id} link={<FilterLink connection={id} isCurrent={!ref && connectionId === id} />} count={models}>
              {name}
            </PaneRow>
          ))}
        </PaneList>
      </>
    ),
  };
  return (
    <Screen
      title={t("screen.models")}
      pane={pane}
      tools={ref ? undefined : <TaskChips projectId={project.id} task={filter.task} onTask={setTask} />}
      isSelfScrolling
    >
      {ref ? (
        <ModelPage projectId={project.id} modelRef={ref} />
      ) : (
        <ModelList
          projectId={project.id}
          filter={filter}
          renderRow={(model) => (
            <Link to="/models/$" params={{ _splat: toModelPath(model) }} search={(before) => before} className={modelLineClass()}>
              <ModelLine model={model} />
            </Link>
          )}
          empty={isFiltered ? <NoneFits onClear={clear} /> : <NoModels />}
        />
      )}
    </Screen>
  );
}

const isTask = (value: string | undefined): value is Task => (taskNames as string[]).includes(value ?? "");
const sum = (connections: readonly { models: number }[]) => connections.reduce((all, { models }) => all + models, 0);

type FilterLinkProps = { connection: string | undefined; isCurrent: boolean; className?: string; children?: React.ReactNode };
function FilterLink({ connection, isCurrent, ...rest }: FilterLinkProps) {
  return (
    <Link
      {...rest}
      to="/models"
      search={(before) => ({ ...before, connection })}
      activeProps={{ "aria-current": undefined }}
      aria-current={isCurrent ? "page" : undefined}
    />
  );
}

function TaskChips({ projectId, task, onTask }: { projectId: string; task: Task | undefined; onTask: (task: Task | null) => void }) {
  const offered = useQuery(offeredTasksQuery(projectId)).data ?? [];
  return (
    <div className={styles.chips}>
      <Chip selected={!task} onClick={() => onTask(null)}>
        {t("models.all")}
      </Chip>
      {offered.map((name) => (
        <Chip key={name} icon={taskIcon(name)} selected={task === name} onClick={() => onTask(task === name ? null : name)}>
          {tasks[name].name}
        </Chip>
      ))}
    </div>
  );
}

function NoneFits({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState icon={SearchX} title={t("models.none.title")} action={<Button onClick={onClear}>{t("models.none.action")}</Button>}>
      {t("models.none.text")}
    </EmptyState>
  );
}

function NoModels() {
  const action = hasScreen("settings") && (
    <Link to="/settings/$section" params={{ section: "connections" }} className={buttonClass({ variant: "primary" })}>
      <Plug aria-hidden size={16} />
      {t("models.empty.action")}
    </Link>
  );
  return (
    <EmptyState icon={Boxes} title={t("models.empty.title")} action={action}>
      {t("models.empty.text")}
    </EmptyState>
  );
}
