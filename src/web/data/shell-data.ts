import { createContext, useContext } from "react";
import type { Project, User } from "#contract/entities.ts";
import type { Task } from "#contract/tasks.ts";

export type ShellUser = Pick<
  User,
  "id" | "name" | "email" | "image" | "role" | "timeZone" | "defaults"
>;
export type ShellProject = Pick<Project, "id" | "name" | "role" | "archivedAt">;

/** Who is here, and in which project they work. */
export type Session = {
  user: ShellUser;
  /** Never empty: each person has a project of their own. */
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
  /** What it makes: the prompt's beginning, or the conversation's title. */
  title: string;
  modelName: string;
  task: Task;
  /** Done, from 0 to 1; null where the provider doesn't say. */
  progress: number | null;
  /** 1 is next; null when it isn't waiting or the place isn't known. */
  queuePlace: number | null;
  /** Spent or held so far, in micro-dollars; null when the price isn't known. */
  micros: number | null;
};

/** All that the frame around the screens shows. */
export type ShellData = {
  session: SessionState;
  running: readonly RunningRun[];
  /** How many things need the person: the dot at Activity. */
  attention: number;
  /** The live line is down and being called again. */
  isOffline: boolean;
};

const ShellDataContext = createContext<ShellData | null>(null);
export const ShellDataProvider = ShellDataContext.Provider;

export function useShellData(): ShellData {
  const data = useContext(ShellDataContext);
  if (!data) throw new Error("useShellData needs a ShellDataProvider around it.");
  return data;
}

/** The signed-in person and their projects. Only for what stands inside the shell; throws elsewhere. */
export function useSession(): Session & { project: ShellProject } {
  const { session: state } = useShellData();
  if (state.status !== "signed-in") throw new Error("useSession needs a signed-in person.");
  const { session } = state;
  const project =
    session.projects.find(({ id }) => id === session.currentProjectId) ?? session.projects[0];
  if (!project) throw new Error("A person without a project.");
  return { ...session, project };
}

/** The id of who is signed in, for what is saved by person; empty for nobody. */
export function usePersonId(): string {
  const { session } = useShellData();
  return session.status === "signed-in" ? session.session.user.id : "";
}

export const isAdmin = (user: Pick<ShellUser, "role">): boolean =>
  user.role === "owner" || user.role === "admin";
