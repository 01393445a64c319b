import { CSPProvider } from "@base-ui/react/csp-provider";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useAppData } from "./data/app-data.ts";
import { ShellDataProvider } from "./data/shell-data.ts";
import { CommandProvider } from "./frame/commands.tsx";
import type { AppRouter } from "./router.tsx";
import { ToastProvider } from "./ui/overlays/toast.tsx";
import { TooltipHost } from "./ui/overlays/tooltip.tsx";

/** The app inside its providers. */
export function App({ router, queryClient }: { router: AppRouter; queryClient: QueryClient }) {
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <CommandProvider>
          <ToastProvider>
            <Data router={router} />
            <TooltipHost />
          </ToastProvider>
        </CommandProvider>
      </QueryClientProvider>
    </CSPProvider>
  );
}

function Data({ router }: { router: AppRouter }) {
  return (
    <ShellDataProvider value={useAppData()}>
      <RouterProvider router={router} />
    </ShellDataProvider>
  );
}
