import { FileDown } from "lucide-react";
import type { Project } from "#contract/entities.ts";
import { routePath } from "../../data/client.ts";
import { Card, PageSection } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import styles from "./project.module.css";

/** Takes the project away as one file, which the browser fetches while it is made. */
export function ExportSection({ project }: { project: Project }) {
  return (
    <PageSection title={t("project.export.title")}>
      <Card>
        <div className={styles.archive}>
          <p>{t("project.export.text")}</p>
          <a
            className={buttonClass()}
            href={routePath("exportProject", { params: { projectId: project.id } })}
            download
          >
            <FileDown aria-hidden />
            {t("project.export")}
          </a>
        </div>
      </Card>
    </PageSection>
  );
}
