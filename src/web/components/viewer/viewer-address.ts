import { useNavigate, useParams, useRouter, useSearch } from "@tanstack/react-router";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** This history entry opened the viewer, so going back closes it. */
    openedViewer?: boolean;
  }
}

/** Whether a click doesn't ask for a new tab or window. */
export const isPlainClick = (
  event: Pick<MouseEvent, "button" | "metaKey" | "ctrlKey" | "shiftKey" | "altKey">,
): boolean =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;

/**
 * The asset that the address opens: /library/<id> in the library, ?viewing=<id> over every other
 * screen.
 */
export function useViewedId(): string | undefined {
  const { assetId } = useParams({ strict: false });
  const { viewing } = useSearch({ strict: false });
  return assetId ?? viewing;
}

export const isViewing = ({ pathname, search }: { pathname: string; search: object }): boolean =>
  "viewing" in search || /^\/library\/./.test(pathname);

/** Opens, changes and closes the viewer. The screen below stays unchanged. */
export function useViewerAddress() {
  const navigate = useNavigate();
  const router = useRouter();
  const go = (assetId: string, isOpening: boolean) => {
    const step = {
      replace: !isOpening,
      resetScroll: false,
      state: isOpening ? { openedViewer: true } : (true as const),
    };
    if (router.latestLocation.pathname.startsWith("/library"))
      return void navigate({
        ...step,
        to: "/library/$assetId",
        params: { assetId },
        search: (before) => before,
      });
    void navigate({
      ...step,
      to: ".",
      search: (before) => ({ ...before, viewing: assetId }),
      hash: true,
    });
  };
  return {
    /** Within the open viewer this adds no history entry, so that going back once closes it. */
    open: (assetId: string) => go(assetId, !isViewing(router.latestLocation)),
    show: (assetId: string) => {
      go(assetId, false);
      // The router merges changes in one tick, and the next one may add a history entry.
      router.history.flush();
    },
    /** An edit's result replaces the edited picture, in the viewer and in the history. */
    showEdited: (assetId: string) => {
      const search = ({ editing: _, ...before }: { editing?: string }) => before;
      const step = { replace: true, resetScroll: false, hash: true } as const;
      if (router.latestLocation.pathname.startsWith("/library"))
        return void navigate({ ...step, to: "/library/$assetId", params: { assetId }, search });
      void navigate({
        ...step,
        to: ".",
        search: (before) => ({ ...search(before), viewing: assetId }),
        state: { openedViewer: true },
      });
    },
    close: () => {
      const { pathname, state } = router.latestLocation;
      if (state.openedViewer) return router.history.back();
      const step = { replace: true, resetScroll: false };
      if (pathname.startsWith("/library"))
        return void navigate({ ...step, to: "/library", search: (before) => before });
      void navigate({
        ...step,
        to: ".",
        search: ({ viewing: _, ...before }) => before,
        hash: true,
      });
    },
  };
}
