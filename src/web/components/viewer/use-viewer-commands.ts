import type { RefObject } from "react";
import { type Command, useCommands } from "../../frame/commands.tsx";
import { t } from "../../messages/t.ts";
import type { JudgementActions } from "./action-bar.tsx";
import type { StageHandle } from "./stage/stage.tsx";
import type { ViewerAction } from "./use-viewer-actions.ts";

type ViewerCommands = {
  acts: readonly ViewerAction[];
  judge: (JudgementActions & { pickNext: (value: "kept" | "rejected") => void }) | null;
  /** Null for viewers. */
  undo: (() => void) | null;
  flip: (by: -1 | 1) => void;
  toFirst: () => void;
  toLast: () => void;
  toggleFacts: () => void;
  toggleFullScreen: () => void;
  stage: RefObject<StageHandle | null>;
  close: () => void;
};

const step = 1.4;

/** The viewer's shortcuts, listed under "?" and in the palette. */
export function useViewerCommands({ acts, judge, undo, stage, ...viewer }: ViewerCommands): void {
  const group = t("viewer.title");
  const key = (
    shortcut: string,
    title: string,
    run: () => void,
    rest: Partial<Command> = {},
  ): Command => ({
    id: `viewer.${shortcut}`,
    title,
    group,
    shortcut,
    isFoundOnly: true,
    run,
    ...rest,
  });
  useCommands(
    [
      key("left", t("viewer.previous"), () => viewer.flip(-1), { repeats: true }),
      key("right", t("viewer.next"), () => viewer.flip(1), { repeats: true }),
      key("home", t("viewer.first"), viewer.toFirst),
      key("end", t("viewer.last"), viewer.toLast),
      ...(judge
        ? [
            key("p", t("asset.keep"), () => judge.pick("kept"), { isFoundOnly: false }),
            key("x", t("asset.reject"), () => judge.pick("rejected"), { isFoundOnly: false }),
            key("shift+p", t("viewer.keepNext"), () => judge.pickNext("kept")),
            key("shift+x", t("viewer.rejectNext"), () => judge.pickNext("rejected")),
            ...[1, 2, 3, 4, 5].map((stars) =>
              key(String(stars), t("asset.rate", { stars }), () => judge.rate(stars), {
                keywords: [t("asset.rating")],
              }),
            ),
          ]
        : []),
      ...(undo ? [key("u", t("viewer.undo"), undo, { isFoundOnly: false })] : []),
      key("0", t(judge ? "viewer.zero" : "viewer.zoomFit"), () => {
        if (!stage.current?.fit()) judge?.rate(0);
      }),
      ...acts.flatMap((act): Command[] =>
        act.isDisabled
          ? []
          : [
              {
                id: `viewer.act.${act.id}`,
                title: act.price
                  ? t("viewer.act.price", { act: act.label, price: act.price })
                  : act.label,
                group,
                icon: act.icon,
                shortcut: act.shortcut,
                run: act.run,
              },
            ],
      ),
      key("f", t("viewer.fullScreen"), viewer.toggleFullScreen, { isFoundOnly: false }),
      key("i", t("viewer.facts"), viewer.toggleFacts, { isFoundOnly: false }),
      key("+", t("viewer.zoomIn"), () => stage.current?.zoomBy(step), { repeats: true }),
      key("-", t("viewer.zoomOut"), () => stage.current?.zoomBy(1 / step), { repeats: true }),
      key("escape", t("ui.close"), viewer.close),
    ],
    "cover",
  );
}
