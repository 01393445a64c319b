import { Check, CircleAlert } from "lucide-react";
import { useState } from "react";
import type { JsonObject } from "#contract/json.ts";
import { checkAnswer, type ShapeIssue } from "#domain/schemas/answer-shape.ts";
import { CodeBlock } from "../../../components/markdown/code-block.tsx";
import { t } from "../../../messages/t.ts";
import { Segmented } from "../../../ui/controls/segmented.tsx";
import { Card } from "../../../ui/display/card.tsx";
import styles from "./shape.module.css";

/** A structured answer, as a tree or raw, and whether it matches its schema. */
export function ShapedAnswer({ text, schema }: { text: string; schema: JsonObject }) {
  const [shown, setShown] = useState<"tree" | "raw">("tree");
  const read = readAnswer(text, schema);
  const isRaw = shown === "raw" || read.value === undefined;
  return (
    <Card as="section" className={styles.shaped} aria-label={t("shape.answer")}>
      <div className={styles.head}>
        <p className={styles.match} data-fails={read.issues.length > 0 || undefined}>
          {read.issues.length > 0 ? <CircleAlert aria-hidden /> : <Check aria-hidden />}
          {read.value === undefined
            ? t("shape.notJson")
            : t(read.issues.length > 0 ? "shape.fails" : "shape.matches")}
        </p>
        {read.value !== undefined && (
          <Segmented
            label={t("shape.answer")}
            value={shown}
            onValueChange={setShown}
            options={[
              { value: "tree", label: t("shape.tree") },
              { value: "raw", label: t("shape.raw") },
            ]}
          />
        )}
      </div>
      {read.value !== undefined && read.issues.length > 0 && (
        <ul className={styles.issues}>
          {read.issues.map(({ path, message }) => (
            <li key={`${path.join(".")} ${message}`}>
              {t("shape.at", { path: path.join(".") || t("shape.root"), message })}
            </li>
          ))}
        </ul>
      )}
      {isRaw ? (
        <CodeBlock code={text} language="json" />
      ) : (
        <Node name={null} value={read.value} depth={0} />
      )}
    </Card>
  );
}

function readAnswer(text: string, schema: JsonObject): { value: unknown; issues: ShapeIssue[] } {
  try {
    const value: unknown = JSON.parse(text);
    return { value, issues: checkAnswer(schema, value) };
  } catch {
    return { value: undefined, issues: [{ path: [], message: "" }] };
  }
}

/** The number of levels open at first. */
const openLevels = 2;

function Node({ name, value, depth }: { name: string | null; value: unknown; depth: number }) {
  const label = name !== null && <span className={styles.key}>{name}</span>;
  if (typeof value !== "object" || value === null)
    return (
      <p className={styles.leaf}>
        {label}
        <span className={styles.value} data-type={value === null ? "null" : typeof value}>
          {value === null ? "null" : String(value)}
        </span>
      </p>
    );
  const entries = Object.entries(value);
  return (
    <details className={styles.node} open={depth < openLevels}>
      <summary>
        {label}
        <span className={styles.count}>{t("shape.items", { count: entries.length })}</span>
      </summary>
      <div className={styles.inner}>
        {entries.map(([key, inner]) => (
          <Node
            key={key}
            name={Array.isArray(value) ? `${Number(key) + 1}` : key}
            value={inner}
            depth={depth + 1}
          />
        ))}
      </div>
    </details>
  );
}
