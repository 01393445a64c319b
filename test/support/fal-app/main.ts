import { type FalClient, fal } from "@fal-ai/client";

declare global {
  interface Window {
    fal: FalClient;
  }
}

const settings = JSON.parse(document.querySelector("#settings")?.textContent ?? "{}") as {
  proxyUrl: string;
  credentials?: string;
};
fal.config(settings);
window.fal = fal;
