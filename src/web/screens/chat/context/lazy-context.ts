import { lazy } from "react";
import { loadArea } from "../../../messages/areas.ts";

/** What says, and lets one choose, what of a long conversation is sent: it comes at its first use, with its texts. */
const loadTexts = () => loadArea("context");
const loadLine = async () => {
  const [line] = await Promise.all([import("./context-line.tsx"), loadTexts()]);
  return line;
};

export const ContextLine = lazy(() =>
  loadLine().then(({ ContextLine }) => ({ default: ContextLine })),
);
export const ComingSummary = lazy(() =>
  loadLine().then(({ ComingSummary }) => ({ default: ComingSummary })),
);
export const loadContextMeter = async () => {
  const [{ ContextMeter }] = await Promise.all([import("./context-meter.tsx"), loadTexts()]);
  return { default: ContextMeter };
};
export const ContextMeter = lazy(loadContextMeter);
