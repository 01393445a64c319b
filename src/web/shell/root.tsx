import { Navigate, Outlet, useLocation, useMatches } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type ScreenFacts, screens } from "#contract/screens.ts";
import { ErrorState } from "../ui/error-state.tsx";
import styles from "./app-shell.module.css";
import { AppShell, BlankShell } from "./app-shell.tsx";
import { safeNext } from "./next-path.ts";
import { NotFoundScreen } from "./not-found-screen.tsx";
import { isAdmin, useShellData } from "./shell-data.ts";

/** The screen of the present address, or undefined where there is none. */
function useScreenFacts(): ScreenFacts | undefined {
  const name = useMatches().at(-1)?.staticData.screen;
  return name && screens[name];
}

/** Decides by who is here what the address may show: the screen in its frame, the sign-in, the set-up. */
export function Root() {
  const facts = useScreenFacts();
  const { session } = useShellData();
  const { href, pathname, search } = useLocation();
  const isOpen = facts?.audience === "anyone";
  if (session.status === "loading") return isOpen ? null : <BlankShell />;
  if (session.status === "failed") return <Failed error={session.error} retry={session.retry} />;
  if (session.status === "signed-out") {
    if (!session.isSetUp && pathname !== "/setup") return <Navigate to="/setup" replace />;
    if (isOpen) return <Outlet />;
    return <Navigate to="/login" search={{ next: href }} replace />;
  }
  if (isOpen) {
    if (pathname === "/login") return <Navigate to="." href={safeNext(search.next, location.origin)} replace />;
    return pathname === "/setup" ? <Navigate to="/" replace /> : <Outlet />;
  }
  const isAllowed = facts?.audience !== "admins" || isAdmin(session.session.user);
  return <AppShell>{isAllowed ? <Outlet /> : <NotFoundScreen />}</AppShell>;
}

function Failed({ error, retry }: { error: unknown; retry: () => void }): ReactNode {
  return (
    <main className={styles.app}>
      <ErrorState error={error} onRetry={retry} />
    </main>
  );
}
