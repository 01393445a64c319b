import { QueryClient } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { createAppRouter } from "./router.tsx";
import "./styles/index.css";

const root = document.getElementById("root");
if (!root) throw new Error("The page has no #root.");

const queryClient = new QueryClient({ defaultOptions: { queries: { staleTime: 15_000 } } });
createRoot(root).render(
  <StrictMode>
    <App router={createAppRouter()} queryClient={queryClient} />
  </StrictMode>,
);
