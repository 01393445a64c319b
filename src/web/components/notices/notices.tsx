import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useEffectEvent, useState } from "react";
import type { Run } from "#contract/entities.ts";
import { runStateText } from "#contract/run-states.ts";
import { openRunsQuery } from "../../data/app-data.ts";
import { call } from "../../data/client.ts";
import { useProjectFeed } from "../../data/project-feed.ts";
import { conversationOf } from "../../data/queries/activity.queries.ts";
import { type Slot, savedEntries } from "../../data/saved/saved-entries.ts";
import { useSession } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";
import { titleOf } from "../run/run-facts.ts";
import { hasNoticesOn, saveNoticesMissing } from "./notice-choice.ts";
import { targetOf } from "./target-of-run.ts";
import { holdSeenLock, isProjectSeen, readNoticePermission } from "./visible-tab.ts";
import { createNoticeWatch, createTitleNotice, type Notice } from "./watch-runs.ts";

const maxTitle = 80;

/**
 * Reports finished work to a person who looks elsewhere, also at another project: in the title of a
 * tab in the background, and as a notification if they enabled those. Watches the open project, and
 * each other project of this browser while one of the person's own runs is open there.
 */
export function Notices() {
  const { user, project, projects } = useSession();
  const [title] = useState(() => createTitleNotice(document));
  const [busy, setBusy] = useState(() => readBusy(user.id));
  useEffect(() => holdSeenLock(project.id), [project.id]);
  useEffect(() => {
    const onChange = () => {
      if (document.visibilityState === "visible") title.clear();
    };
    document.addEventListener("visibilitychange", onChange);
    return () => document.removeEventListener("visibilitychange", onChange);
  }, [title]);
  const onBusy = useCallback(
    (id: string, isBusy: boolean) => {
      const change = (before: readonly string[]) =>
        before.includes(id) === isBusy
          ? before
          : isBusy
            ? [...before, id]
            : before.filter((one) => one !== id);
      setBusy(change);
      // Another tab may have saved other projects.
      const saved = readBusy(user.id);
      const changed = change(saved);
      if (changed !== saved) savedEntries().write(busyProjects, user.id, changed);
    },
    [user.id],
  );
  return projects
    .filter(({ id }) => id === project.id || busy.includes(id))
    .map(({ id }) => (
      <ProjectNotices
        key={id}
        projectId={id}
        isOpen={id === project.id}
        title={title}
        onBusy={onBusy}
      />
    ));
}

/** The projects where the person's own runs were open. */
const busyProjects: Slot<readonly string[]> = {
  kind: "choice",
  name: "busy-projects",
  version: 1,
  empty: [],
  parse: (saved) => (Array.isArray(saved) ? saved.filter((id) => typeof id === "string") : null),
};
const readBusy = (userId: string) => savedEntries().read(busyProjects, userId);

/** Reports one project's runs, and whether one of the person's own is open. */
function ProjectNotices({
  projectId,
  isOpen,
  title,
  onBusy,
}: {
  projectId: string;
  isOpen: boolean;
  title: ReturnType<typeof createTitleNotice>;
  onBusy: (projectId: string, isBusy: boolean) => void;
}) {
  const { user, setProject } = useSession();
  const { id: userId, defaults } = user;
  const navigate = useNavigate();
  // The frame watches the open project.
  useProjectFeed(isOpen ? undefined : projectId);
  const runs = useQuery(openRunsQuery(projectId)).data?.runs;
  const [watch] = useState(() =>
    createNoticeWatch(userId, (id) =>
      // Bypasses the query cache, because a change of the run during the request would cancel it.
      call("getRun", { params: { runId: id } }).then(
        ({ run }) => run,
        () => undefined,
      ),
    ),
  );
  const show = useEffectEvent(async (run: Run) => {
    window.focus();
    const place = await call("getRun", { params: { runId: run.id } }).then(
      ({ conversation }) => conversation,
      () => null,
    );
    setProject(projectId);
    await navigate(targetOf(run, place));
  });
  useEffect(() => {
    if (!runs) return;
    const isVisible = () => document.visibilityState === "visible";
    const isSeen = () => isOpen && isVisible();
    const tell = async ({ run, why }: Notice) => {
      // The person returned while the request was pending.
      if (isSeen()) return;
      const text = t("notices.text", {
        what: why === "waits" ? t("notices.waits") : runStateText(run.state),
        title: cut(titleOf(run)),
      });
      // A tab in view keeps its own title.
      if (!isVisible()) title.show(text);
      if (
        !hasNoticesOn({ id: userId, defaults }) ||
        readNoticePermission() !== "granted" ||
        (await isProjectSeen(projectId))
      )
        return;
      // The tag merges the notifications of a browser's tabs, and those of a batch, a conversation
      // or a round of tools.
      const subject = run.batchId ?? conversationOf(run) ?? run.messageId ?? run.id;
      try {
        const notification = new Notification(text, { tag: `${subject} ${why}`, silent: true });
        notification.onclick = () => {
          notification.close();
          void show(run);
        };
      } catch {
        saveNoticesMissing(userId);
      }
    };
    let isLatest = true;
    void watch.see(runs, isSeen()).then((notices) => {
      for (const notice of notices) void tell(notice);
      // This look may have waited for runs that ended, while another run began.
      if (isLatest)
        onBusy(
          projectId,
          runs.some((run) => run.userId === userId),
        );
    });
    return () => {
      isLatest = false;
    };
  }, [runs, watch, title, userId, defaults, projectId, isOpen, onBusy]);
  return null;
}

const cut = (title: string): string =>
  title.length > maxTitle ? `${title.slice(0, maxTitle)}…` : title;
