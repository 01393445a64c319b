import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import type { Run } from "#contract/entities.ts";
import { tasks } from "#contract/tasks.ts";
import { setRegion } from "../messages/region.ts";
import { call } from "./client.ts";
import { kept } from "./kept/kept.ts";
import { removeFiles } from "./kept/kept-files.ts";
import { useStoredOf } from "./kept/use-stored.ts";
import { keys } from "./keys.ts";
import { live } from "./live.ts";
import { useProjectFeed } from "./project-feed.ts";
import { instanceQuery } from "./queries/shared.queries.ts";
import type { RunningRun, SessionState, ShellData } from "./shell-data.ts";

/** Who is signed in, with their projects; null when nobody is. */
export const meQuery = queryOptions({
  queryKey: keys.me(),
  queryFn: async ({ signal }) => {
    const { me } = await call("getSession", { signal });
    if (!me) return null;
    // Before anything of theirs is drawn: every date and number is written their way, and what they type is saved as theirs.
    setRegion({ locale: me.user.locale, timeZone: me.user.timeZone });
    kept().open(me.user.id);
    return me;
  },
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** Runs of a project that are not over: the pill, and what needs the person. */
export const openRunsQuery = (projectId: string) =>
  queryOptions({
    queryKey: keys.runs(projectId, "open"),
    queryFn: ({ signal }) =>
      call("listRuns", { query: { projectId, state: "open", limit: 100 }, signal }),
    enabled: projectId !== "",
    placeholderData: keepPreviousData,
  });

/** What the frame shows, from the server. */
export function useAppData(): ShellData {
  const session = useSessionState();
  const projectId = session.status === "signed-in" ? session.session.currentProjectId : "";
  useProjectFeed(projectId || undefined);
  const runs = useQuery(openRunsQuery(projectId)).data?.runs ?? [];
  const isOffline = useSyncExternalStore(
    (listener) => live().status.subscribe(listener),
    () => live().status.isDown(),
  );
  const needing = runs.filter((run) => run.state === "unconfirmed" || run.waitingFor !== null);
  return {
    session,
    running: runs.filter((run) => !needing.includes(run)).map(toRunning),
    attention: needing.length,
    isOffline: projectId !== "" && isOffline,
  };
}

function toRunning(run: Run): RunningRun {
  // The words of a live canvas change while it is drawn on: the run holds those of its first moment.
  const prompt =
    run.task === "live"
      ? undefined
      : [run.input.prompt, run.input.text].find((value) => typeof value === "string");
  return {
    id: run.id,
    title: prompt || tasks[run.task].name,
    modelName: run.modelId,
    task: run.task,
    progress:
      run.progress && run.progress.total > 0 ? run.progress.done / run.progress.total : null,
    queuePlace: run.queuePlace,
    micros: run.costMicros ?? (run.heldMicros > 0 ? run.heldMicros : run.isFree ? 0 : null),
  };
}

/** Removes a person's drafts and cached answers from the device: browsers heed Clear-Site-Data over HTTPS alone. */
export async function leaveDevice(queryClient: QueryClient, userId: string): Promise<void> {
  live().end();
  kept().close(userId);
  await removeFiles(userId);
  queryClient.clear();
}

function useSessionState(): SessionState {
  const queryClient = useQueryClient();
  const me = useQuery(meQuery);
  const instance = useQuery({ ...instanceQuery, enabled: me.data === null });
  const signOut = useMutation({
    mutationFn: (_userId: string) => call("signOut"),
    onSuccess: async (_answer, userId) => {
      await leaveDevice(queryClient, userId);
      location.assign("/login");
    },
  });
  const [projectId, setProject] = useStoredOf(me.data?.user.id ?? "", "project", "");
  // A refetch that fails, as while the server restarts, takes no screen away.
  const failed = [me, instance].find(({ error, data }) => error && data === undefined);
  if (failed) return { status: "failed", error: failed.error, retry: () => void failed.refetch() };
  if (me.data) {
    const { user, projects } = me.data;
    const current = projects.find(({ id }) => id === projectId) ?? projects[0];
    return {
      status: "signed-in",
      session: {
        user,
        projects,
        currentProjectId: current?.id ?? "",
        setProject,
        signOut: () => signOut.mutate(user.id),
      },
    };
  }
  if (me.data === null && instance.data)
    return { status: "signed-out", isSetUp: instance.data.setUp };
  return { status: "loading" };
}
