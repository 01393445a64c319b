import { Navigate, Outlet, useLocation, useMatches, useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { type ScreenFacts, screens } from "#contract/screens.ts";
import { followAppearance } from "../data/saved/appearance.ts";
import { isAdmin, useShellData } from "../data/shell-data.ts";
import { NotFoundScreen } from "../frame/not-found-screen.tsx";
import { ErrorState } from "../ui/display/error-state.tsx";
import styles from "./app-shell.module.css";
import { AppShell, BlankShell } from "./app-shell.tsx";
import { safeNext } from "./next-path.ts";

/**
 * The address's screen, and the one that the outlet shows, which lags behind while code loads.
 * Treating the two as one would judge a redirect by the old screen and cause a redirect loop.
 */
function useScreens(): { wanted?: ScreenFacts; shown?: ScreenFacts } {
  const router = useRouter();
  const { pathname } = useLocation();
  const shown = useMatches().at(-1)?.staticData.screen;
  const wanted = router.getMatchedRoutes(pathname)[2]?.options.staticData?.screen;
  return { wanted: wanted && screens[wanted], shown: shown && screens[shown] };
}

/**
 * Decides by the session what the address may show: the screen in its frame, the sign-in, or the
 * setup.
 */
export function Root() {
  const { wanted, shown } = useScreens();
  const { session } = useShellData();
  useEffect(followAppearance, []);
  const { href, pathname, search } = useLocation();
  const isOpen = wanted?.audience === "anyone";
  const openScreen = shown?.audience === "anyone" ? <Outlet /> : null;
  if (session.status === "loading") return isOpen ? null : <BlankShell />;
  if (session.status === "failed") return <Failed error={session.error} retry={session.retry} />;
  if (session.status === "signed-out") {
    if (!session.isSetUp && pathname !== "/setup") return <Navigate to="/setup" replace />;
    return isOpen ? openScreen : <Navigate to="/login" search={{ next: href }} replace />;
  }
  if (pathname === "/login")
    return <Navigate to="." href={safeNext(search.next, location.origin)} replace />;
  if (pathname === "/setup") return <Navigate to="/" replace />;
  if (isOpen) return openScreen;
  const isAllowed = wanted?.audience !== "admins" || isAdmin(session.session.user);
  return <AppShell>{isAllowed ? <Outlet /> : <NotFoundScreen />}</AppShell>;
}

function Failed({ error, retry }: { error: unknown; retry: () => void }): ReactNode {
  return (
    <main className={styles.app}>
      <ErrorState error={error} onRetry={retry} />
    </main>
  );
}
