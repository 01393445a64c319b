import { type RefObject, useRef } from "react";
import { t } from "../messages/t.ts";
import { Button, type ButtonProps } from "../ui/controls/button.tsx";
import { type Command, useCommands } from "./commands.tsx";

/** An act of the screen, under one heading with its others. */
export const useActs = (acts: readonly Omit<Command, "group">[]): void =>
  useCommands(acts.map((act) => ({ ...act, group: t("shell.palette.here") })));

type ActButtonProps = Omit<ButtonProps, "children" | "onClick"> & {
  /** Unique among what is on the page: "keys.add". */
  act: string;
  /** What the palette calls it, where it lists more of the same words. */
  actTitle?: string;
  shortcut?: string;
  onClick: () => void;
  children: string;
};

/** A button whose act is in the palette too, by the same words or by its own. While it refuses a press, it is not there. */
export function ActButton({ act, actTitle, shortcut, onClick, ...button }: ActButtonProps) {
  const isOffered = !button.disabled && !button.busy;
  useActs(
    isOffered
      ? [{ id: act, title: actTitle ?? button.children, icon: button.icon, shortcut, run: onClick }]
      : [],
  );
  return <Button {...button} onClick={onClick} />;
}

/** The same for a link or a field of the screen, which the act clicks or focuses. `at` goes onto it. */
export function useElementAct<Target extends HTMLElement>(
  act: Omit<Command, "group" | "run">,
  does: "click" | "focus" = "click",
): RefObject<Target | null> {
  const at = useRef<Target>(null);
  useActs([{ ...act, run: () => at.current?.[does]() }]);
  return at;
}
