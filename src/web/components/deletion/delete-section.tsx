import { useNavigate } from "@tanstack/react-router";
import { Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { limits } from "#contract/limits.ts";
import { ActionButton } from "../../frame/action-button.tsx";
import { PageSection } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { Card } from "../../ui/display/card.tsx";
import { DeletePerson } from "./delete-person.tsx";
import { DeleteProject } from "./delete-project.tsx";
import styles from "./deletion.module.css";

type SectionProps = {
  act: string;
  title: string;
  text: string;
  submit: string;
  dialog: (close: () => void) => ReactNode;
};

function DeleteSection({ act, title, text, submit, dialog }: SectionProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <PageSection title={title}>
      <Card className={styles.section}>
        <p>{text}</p>
        <ActionButton action={act} variant="danger" icon={Trash2} onClick={() => setAsking(true)}>
          {submit}
        </ActionButton>
      </Card>
      {isAsking && dialog(() => setAsking(false))}
    </PageSection>
  );
}

/** The section at the end of a project's page, for its owner. */
export function DeleteProjectSection({ projectId }: { projectId: string }) {
  const navigate = useNavigate();
  return (
    <DeleteSection
      act="project.delete"
      title={t("deletion.project.section")}
      text={t("deletion.project.text", { days: limits.trashMs / (24 * 60 * 60_000) })}
      submit={t("deletion.project.submit")}
      dialog={(close) => (
        <DeleteProject
          projectId={projectId}
          onClose={close}
          onDeleted={() => void navigate({ to: "/" })}
        />
      )}
    />
  );
}

/** The section at the end of the person's security settings. */
export const DeleteAccountSection = () => (
  <DeleteSection
    act="settings.deleteAccount"
    title={t("deletion.me.section")}
    text={t("deletion.me.text")}
    submit={t("deletion.me.submit")}
    dialog={(close) => <DeletePerson userId={null} onClose={close} />}
  />
);
