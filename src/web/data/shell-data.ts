import { createContext, useContext } from "react";
import type { Project, User } from "#contract/entities.ts";
import type { Task } from "#contract/tasks.ts";

export type ShellUser = Pick<
  User,
  "id" | "name" | "email" | "image" | "role" | "timeZone" | "defaults"
>;
export type ShellProject = Pick<Project, "id" | "name" | "role" | "archivedAt">;

/** The signed-in person and their current project. */
export type Session = {
  user: ShellUser;
  /** Never empty: each person has a personal project. */
  projects: readonly ShellProject[];
  /** One of `projects`. */
  currentProjectId: string;
  setProject: (projectId: string) => void;
  signOut: () => void;
};

export type SessionState =
  | { status: "loading" }
  | { status: "failed"; error: unknown; retry: () => void }
  /** `isSetUp` is false until the instance has its owner. */
  | { status: "signed-out"; isSetUp: boolean }
  | { status: "signed-in"; session: Session };

/** A run that isn't over, as the pill lists it. */
export type RunningRun = {
  id: string;
  /** The beginning of the prompt, or the conversation's title. */
  title: string;
  modelName: string;
  task: Task;
  /** From 0 to 1; null if the provider doesn't report progress. */
  progress: number | null;
  /** 1 is next; null if the run isn't queued or its place isn't known. */
  queuePlace: number | null;
  /** Spent or reserved so far, in micro-dollars; null if the price isn't known. */
  micros: number | null;
};

/** The data of the frame around the screens. */
export type ShellData = {
  session: SessionState;
  running: readonly RunningRun[];
  /** How many items need the person; shown as a dot at Activity. */
  attention: number;
  /** The live connection is down and reconnecting. */
  isOffline: boolean;
};

const ShellDataContext = createContext<ShellData | null>(null);
export const ShellDataProvider = ShellDataContext.Provider;

export function useShellData(): ShellData {
  const data = useContext(ShellDataContext);
  if (!data) throw new Error("useShellData needs a ShellDataProvider around it.");
  return data;
}

/** The signed-in person and their projects. Throws outside the shell. */
export function useSession(): Session & { project: ShellProject } {
  const { session: state } = useShellData();
  if (state.status !== "signed-in") throw new Error("useSession needs a signed-in person.");
  const { session } = state;
  const project =
    session.projects.find(({ id }) => id === session.currentProjectId) ?? session.projects[0];
  if (!project) throw new Error("A person without a project.");
  return { ...session, project };
}

/** The signed-in person's id, for per-person storage; empty if nobody is signed in. */
export function usePersonId(): string {
  const { session } = useShellData();
  return session.status === "signed-in" ? session.session.user.id : "";
}

export const isAdmin = (user: Pick<ShellUser, "role">): boolean =>
  user.role === "owner" || user.role === "admin";
