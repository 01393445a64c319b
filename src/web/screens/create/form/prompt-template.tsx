import { useQuery } from "@tanstack/react-query";
import { CircleAlert, List } from "lucide-react";
import { useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { limits } from "#contract/limits.ts";
import { tasks } from "#contract/tasks.ts";
import { expandPrompt, foldListName } from "#domain/text/prompt-template.ts";
import { wordListsQuery } from "../../../data/queries/create.queries.ts";
import { formatCount } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Chip } from "../../../ui/controls/chip.tsx";
import { Switch } from "../../../ui/controls/switch.tsx";
import styles from "./form.module.css";
import { asTypedField } from "./shared-schema.ts";
import type { CreateForm } from "./use-create-form.ts";

type PromptTemplateProps = { projectId: string; form: CreateForm };

/**
 * The expansions of `{a|b}` and `__list__` in the prompt, counted before anything is made, and a
 * button to send the prompt literally.
 */
export function PromptTemplate({ projectId, form }: PromptTemplateProps) {
  const { values, setValues, count, task, lists, isCounted } = form;
  const prompt = typeof values.prompt === "string" ? values.prompt : "";
  const {
    count: prompts,
    places,
    usesSeed,
    missing,
    isUnclosed,
    hasEmpty,
    at,
  } = expandPrompt(prompt, lists);
  const isOn = values[asTypedField] !== true;
  const isTemplate =
    !isOn || places > 0 || missing.length > 0 || isUnclosed || at(0, 0).prompt !== prompt;
  const toggle = (isExpanded: boolean) => {
    const { [asTypedField]: _, ...rest } = values;
    setValues(isExpanded ? rest : { ...rest, [asTypedField]: true });
  };
  const words = [
    prompts > 1 && Number.isSafeInteger(prompts)
      ? t("create.expand.prompts", { count: formatCount(prompts) })
      : "",
    usesSeed ? t("create.expand.seed") : "",
    hasEmpty ? t("create.expand.empty") : "",
    isUnclosed ? t("create.expand.unclosed") : "",
    ...(isCounted ? missing.map((name) => t("create.expand.missing", { name })) : []),
  ];
  return (
    <>
      {isOn && (
        <ListNames
          projectId={projectId}
          prompt={prompt}
          onPrompt={(next) => setValues({ ...values, prompt: next })}
        />
      )}
      {isTemplate && (
        <div className={styles.template}>
          <Switch
            label={t("create.expand")}
            hint={isOn ? words.filter(Boolean).join(" ") : t("create.expand.off")}
            checked={isOn}
            onCheckedChange={toggle}
          />
          {isOn && count > limits.runsPerBatch && (
            <p className={styles.tooMany} role="alert">
              <CircleAlert aria-hidden />
              {Number.isSafeInteger(count)
                ? t("create.expand.tooMany", {
                    count: formatCount(count),
                    many: tasks[task].makes.many,
                    most: formatCount(limits.runsPerBatch),
                  })
                : t("create.expand.farTooMany", { most: formatCount(limits.runsPerBatch) })}
            </p>
          )}
        </div>
      )}
    </>
  );
}

/** As many names as fit below the prompt. */
const maxNames = 6;
/** A list name being typed. */
const begun = /__([\p{L}\p{M}\p{N}-]*)$/u;

type ListNamesProps = { projectId: string; prompt: string; onPrompt: (prompt: string) => void };

/** The lists whose names start with the text typed after two underscores. */
function ListNames({ projectId, prompt, onPrompt }: ListNamesProps) {
  const [field, setField] = useState<HTMLTextAreaElement | null>(null);
  const [caret, setCaret] = useState(0);
  useEffect(() => {
    const active = document.activeElement;
    if (!(active instanceof HTMLTextAreaElement) || active.value !== prompt) return;
    setField(active);
    setCaret(active.selectionStart);
  }, [prompt]);
  const before = prompt.slice(0, caret);
  const closed = (before.match(/__/g)?.length ?? 0) % 2 === 0;
  const typed = closed ? undefined : begun.exec(before)?.[1];
  const { data } = useQuery({ ...wordListsQuery(projectId), enabled: typed !== undefined });
  if (typed === undefined || !data) return null;
  const names = data
    .filter(({ name }) => foldListName(name).startsWith(foldListName(typed)))
    .slice(0, maxNames);
  if (names.length === 0) return null;
  const choose = (name: string) => {
    const start = `${before.slice(0, before.length - typed.length)}${name}__`;
    flushSync(() => onPrompt(`${start}${prompt.slice(caret)}`));
    field?.focus();
    field?.setSelectionRange(start.length, start.length);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would break the line of chips
    <div className={styles.listNames} role="group" aria-label={t("create.words")}>
      {names.map(({ name }) => (
        <Chip key={name} icon={List} onClick={() => choose(name)}>
          {name}
        </Chip>
      ))}
    </div>
  );
}
