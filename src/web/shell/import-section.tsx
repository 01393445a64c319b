import { FolderInput } from "lucide-react";
import { type ReactNode, useRef } from "react";
import type { ProjectImport } from "#contract/entities.ts";
import { formatBytes, formatCount } from "../messages/format.ts";
import { t } from "../messages/t.ts";
import { Button } from "../ui/controls/button.tsx";
import { Card } from "../ui/display/card.tsx";
import { ErrorState } from "../ui/display/error-state.tsx";
import { ProgressBar } from "../ui/display/progress.tsx";
import { ListMore } from "../ui/lists/list-more.tsx";
import styles from "./import-section.module.css";
import type { useProjectImport } from "./use-project-import.ts";

type Importing = ReturnType<typeof useProjectImport>;

/** Imports a project: the upload, the server's work on the file, and the result. */
export function ImportSection({
  importing,
  onOpen,
}: {
  importing: Importing;
  onOpen: (done: ProjectImport) => void;
}) {
  const { imports, listed, sending, isBusy, error } = importing;
  return (
    <section className={styles.section} aria-label={t("project.import")}>
      <p className={styles.text}>{t("project.import.text")}</p>
      {imports.map((one) => (
        <Notice key={one.id} one={one} importing={importing} onOpen={onOpen} />
      ))}
      <ListMore query={listed} of={t("project.imports")} />
      {sending && <Sending sending={sending} onStop={importing.stopSending} />}
      {error && <ErrorState compact error={error} />}
      {!isBusy && <ChooseArchive onFile={importing.send} />}
    </section>
  );
}

function Sending({
  sending: { file, share },
  onStop,
}: {
  sending: NonNullable<Importing["sending"]>;
  onStop: () => void;
}) {
  const words = t("project.import.sending", {
    name: file.name,
    done: formatBytes(file.size * share),
    all: formatBytes(file.size),
  });
  return (
    <Work words={words} value={share} hint={t("project.import.stay")}>
      <Button size="small" onClick={onStop}>
        {t("project.import.stop")}
      </Button>
    </Work>
  );
}

function Notice({
  one,
  importing,
  onOpen,
}: {
  one: ProjectImport;
  importing: Importing;
  onOpen: (done: ProjectImport) => void;
}) {
  if (one.state === "open")
    return (
      <Work
        words={progressText(one)}
        value={one.filesTotal > 0 ? one.filesDone / one.filesTotal : null}
        hint={t("project.import.leave")}
      >
        <Button size="small" onClick={() => void importing.remove(one.id)}>
          {t("project.import.stop")}
        </Button>
      </Work>
    );
  const isDone = one.state === "done";
  return (
    <Card className={styles.notice} data-state={one.state} role="status">
      <p className={styles.words}>
        {t(isDone ? "project.import.here" : "project.import.failed", { name: one.name })}
      </p>
      {one.problem && <p className={styles.hint}>{one.problem}</p>}
      {isDone && one.filesMissing > 0 && (
        <p className={styles.hint}>{t("project.import.missing", { count: one.filesMissing })}</p>
      )}
      <div className={styles.actions}>
        {isDone && (
          <Button size="small" onClick={() => onOpen(one)}>
            {t("project.import.open")}
          </Button>
        )}
        <Button size="small" onClick={() => void importing.remove(one.id)}>
          {t("project.import.dismiss")}
        </Button>
      </div>
    </Card>
  );
}

function progressText({ name, filesDone, filesTotal }: ProjectImport): string {
  if (filesTotal === 0) return t("project.import.checking", { name });
  if (filesDone === filesTotal) return t("project.import.rows", { name, count: filesTotal });
  return t("project.import.files", {
    name,
    done: formatCount(filesDone),
    all: formatCount(filesTotal),
  });
}

function Work({
  words,
  value,
  hint,
  children,
}: {
  words: string;
  value: number | null;
  hint: string;
  children: ReactNode;
}) {
  return (
    <Card className={styles.notice}>
      <p className={styles.words}>{words}</p>
      <ProgressBar value={value} label={words} tone="busy" />
      <p className={styles.hint}>{hint}</p>
      <div className={styles.actions}>{children}</div>
    </Card>
  );
}

function ChooseArchive({ onFile }: { onFile: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button icon={FolderInput} onClick={() => input.current?.click()}>
        {t("project.import")}
      </Button>
      <input
        ref={input}
        id="project-archive"
        type="file"
        accept=".zip,application/zip"
        hidden
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          if (file) onFile(file);
          // Lets the same file be picked again after a failure.
          event.target.value = "";
        }}
      />
    </>
  );
}
