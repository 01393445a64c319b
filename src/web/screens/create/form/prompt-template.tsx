import { CircleAlert } from "lucide-react";
import { limits } from "#contract/limits.ts";
import { tasks } from "#contract/tasks.ts";
import { expandPrompt } from "#domain/text/prompt-template.ts";
import { formatCount } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Switch } from "../../../ui/controls/switch.tsx";
import styles from "./form.module.css";
import { asTypedField } from "./shared-schema.ts";
import type { CreateForm } from "./use-create-form.ts";

/** What becomes of `{a|b}` in the prompt, counted before anything is made, and the way to send it as it is. */
export function PromptTemplate({ form }: { form: CreateForm }) {
  const { values, setValues, count, task } = form;
  const prompt = typeof values.prompt === "string" ? values.prompt : "";
  const { count: prompts, usesSeed, at } = expandPrompt(prompt);
  const isOn = values[asTypedField] !== true;
  const isTemplate = prompts > 1 || usesSeed || at(0, 0).prompt !== prompt;
  if (!isTemplate) return null;
  const toggle = (isExpanded: boolean) => {
    const { [asTypedField]: _, ...rest } = values;
    setValues(isExpanded ? rest : { ...rest, [asTypedField]: true });
  };
  return (
    <div className={styles.template}>
      <Switch
        label={t("create.expand")}
        hint={isOn ? promptWords(prompts, usesSeed) : t("create.expand.off")}
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
  );
}

const promptWords = (prompts: number, usesSeed: boolean): string =>
  [
    prompts > 1 && Number.isSafeInteger(prompts)
      ? t("create.expand.prompts", { count: prompts })
      : "",
    usesSeed ? t("create.expand.seed") : "",
  ]
    .filter(Boolean)
    .join(" ");
