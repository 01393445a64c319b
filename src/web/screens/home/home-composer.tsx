import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { MessageCircle } from "lucide-react";
import { useEffect, useState } from "react";
import { type Task, taskNames, tasks } from "#contract/tasks.ts";
import { BudgetLink } from "../../components/budgets/budget-link.tsx";
import {
  acceptedTypes,
  findUnreadable,
  kindOfAsset,
} from "../../components/composer/attachment-kinds.ts";
import { Composer } from "../../components/composer/composer.tsx";
import { DraftFiles } from "../../components/composer/draft-files.tsx";
import { messageDraft } from "../../components/composer/message-draft.ts";
import { useAttachments } from "../../components/composer/use-attachments.ts";
import { promptTasks } from "../../components/making/prompt-tasks.ts";
import { taskIcon } from "../../components/model/task-icon.ts";
import { offeredTasksQuery } from "../../data/queries/models.queries.ts";
import { useSaved } from "../../data/saved/use-saved.ts";
import { useSession } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { Chip } from "../../ui/controls/chip.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { useWidth } from "../../ui/use-width.ts";
import styles from "./home.module.css";
import { useMediaComposer } from "./use-media-composer.tsx";
import { useQuestionComposer } from "./use-question-composer.tsx";

/** Takes over text started in the palette, which stays in the address until the composer has it. */
function useBegun(take: (kind: Task, text: string) => void): void {
  const { kind, text } = useSearch({ strict: false });
  const navigate = useNavigate();
  useEffect(() => {
    if (text === undefined) return;
    take(taskNames.find((name) => name === kind) ?? "chat", text);
    void navigate({
      to: ".",
      search: (before) => ({ ...before, kind: undefined, text: undefined }),
      replace: true,
    });
  }, [kind, text]);
}

/** The composer: a question starts a conversation, everything else is made here. */
export function HomeComposer({ onMade }: { onMade: (batchId: string) => void }) {
  const { project } = useSession();
  const [kind, setKind] = useState<Task>("chat");
  const draftId = `home:${project.id}`;
  const { value: draft, change, clearSent } = useSaved(messageDraft, draftId);
  const toast = useToast();
  useBegun((begun, text) => {
    const before = { kind, text: draft.text };
    setKind(begun);
    change((now) => ({ ...now, text }));
    if (before.text.trim() === "" || before.text === text) return;
    const onAction = () => {
      setKind(before.kind);
      change((now) => ({ ...now, text: before.text }));
    };
    toast({ text: t("home.replaced"), action: { label: t("ui.undo"), onAction } });
  });
  const attachments = useAttachments(project.id, draftId, draft, change);
  const offered = useQuery(offeredTasksQuery(project.id)).data ?? [];
  const isAsking = kind === "chat";
  const isPhone = useWidth() === "phone";
  const clear = () => clearSent(draft);
  const ask = useQuestionComposer(draft, clear);
  const make = useMediaComposer(kind, draft, clear, onMade);
  const act = isAsking ? ask : make;
  // Only file search reads these, and its switch is in Chat.
  const unsearched = isAsking
    ? draft.files.find((file) => kindOfAsset(file) === "document")
    : undefined;
  const unreadable =
    isAsking && ask.answering ? findUnreadable([ask.answering], draft.files) : undefined;
  const blocked =
    attachments.uploading.length > 0
      ? t("home.uploading")
      : unsearched
        ? t("home.unsearched", { file: unsearched.name })
        : unreadable
          ? t("chat.attach.unreadable", unreadable)
          : act.blocked;
  const kinds = (
    <div className={styles.kinds} role="toolbar" aria-label={t("home.kind")}>
      <Chip icon={MessageCircle} selected={isAsking} onClick={() => setKind("chat")}>
        {t("home.ask")}
      </Chip>
      {promptTasks
        .filter((task) => offered.includes(task))
        .map((task) => (
          <Chip
            key={task}
            icon={taskIcon(task)}
            selected={kind === task}
            onClick={() => setKind(task)}
          >
            {tasks[task].name}
          </Chip>
        ))}
    </div>
  );
  return (
    <>
      {Boolean(act.error ?? attachments.problem) && (
        <div className={styles.problem}>
          <ErrorState
            compact
            error={act.error ?? { code: "unsupported_media", detail: attachments.problem }}
            safe={t("home.safe")}
            onRetry={act.retry}
            action={
              <>
                {!isAsking && (
                  // A model may require more than a prompt.
                  <Link to="/create" search={{ task: kind }} className={buttonClass()}>
                    {t("home.form")}
                  </Link>
                )}
                <BudgetLink error={act.error} />
              </>
            }
          />
        </div>
      )}
      <Composer
        value={draft.text}
        onValueChange={(text) => change((before) => ({ ...before, text }))}
        placeholder={
          isAsking
            ? t("home.placeholder")
            : kind === "speech"
              ? t("home.placeholder.speech")
              : t("home.placeholder.make")
        }
        onSend={act.send}
        blocked={draft.text.trim() || draft.files.length > 0 ? blocked : null}
        canSendEmpty={isAsking && draft.files.length > 0}
        attach={{
          projectId: project.id,
          accept: isAsking ? acceptedTypes : "image/*",
          kind: isAsking ? "file" : "image",
          room: attachments.room,
          onFiles: (files) => void attachments.add(files),
          onAssets: attachments.attach,
        }}
        attachments={
          draft.files.length + attachments.uploading.length > 0 && (
            <DraftFiles files={draft.files} attachments={attachments} />
          )
        }
        model={act.model}
        switches={!isPhone && kinds}
        price={act.price}
        sendLabel={isAsking ? t("home.send") : t("home.make")}
        autoFocus={!matchMedia("(pointer: coarse)").matches}
      />
      {isPhone && kinds}
      <p className={styles.kept}>{t("home.project", { project: project.name })}</p>
    </>
  );
}
