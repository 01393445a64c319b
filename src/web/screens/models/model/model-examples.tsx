import { Link, useNavigate } from "@tanstack/react-router";
import { MessageCircle, WandSparkles } from "lucide-react";
import { useId } from "react";
import type { ModelDetail } from "#contract/entities.ts";
import type { Json } from "#contract/json.ts";
import { isMadeByForm } from "#contract/tasks.ts";
import { promptOf, propertiesOf } from "#domain/schemas/input-schema.ts";
import { askInNewChat } from "../../../components/composer/new-chat-draft.ts";
import { examplesOf, type InputExample } from "../../../components/model/input-examples.ts";
import { toModelPath } from "../../../data/model-ref.ts";
import { useSession } from "../../../data/shell-data.ts";
import { PageSection } from "../../../frame/page.tsx";
import { t } from "../../../messages/t.ts";
import { Button, buttonClass } from "../../../ui/controls/button.tsx";
import { Card } from "../../../ui/display/card.tsx";
import styles from "./model-examples.module.css";

/** The examples of the model's schema, each with a link to try it. */
export function ModelExamples({ model }: { model: ModelDetail }) {
  const examples = examplesOf(model.inputSchema);
  if (examples.length === 0) return null;
  return (
    <PageSection title={t("models.examples")}>
      <ul className={styles.examples}>
        {examples.map((example, index) => (
          <Example
            key={JSON.stringify(example.input)}
            model={model}
            example={example}
            place={index}
          />
        ))}
      </ul>
    </PageSection>
  );
}

function Example({
  model,
  example,
  place,
}: {
  model: ModelDetail;
  example: InputExample;
  place: number;
}) {
  const words = promptOf(example.input);
  const settings = settingsOf(model, example);
  const id = useId();
  const task = model.tasks.find(isMadeByForm);
  return (
    <Card as="li" className={styles.example}>
      <p id={id} className={styles.words}>
        {words}
      </p>
      {settings.length > 0 && (
        <p className={styles.settings}>
          {settings.map(({ title, value }) => `${title}: ${value}`).join(" · ")}
        </p>
      )}
      {example.withoutFiles && <p className={styles.settings}>{t("models.examples.files")}</p>}
      <div className={styles.actions}>
        {task && (
          <Link
            to="/create"
            search={{ model: toModelPath(model), task, example: String(place) }}
            className={buttonClass({ size: "small" })}
            aria-describedby={id}
          >
            <WandSparkles aria-hidden size={14} />
            {t("models.use")}
          </Link>
        )}
        {model.tasks.includes("chat") && <AskInChat model={model} words={words} describedBy={id} />}
      </div>
    </Card>
  );
}

/** Appends the prompt to the draft of the next new conversation. */
function AskInChat({
  model,
  words,
  describedBy,
}: {
  model: ModelDetail;
  words: string;
  describedBy: string;
}) {
  const { user, project } = useSession();
  const navigate = useNavigate();
  const ask = () => {
    askInNewChat(user.id, project.id, words);
    void navigate({ to: "/chat", search: { model: toModelPath(model) } });
  };
  return (
    <Button size="small" icon={MessageCircle} aria-describedby={describedBy} onClick={ask}>
      {t("models.examples.ask")}
    </Button>
  );
}

const maxSettings = 6;
const maxCharacters = 60;

/** The example's settings that differ from the defaults. */
function settingsOf(
  { inputSchema }: ModelDetail,
  { input }: InputExample,
): { title: string; value: string }[] {
  const properties = propertiesOf(inputSchema);
  const words = promptOf(input);
  return Object.entries(input)
    .filter(
      ([name, value]) =>
        value !== words && value !== "" && !isSame(value, properties[name]?.default),
    )
    .slice(0, maxSettings)
    .map(([name, value]) => ({
      title: String(properties[name]?.title ?? name),
      value: shorten(asText(value)),
    }));
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const asText = (value: Json | undefined): string =>
  typeof value === "string" ? value : JSON.stringify(value);
const shorten = (text: string): string =>
  text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text;
