import { type RefObject, useRef } from "react";
import { t } from "../messages/t.ts";
import { Button, type ButtonProps } from "../ui/controls/button.tsx";
import { type Command, useCommands } from "./commands.tsx";

/** Offers acts of the screen, grouped under one heading. */
export const useActions = (acts: readonly Omit<Command, "group">[]): void =>
  useCommands(acts.map((act) => ({ ...act, group: t("shell.palette.here") })));

type ActionButtonProps = Omit<ButtonProps, "children" | "onClick"> & {
  /** Unique on the page: "keys.add". */
  action: string;
  /** The palette's title for the act, if several buttons have the same text. */
  actionTitle?: string;
  shortcut?: string;
  onClick: () => void;
  children: string;
};

/**
 * A button whose act is also in the palette, with the same text or its own title. While the button
 * is disabled, the act isn't offered.
 */
export function ActionButton({
  action,
  actionTitle,
  shortcut,
  onClick,
  ...button
}: ActionButtonProps) {
  const isOffered = !button.disabled && !button.busy;
  useActions(
    isOffered
      ? [
          {
            id: action,
            title: actionTitle ?? button.children,
            icon: button.icon,
            shortcut,
            run: onClick,
          },
        ]
      : [],
  );
  return <Button {...button} onClick={onClick} />;
}

/**
 * Offers an act for a link or a field of the screen, which the act clicks or focuses. Spread `at`
 * onto the element.
 */
export function useElementAction<Target extends HTMLElement>(
  act: Omit<Command, "group" | "run">,
  does: "click" | "focus" = "click",
): RefObject<Target | null> {
  const at = useRef<Target>(null);
  useActions([{ ...act, run: () => at.current?.[does]() }]);
  return at;
}
