import { ChevronRight } from "lucide-react";
import { useState } from "react";
import type { Call, Content, Schema } from "../../data/queries/docs.queries.ts";
import { t } from "../../messages/t.ts";
import { classes } from "../../ui/classes.ts";
import styles from "./docs.module.css";
import { fieldsOf, typeOf } from "./schema-fields.ts";

type Named = Record<string, Schema>;

/** An API call, with its parameters and responses if it is expanded. */
export function CallView({ call, named }: { call: Call; named: Named }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <button
        type="button"
        className={styles.line}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronRight aria-hidden className={classes(styles.arrow, isOpen && styles.turned)} />
        <span className={styles.method}>{call.method}</span>
        <code className={styles.path}>{call.path}</code>
        <span className={styles.summary}>{call.summary}</span>
      </button>
      {isOpen && <Details call={call} named={named} />}
    </li>
  );
}

function Details({ call, named }: { call: Call; named: Named }) {
  const { description, parameters = [], requestBody, responses } = call;
  const failures = Object.entries(responses).filter(([status]) => status !== "200");
  return (
    <div className={styles.details}>
      <p>{description.replaceAll("`", "")}</p>
      {parameters.length > 0 && (
        <Part title={t("docs.takes")}>
          <ul className={styles.fields}>
            {parameters.map(({ name, in: place, required, schema }) => (
              <FieldLine
                key={name}
                name={name}
                type={typeOf(schema)}
                isRequired={required}
                hint={t(`docs.in.${place}`)}
                depth={0}
              />
            ))}
          </ul>
        </Part>
      )}
      {requestBody && (
        <Part title={t("docs.body")}>
          <Body content={requestBody.content} named={named} />
        </Part>
      )}
      <Part title={t("docs.answers")}>
        <Body content={responses["200"]?.content ?? {}} named={named} />
      </Part>
      <Part title={t("docs.errors")}>
        <ul className={styles.fields}>
          {failures.map(([status, { description }]) => (
            <li key={status} className={styles.field}>
              <code>{status}</code>{" "}
              <span className={styles.hint}>{description.replaceAll("`", "")}</span>
            </li>
          ))}
        </ul>
      </Part>
    </div>
  );
}

function Part({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section>
      <h3 className={styles.part}>{title}</h3>
      {children}
    </section>
  );
}

const otherTypes: Record<string, "docs.bytes" | "docs.events" | "docs.form"> = {
  "application/octet-stream": "docs.bytes",
  "text/event-stream": "docs.events",
  "multipart/form-data": "docs.form",
};

function Body({ content, named }: { content: Content; named: Named }) {
  const [type, { schema = {} } = {}] = Object.entries(content)[0] ?? [];
  const other = type && otherTypes[type];
  if (other) return <p className={styles.hint}>{t(other)}</p>;
  const fields = fieldsOf(schema, named);
  if (fields.length === 0) return <p className={styles.hint}>{typeOf(schema)}</p>;
  return (
    <ul className={styles.fields}>
      {fields.map(({ key, ...field }) => (
        <FieldLine key={key} {...field} />
      ))}
    </ul>
  );
}

type FieldLineProps = {
  name: string;
  type: string;
  isRequired: boolean;
  hint: string;
  depth: number;
};

function FieldLine({ name, type, isRequired, hint, depth }: FieldLineProps) {
  return (
    <li className={styles.field} style={{ paddingInlineStart: depth * 16 }}>
      <code>{name}</code> <span className={styles.type}>{type}</span>
      {!isRequired && <span className={styles.hint}> {t("docs.optional")}</span>}
      {hint && <span className={styles.hint}> · {hint}</span>}
    </li>
  );
}
