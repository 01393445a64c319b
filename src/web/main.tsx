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

// What can't succeed the second time ("not yours to see") is said at once.
const retry = (tries: number, error: Error) => tries < 2 && describeError(error).retryable;
// A server on this machine or in this house answers without the network that the browser misses.
const networkMode = "always";
const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 15_000, retry, networkMode, refetchOnReconnect: true },
    mutations: { networkMode },
  },
});
// public/browser-check.js has said there that the browser is too old.
if (!root.hasAttribute("data-too-old"))
  createRoot(root).render(
    <StrictMode>
      <App router={createAppRouter()} queryClient={queryClient} />
    </StrictMode>,
  );
