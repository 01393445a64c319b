import { Copy } from "lucide-react";
import { useState } from "react";
import type { JsonSchema } from "#contract/json.ts";
import { PageSection } from "../../../frame/page.tsx";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Table } from "../../../ui/lists/table.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useCopyText } from "../../../ui/overlays/use-copy-text.ts";
import styles from "./model-page.module.css";
import { settingsOf } from "./schema-settings.ts";

/** A model's settings as a table, with its schema folded. */
export function ModelSchema({ schema }: { schema: JsonSchema | null }) {
  const [isOpen, setOpen] = useState(false);
  const toast = useToast();
  const copyText = useCopyText();
  if (!schema) {
    return (
      <PageSection title={t("models.settings")}>
        <p className={styles.text}>{t("models.settings.none")}</p>
      </PageSection>
    );
  }
  const raw = JSON.stringify(schema, null, 2);
  const copy = async () => {
    if (await copyText(raw)) toast({ text: t("ui.copied") });
  };
  const settings = settingsOf(schema);
  return (
    <PageSection
      title={t("models.settings")}
      action={
        <Button size="small" variant="ghost" icon={Copy} onClick={() => void copy()}>
          {t("models.schema.copy")}
        </Button>
      }
    >
      <Table label={t("models.settings")} kind="words" className={styles.settings}>
        <thead>
          <tr>
            <th scope="col">{t("models.settings.name")}</th>
            <th scope="col">{t("models.settings.type")}</th>
            <th scope="col">{t("models.settings.default")}</th>
            <th scope="col">{t("models.settings.what")}</th>
          </tr>
        </thead>
        <tbody>
          {settings.map((setting) => (
            <tr key={setting.name}>
              <th scope="row">
                {setting.title}
                {setting.title !== setting.name && <code>{setting.name}</code>}
                {setting.required && (
                  <span className={styles.needed}>{t("models.settings.required")}</span>
                )}
              </th>
              <td>{setting.type}</td>
              <td className={styles.default}>{setting.default}</td>
              <td className={styles.what}>{setting.description}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      <details className={styles.raw} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{t("models.schema")}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
        {isOpen && <pre tabIndex={0}>{raw}</pre>}
      </details>
    </PageSection>
  );
}
