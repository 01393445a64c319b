import { useNavigate, useRouter, useSearch } from "@tanstack/react-router";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** This history entry opened the editor, so going back closes it. */
    openedEditor?: boolean;
  }
}

/**
 * The picture that the address opens in the editor: ?editing=<id>, over every screen and over the
 * viewer.
 */
export function useEditedId(): string | undefined {
  return useSearch({ strict: false }).editing;
}

/** Opens and closes the editor. The screen below stays unchanged. */
export function useEditorAddress() {
  const navigate = useNavigate();
  const router = useRouter();
  return {
    open: (assetId: string) =>
      void navigate({
        to: ".",
        search: (before) => ({ ...before, editing: assetId }),
        resetScroll: false,
        hash: true,
        state: (before) => ({ ...before, openedEditor: true }),
      }),
    close: () => {
      if (router.latestLocation.state.openedEditor) return router.history.back();
      void navigate({
        to: ".",
        search: ({ editing: _, ...before }) => before,
        replace: true,
        resetScroll: false,
        hash: true,
      });
    },
  };
}
