import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Command } from "cmdk";
import { Check } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { Model, ModelRef } from "#contract/entities.ts";
import { groupBy } from "../../data/group-by.ts";
import { chatModelsQuery } from "../../data/queries/chat.queries.ts";
import { formatCount } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { isSameModel } from "./first-choice.ts";
import styles from "./model-picker.module.css";

/** A pause in typing that is long enough to ask the server. */
const typingPauseMs = 150;

export type ModelListProps = {
  projectId: string;
  chosen: Model | null;
  onChoose: (model: Model) => void;
};

/** The models that can chat, of all connections, searched at the server. In a chunk of its own. */
export function ModelList({ projectId, chosen, onChoose }: ModelListProps) {
  const [typed, setTyped] = useState("");
  const [search, setSearch] = useState("");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.trim()), typingPauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const found = useQuery(chatModelsQuery(projectId, search));
  const models = found.data?.models ?? [];
  const groups = groupBy(models, ({ connectionName }) => connectionName);
  return (
    <Command
      label={t("chat.model.choose")}
      shouldFilter={false}
      defaultValue={chosen ? keyOf(chosen) : undefined}
      loop
      className={styles.list}
    >
      <Command.Input
        ref={input}
        className={styles.input}
        placeholder={t("chat.model.search")}
        value={typed}
        onValueChange={setTyped}
      />
      <Command.List className={styles.lines} label={t("chat.model.choose")}>
        {found.isError && (
          <ErrorState compact error={found.error} onRetry={() => void found.refetch()} />
        )}
        {found.isSuccess && models.length === 0 && (
          <p className={styles.note}>{t("chat.model.empty", { search })}</p>
        )}
        {[...groups].map(([connection, members]) => (
          <Command.Group key={connection} heading={connection}>
            {members.map((model) => (
              <Command.Item
                key={keyOf(model)}
                value={keyOf(model)}
                className={styles.line}
                onSelect={() => onChoose(model)}
              >
                <span className={styles.words}>
                  <span className={styles.name}>{model.name}</span>
                  <span className={styles.detail}>{detailOf(model)}</span>
                </span>
                {isSameModel(model, chosen) && <Check aria-label={t("chat.model.isChosen")} />}
              </Command.Item>
            ))}
          </Command.Group>
        ))}
      </Command.List>
      <p className={styles.foot}>
        <Link to="/models">{t("chat.model.all")}</Link>
      </p>
    </Command>
  );
}

const keyOf = ({ connectionId, modelId }: ModelRef): string => `${connectionId} ${modelId}`;

/** What tells models apart: what it is in a sentence, or its id, and how much it can read. */
function detailOf({ description, modelId, name, limits, capabilities }: Model): string {
  const context =
    typeof limits.contextTokens === "number"
      ? t("chat.model.context", { count: formatCount(limits.contextTokens) })
      : null;
  const reads = capabilities.imageInput === true ? t("chat.model.pictures") : null;
  const id = modelId === name ? null : modelId;
  return [description || id, context, reads].filter(Boolean).join(" · ");
}
