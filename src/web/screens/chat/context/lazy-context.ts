import { loadArea, loadLaterTexts } from "../../../messages/areas.ts";
import { lazyPart } from "../../../ui/lazy-part.ts";

/** The context meter and its line load at first use, with their messages. */
const loadTexts = () => Promise.all([loadArea("context"), loadLaterTexts()]);
const loadLine = async () => {
  const [line] = await Promise.all([import("./context-line.tsx"), loadTexts()]);
  return line;
};

export const ContextLine = lazyPart(() => loadLine().then(({ ContextLine }) => ContextLine));
export const PendingSummary = lazyPart(() =>
  loadLine().then(({ PendingSummary }) => PendingSummary),
);
export const loadContextMeter = async () => {
  const [{ ContextMeter }] = await Promise.all([import("./context-meter.tsx"), loadTexts()]);
  return ContextMeter;
};
export const ContextMeter = lazyPart(loadContextMeter);
