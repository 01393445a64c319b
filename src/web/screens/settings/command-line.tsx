import { PageSection } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { CopyButton } from "../../ui/controls/copy-button.tsx";
import styles from "./keys.module.css";

/** The commands that run this server's CLI, ready to copy into a terminal. */
export function CommandLine() {
  const { origin } = location;
  const words = `run connection/model "${t("keys.cli.prompt")}" --out pictures`;
  const lines = [
    { label: t("keys.cli.key"), text: "export BOTTEGA_API_KEY=bottega_…" },
    { label: t("keys.cli.npx"), text: `npx -y ${origin}/cli.tgz ${words}` },
    { label: t("keys.cli.file"), text: `curl -O ${origin}/cli.mjs\nnode cli.mjs ${words}` },
  ];
  return (
    <PageSection title={t("keys.cli")} intro={t("keys.cli.intro")}>
      <dl className={styles.commands}>
        {lines.map(({ label, text }) => (
          <div key={label} className={styles.command}>
            <dt>{label}</dt>
            <dd>
              <pre>{text}</pre>
              <CopyButton text={text} label={t("keys.cli.copy", { name: label })} />
            </dd>
          </div>
        ))}
      </dl>
    </PageSection>
  );
}
