import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Project, User } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { Route } from "#contract/route.ts";
import { sessionRoutes } from "#contract/routes/session.ts";
import type { SessionState, ShellData } from "./shell/shell-data.ts";
import { useStored } from "./shell/use-stored.ts";

type Me = { user: User; projects: Project[] };

/** Calls one of the session's routes; throws the server's problem body as it came. */
async function call<Answer>({ method, path }: Route): Promise<Answer> {
  const response = await fetch(path, { method, headers: { accept: "application/json" } });
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw body ?? new Problem("unavailable");
  return body as Answer;
}

const isSignedOut = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === "not_signed_in";

/** Null when nobody is signed in. */
const getMe = () =>
  call<Me>(sessionRoutes.getMe).catch((error) => {
    if (isSignedOut(error)) return null;
    throw error;
  });

/** What the frame shows, from the server. */
export function useAppData(): ShellData {
  return { session: useSessionState(), running: [], attention: 0, isOffline: false };
}

function useSessionState(): SessionState {
  const queryClient = useQueryClient();
  const me = useQuery({ queryKey: ["me"], queryFn: getMe, staleTime: Number.POSITIVE_INFINITY, retry: false });
  const instance = useQuery({
    queryKey: ["instance"],
    queryFn: () => call<{ setUp: boolean }>(sessionRoutes.getInstance),
    enabled: me.data === null,
    retry: false,
  });
  const signOut = useMutation({
    mutationFn: () => call<unknown>(sessionRoutes.signOut),
    onSuccess: () => {
      queryClient.clear();
      location.assign("/login");
    },
  });
  const [projectId, setProject] = useStored("project", "");
  const failed = me.error ? me : instance.error ? instance : null;
  if (failed) return { status: "failed", error: failed.error, retry: () => void failed.refetch() };
  if (me.data) {
    const { user, projects } = me.data;
    const current = projects.find(({ id }) => id === projectId) ?? projects[0];
    const session = { user, projects, currentProjectId: current?.id ?? "", setProject, signOut: () => signOut.mutate() };
    return { status: "signed-in", session };
  }
  if (me.data === null && instance.data) return { status: "signed-out", isSetUp: instance.data.setUp };
  return { status: "loading" };
}
