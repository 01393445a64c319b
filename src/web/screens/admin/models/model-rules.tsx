import { useInfiniteQuery } from "@tanstack/react-query";
import { type MouseEvent, useDeferredValue, useState } from "react";
import { limits } from "#contract/limits.ts";
import { tasks } from "#contract/tasks.ts";
import { toModelPath, toModelRef } from "../../../data/model-ref.ts";
import {
  type Access,
  type AccessModel,
  accessModelsQuery,
} from "../../../data/queries/access.queries.ts";
import { ActionButton } from "../../../frame/action-button.tsx";
import { PageSection } from "../../../frame/page.tsx";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Checkbox } from "../../../ui/controls/checkbox.tsx";
import { Select } from "../../../ui/controls/select.tsx";
import { SearchField } from "../../../ui/controls/text-field.tsx";
import { List, ListRow } from "../../../ui/lists/list.tsx";
import { ListMore } from "../../../ui/lists/list-more.tsx";
import { ListState } from "../../../ui/lists/list-state.tsx";
import lists from "../selecting-list.module.css";
import { SelectingBar, useSelecting } from "../selecting-list.tsx";
import { type AccessTarget, usersText } from "./model-users-text.ts";
import styles from "./models-section.module.css";

const every = "every";

export type AccessWays = { access: Access; onSet: (target: AccessTarget) => void };

/** Access rules for one model, the selected ones, or all that match the filter. */
export function ModelRules({ access, onSet }: AccessWays) {
  const [search, setSearch] = useState("");
  const [connection, setConnection] = useState(every);
  const sought = useDeferredValue(search).trim();
  const filter = {
    ...(sought && { search: sought }),
    ...(connection !== every && { connectionId: connection }),
  };
  const query = useInfiniteQuery(accessModelsQuery(filter));
  const models = query.data?.pages.flatMap((page) => page.models) ?? [];
  const selecting = useSelecting(models.map(toModelPath));
  const chosen = models.filter((model) => selecting.has(toModelPath(model)));
  const setFilter = (change: () => void) => {
    change();
    selecting.clear();
  };
  const refs = (list: readonly AccessModel[]) => list.map(toModelRef);
  const setChosen = () =>
    onSet({
      of: { models: refs(chosen) },
      what:
        chosen.length === 1 && chosen[0]
          ? chosen[0].name
          : t("access.what.models", { count: chosen.length }),
      users: chosen.length === 1 && chosen[0] ? chosen[0].users : null,
    });
  const setFound = () =>
    onSet({
      of: { found: filter },
      what: t(Object.keys(filter).length > 0 ? "access.what.found" : "access.what.allModels"),
      users: null,
    });
  return (
    <PageSection title={t("access.models")} intro={t("access.models.intro")}>
      <div className={lists.tools}>
        <SearchField
          label={t("access.models.search")}
          className={lists.search}
          value={search}
          onValueChange={(value) => setFilter(() => setSearch(value))}
        />
        <Select
          className={styles.select}
          aria-label={t("access.models.connection")}
          value={connection}
          onValueChange={(value) => setFilter(() => setConnection(value))}
          options={[
            { value: every, label: t("access.models.allConnections") },
            ...access.connections.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      </div>
      <ListState query={query} rows={5} />
      {query.data && models.length === 0 && (
        <p className={styles.hint}>{t("access.models.none")}</p>
      )}
      {models.length > 0 && (
        <>
          <SelectingBar
            selecting={selecting}
            count={chosen.length}
            label={
              chosen.length > 0
                ? t("access.models.selected", { count: chosen.length })
                : t("access.models.selectAll")
            }
          >
            {chosen.length > 0 && (
              <ActionButton
                action="access.set"
                size="small"
                variant="primary"
                disabled={chosen.length > limits.pageSizeMost}
                onClick={setChosen}
              >
                {t("access.set")}
              </ActionButton>
            )}
            <ActionButton action="access.set.found" size="small" onClick={setFound}>
              {t("access.set.found")}
            </ActionButton>
          </SelectingBar>
          <List label={t("access.models")}>
            {models.map((model, index) => (
              <ModelRow
                key={toModelPath(model)}
                model={model}
                isSelected={selecting.has(toModelPath(model))}
                onPress={selecting.onPress}
                onToggle={() => selecting.toggle(index, toModelPath(model))}
                onSet={() =>
                  onSet({ of: { models: refs([model]) }, what: model.name, users: model.users })
                }
              />
            ))}
          </List>
          <ListMore query={query} />
        </>
      )}
    </PageSection>
  );
}

type ModelRowProps = {
  model: AccessModel;
  isSelected: boolean;
  /** Called before the checkbox toggles, to note the Shift key. */
  onPress: (event: MouseEvent) => void;
  onToggle: () => void;
  onSet: () => void;
};

function ModelRow({
  model: { name, connectionName, tasks: does, users },
  isSelected,
  onPress,
  onToggle,
  onSet,
}: ModelRowProps) {
  return (
    <ListRow
      start={
        <Checkbox
          aria-label={t("access.models.select", { name })}
          checked={isSelected}
          onClick={onPress}
          onCheckedChange={onToggle}
        />
      }
      title={name}
      detail={`${connectionName} · ${does.map((task) => tasks[task].name).join(", ")}`}
      end={
        <Button
          size="small"
          aria-label={`${t("access.set.of", { name })}: ${usersText(users)}`}
          onClick={onSet}
        >
          {usersText(users)}
        </Button>
      }
    />
  );
}
