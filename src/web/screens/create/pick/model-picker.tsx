import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Plug } from "lucide-react";
import { type KeyboardEvent, useDeferredValue, useRef, useState } from "react";
import type { Model } from "#contract/entities.ts";
import { type Task, tasks } from "#contract/tasks.ts";
import { ConnectServiceLink } from "../../../components/connections/connect-service-link.tsx";
import { ModelLine, modelLineClass } from "../../../components/model/model-line.tsx";
import { ModelList } from "../../../components/model/model-list.tsx";
import { taskIcon } from "../../../components/model/task-icon.ts";
import { modelsQuery, usualModelsQuery } from "../../../data/queries/models.queries.ts";
import { t } from "../../../messages/t.ts";
import { Chip } from "../../../ui/controls/chip.tsx";
import { SearchField } from "../../../ui/controls/text-field.tsx";
import { EmptyState } from "../../../ui/display/empty-state.tsx";
import { useHeldEnter } from "../../../ui/lists/use-held-enter.ts";
import styles from "./pick.module.css";

export type ModelPickerProps = {
  projectId: string;
  /** The selectable tasks; with only one there is no switch. */
  offered: readonly Task[];
  task: Task;
  /** Filters out models that can't be used here. */
  keep?: (model: Model) => boolean;
  onPick: (model: Model, task: Task) => void;
};

/** Searches the catalog for one model. */
export function ModelPicker({ projectId, offered, task: first, keep, onPick }: ModelPickerProps) {
  const [search, setSearch] = useState("");
  const [task, setTask] = useState(first);
  const filter = { task, search: useDeferredValue(search) };
  const usual = useQuery(usualModelsQuery(projectId, task)).data;
  const found = useInfiniteQuery(modelsQuery(projectId, filter));
  const list = useRef<HTMLDivElement>(null);
  const rowsNow = () => [
    ...(list.current?.querySelectorAll<HTMLElement>('[role="listitem"] button') ?? []),
  ];
  const isBehind = filter.search !== search || found.isPlaceholderData || found.isPending;
  const held = useHeldEnter(isBehind, () => rowsNow()[0]?.click());
  const onKeyDown = (event: KeyboardEvent) => {
    const rows = rowsNow();
    if (event.target instanceof HTMLInputElement && held.onKeyDown(event)) return;
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) {
      event.preventDefault();
      rows[0]?.click();
      return;
    }
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    const next = rows[rows.indexOf(document.activeElement as HTMLElement) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrows only spare the Tab key
    <div ref={list} className={styles.picker} onKeyDown={onKeyDown}>
      <div className={styles.bar}>
        <SearchField
          label={t("models.search")}
          value={search}
          onValueChange={setSearch}
          autoFocus
          className={styles.search}
        />
        {offered.length > 1 && (
          <div className={styles.chips}>
            {offered.map((name) => (
              <Chip
                key={name}
                icon={taskIcon(name)}
                selected={name === task}
                onClick={() => setTask(name)}
              >
                {tasks[name].name}
              </Chip>
            ))}
          </div>
        )}
      </div>
      <ModelList
        projectId={projectId}
        filter={filter}
        first={search === "" ? usual : undefined}
        keep={keep}
        renderRow={(model) => (
          <button type="button" className={modelLineClass} onClick={() => onPick(model, task)}>
            <ModelLine model={model} />
          </button>
        )}
        empty={
          search === "" ? (
            <EmptyState
              icon={Plug}
              title={t("create.pick.noOther")}
              action={<ConnectServiceLink />}
            >
              {t("create.pick.noOther.text")}
            </EmptyState>
          ) : (
            <p className={styles.nothing}>{t("create.pick.none")}</p>
          )
        }
      />
    </div>
  );
}
