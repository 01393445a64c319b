import { QueryClient } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { isPageHeld } from "./data/page/hold-page.ts";
import { createStalePage, watchLeaving } from "./data/page/stale-page.ts";
import { createAppRouter } from "./router.tsx";
import { describeError } from "./ui/describe-error.ts";
import "./styles/index.css";

const root = document.getElementById("root");
if (!root) throw new Error("The page has no #root.");

const onStalePage = createStalePage({
  storage: sessionStorage,
  now: Date.now,
  isLeaving: watchLeaving(window, Date.now),
  isHeld: isPageHeld,
  isServerThere: () =>
    fetch("/healthz").then(
      ({ ok }) => ok,
      () => false,
    ),
  reload: () => location.reload(),
});
window.addEventListener("vite:preloadError", () => void onStalePage());

// Errors that a retry can't fix, such as missing rights, are shown immediately.
const retry = (tries: number, error: Error) => tries < 2 && describeError(error).retryable;
// A server on this machine or the local network answers even if the browser reports no network.
const networkMode = "always";
const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 15_000, retry, networkMode, refetchOnReconnect: true },
    mutations: { networkMode },
  },
});
// If the browser is too old, public/browser-check.js has already shown a message there.
if (!root.hasAttribute("data-too-old"))
  createRoot(root).render(
    <StrictMode>
      <App router={createAppRouter()} queryClient={queryClient} />
    </StrictMode>,
  );
