import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { Run } from "#contract/entities.ts";
import { runStateText } from "#contract/run-states.ts";
import { openRunsQuery } from "../../data/app-data.ts";
import { call } from "../../data/client.ts";
import { conversationOf } from "../../data/queries/activity.queries.ts";
import { type ShellUser, useSession } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";
import { titleOf } from "../run/run-facts.ts";
import { hasNoticesOn, saveNoticesMissing } from "./notice-choice.ts";
import { targetOf } from "./target-of-run.ts";
import { holdVisibleTabLock, isAnyTabVisible, readNoticePermission } from "./visible-tab.ts";
import { createNoticeWatch, createTitleNotice, type Notice } from "./watch-runs.ts";

const maxTitle = 80;

/**
 * Reports finished work to a person who looks elsewhere: in the tab's title, and as a notification
 * if they enabled those.
 */
export function Notices() {
  const { user, project } = useSession();
  return <ProjectNotices key={project.id} user={user} projectId={project.id} />;
}

function ProjectNotices({ user, projectId }: { user: ShellUser; projectId: string }) {
  const { id: userId, defaults } = user;
  const navigate = useNavigate();
  const { data, isPlaceholderData } = useQuery(openRunsQuery(projectId));
  const runs = isPlaceholderData ? undefined : data?.runs;
  const [watch] = useState(() =>
    createNoticeWatch(userId, (id) =>
      // Bypasses the query cache, because a change of the run during the request would cancel it.
      call("getRun", { params: { runId: id } }).then(
        ({ run }) => run,
        () => undefined,
      ),
    ),
  );
  const [title] = useState(() => createTitleNotice(document));
  useEffect(holdVisibleTabLock, []);
  useEffect(() => {
    const onChange = () => {
      if (document.visibilityState === "visible") title.clear();
    };
    document.addEventListener("visibilitychange", onChange);
    return () => document.removeEventListener("visibilitychange", onChange);
  }, [title]);
  useEffect(() => {
    if (!runs) return;
    const open = async (run: Run) => {
      window.focus();
      const place = await call("getRun", { params: { runId: run.id } }).then(
        ({ conversation }) => conversation,
        () => null,
      );
      await navigate(targetOf(run, place));
    };
    const tell = async ({ run, why }: Notice) => {
      // The person returned while the request was pending.
      if (document.visibilityState === "visible") return;
      const text = t("notices.text", {
        what: why === "waits" ? t("notices.waits") : runStateText(run.state),
        title: cut(titleOf(run)),
      });
      title.show(text);
      if (
        !hasNoticesOn({ id: userId, defaults }) ||
        readNoticePermission() !== "granted" ||
        (await isAnyTabVisible())
      )
        return;
      // The tag merges the notifications of a browser's tabs, and those of a batch, a conversation
      // or a round of tools.
      const subject = run.batchId ?? conversationOf(run) ?? run.messageId ?? run.id;
      try {
        const notification = new Notification(text, { tag: `${subject} ${why}`, silent: true });
        notification.onclick = () => {
          notification.close();
          void open(run);
        };
      } catch {
        saveNoticesMissing(userId);
      }
    };
    void watch.see(runs, document.visibilityState === "visible").then((notices) => {
      for (const notice of notices) void tell(notice);
    });
  }, [runs, watch, title, userId, defaults, navigate]);
  return null;
}

const cut = (title: string): string =>
  title.length > maxTitle ? `${title.slice(0, maxTitle)}…` : title;
