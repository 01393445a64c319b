import { Ban, CircleHelp, Send } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { Run } from "#contract/entities.ts";
import type { RunEventPayloads } from "#contract/events.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { withRequiredDefaults } from "#domain/schemas/input-schema.ts";
import { isEnded } from "../../../components/run/run-facts.ts";
import { SchemaForm } from "../../../components/schema-form/schema-form.tsx";
import { loadValidation } from "../../../components/schema-form/validation.ts";
import { call } from "../../../data/client.ts";
import { useRunStream } from "../../../data/run-stream.ts";
import { type RowAction, useRowActions } from "../../../frame/action-menu.tsx";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import styles from "./tool-round.module.css";

/**
 * A running tool's question to the person, announced when it arrives; renders nothing without a
 * question.
 */
export function ToolQuestion({ run, name }: { run: Run; name: string }) {
  const { question } = useRunStream(isEnded(run) ? null : run.id);
  return (
    <div aria-live="polite">
      {question && <Question key={question.id} question={question} runId={run.id} name={name} />}
    </div>
  );
}

type QuestionProps = { question: RunEventPayloads["question"]; runId: string; name: string };

function Question({ question, runId, name }: QuestionProps) {
  const [value, setValue] = useState<JsonObject>({});
  const [showErrors, setShowErrors] = useState(false);
  const [isSending, setSending] = useState(false);
  const showError = useErrorToast();
  const schema = question.schema as JsonSchema;
  const questionId = question.id;
  async function send(answer: { action: "accept"; content: JsonObject } | { action: "decline" }) {
    setSending(true);
    try {
      await call("answerQuestion", { params: { runId }, body: { questionId, ...answer } });
    } catch (error) {
      showError(error);
      setSending(false);
    }
  }
  async function submit(event: FormEvent) {
    event.preventDefault();
    const content = withRequiredDefaults(schema, value);
    const validate = await loadValidation();
    if (validate && Object.keys(validate(schema, content)).length > 0) setShowErrors(true);
    else await send({ action: "accept", content });
  }
  const answer: RowAction = {
    id: "send",
    title: t("chat.tools.question.send"),
    icon: Send,
    run: () => form.current?.requestSubmit(),
  };
  const decline = {
    id: "decline",
    title: t("chat.tools.no"),
    icon: Ban,
    run: () => void send({ action: "decline" }),
  };
  const form = useRowActions<HTMLFormElement>(name, isSending ? [] : [answer, decline], true);
  return (
    <form ref={form} className={styles.question} onSubmit={(event) => void submit(event)}>
      <CircleHelp aria-hidden />
      <div className={styles.words}>
        <p className={styles.name}>
          {name}
          <span className={styles.state}>{t("chat.tools.question")}</span>
        </p>
        <p className={styles.asked}>{question.message}</p>
        <SchemaForm
          schema={schema}
          value={value}
          onValueChange={setValue}
          showErrors={showErrors}
          foldOf="question"
          renderFile={() => null}
          isDisabled={isSending}
        />
        <div className={styles.decide}>
          <Button type="submit" size="small" variant="primary" disabled={isSending}>
            {answer.title}
          </Button>
          <Button size="small" disabled={isSending} onClick={decline.run}>
            {decline.title}
          </Button>
          <span className={styles.price}>{t("chat.tools.question.warning")}</span>
        </div>
      </div>
    </form>
  );
}
