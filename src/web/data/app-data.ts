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
import { keys } from "./keys.ts";
import { live } from "./live/live.ts";
import { useProjectFeed } from "./project-feed.ts";
import { instanceQuery } from "./queries/shared.queries.ts";
import { savedEntries } from "./saved/saved-entries.ts";
import { removeFiles } from "./saved/saved-files.ts";
import { useStoredOf } from "./saved/use-stored.ts";
import type { RunningRun, SessionState, ShellData } from "./shell-data.ts";

/** The signed-in person and their projects; null if nobody is signed in. */
export const meQuery = queryOptions({
  queryKey: keys.me(),
  queryFn: async ({ signal }) => {
    const { me } = await call("getSession", { signal });
    if (!me) return null;
    // Set before any screen renders: dates and numbers use the person's region, and drafts are
    // saved under the person's id.
    setRegion({ locale: me.user.locale, timeZone: me.user.timeZone });
    savedEntries().open(me.user.id);
    return me;
  },
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** A project's runs that aren't over, for the running pill and the attention count. */
export const openRunsQuery = (projectId: string) =>
  queryOptions({
    queryKey: keys.runs(projectId, "open"),
    queryFn: ({ signal }) =>
      call("listRuns", { query: { projectId, state: "open", limit: 100 }, signal }),
    enabled: projectId !== "",
    placeholderData: keepPreviousData,
  });

/** The frame's data from the server. */
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
  // A live canvas's prompt changes while it is open, and the run stores only the first one.
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

/**
 * Removes a person's drafts and cached answers from the device, because browsers honor
 * Clear-Site-Data only over HTTPS.
 */
export async function clearDevice(queryClient: QueryClient, userId: string): Promise<void> {
  live().end();
  savedEntries().close(userId);
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
      await clearDevice(queryClient, userId);
      location.assign("/login");
    },
  });
  const [projectId, setProject] = useStoredOf(me.data?.user.id ?? "", "project", "");
  // A failed refetch, for example during a server restart, keeps the screen.
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
