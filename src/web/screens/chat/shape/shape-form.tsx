import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { kindsQuery } from "../../../data/queries/shared.queries.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { TextArea } from "../../../ui/controls/text-area.tsx";
import styles from "../composer/settings-form.module.css";
import { type ReadShape, readShape } from "./read-shape.ts";
import shapeStyles from "./shape.module.css";

const pauseMs = 400;

export type ShapeFormProps = {
  /** The saved schema; null for text answers. */
  shape: { schema: JsonObject } | null;
  modelName: string;
  /** The kind of the model's connection. */
  kind: string | undefined;
  onChange: (shape: { schema: JsonObject } | null) => void;
};

/** The JSON Schema for a conversation's answers. Invalid text stays in the form and isn't saved. */
export function ShapeForm({ shape, modelName, kind, onChange }: ShapeFormProps) {
  const [text, setText] = useState(() => (shape ? JSON.stringify(shape.schema, null, 2) : ""));
  const [read, setRead] = useState<ReadShape>(() => readShape(text));
  const kinds = useQuery(kindsQuery).data;
  // Built-in models have no kind that can be connected, so they are not listed.
  const cannot =
    kinds !== undefined &&
    kind !== undefined &&
    (kinds.find((known) => known.kind === kind)?.lacks.includes("answerShape") ?? true);
  const newest = useRef(onChange);
  newest.current = onChange;
  const keep = (next: ReadShape, typed: string) => {
    setRead(next);
    const kept = shape ? JSON.stringify(shape.schema) : null;
    if (next.kind === "none" && kept !== null) newest.current(null);
    if (
      next.kind === "schema" &&
      typed.length <= limits.shapeCharacters &&
      JSON.stringify(next.schema) !== kept
    )
      newest.current({ schema: next.schema });
  };
  useEffect(() => {
    const timer = setTimeout(() => keep(readShape(text), text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  const wrong =
    text.length > limits.shapeCharacters
      ? t("shape.wrong.long", { most: limits.shapeCharacters })
      : invalidText(read);
  const [wasOpen] = useState(shape !== null);
  const whole = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    // The error is below the field, where the popover might cut it off.
    if (wrong) whole.current?.scrollIntoView({ block: "nearest" });
  }, [wrong]);
  return (
    <details ref={whole} open={wasOpen} className={styles.fold}>
      <summary>
        <ChevronRight aria-hidden />
        {t("shape.title")}
        <span className={styles.foldWords}>{t(shape ? "shape.on" : "shape.off")}</span>
      </summary>
      {cannot && <p className={styles.note}>{t("shape.cannot", { name: modelName })}</p>}
      <TextArea
        label={t("shape.label")}
        hint={t("shape.hint")}
        error={wrong}
        className={shapeStyles.editor}
        spellCheck={false}
        disabled={cannot && text === ""}
        value={text}
        onValueChange={setText}
        minRows={3}
        maxRows={14}
      />
      {shape && text !== "" && (
        <Button
          size="small"
          onClick={() => {
            setText("");
            keep({ kind: "none" }, "");
          }}
        >
          {t("shape.remove")}
        </Button>
      )}
    </details>
  );
}

function invalidText(read: ReadShape): string | null {
  if (read.kind === "none" || read.kind === "schema") return null;
  const { line, message } = read;
  if (read.kind === "json")
    return line === null
      ? t("shape.wrong.json", { message })
      : t("shape.wrong.jsonLine", { line, message });
  return line === null
    ? t("shape.wrong.schema", { message })
    : t("shape.wrong.schemaLine", { line, message });
}
