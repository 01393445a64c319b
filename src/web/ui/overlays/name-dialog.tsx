import { lazyPart } from "../lazy-part.ts";
import { PopupPart } from "../part.tsx";
import type { NameDialogProps } from "./name-popup.tsx";

export type { Naming } from "./name-popup.tsx";

const NamePopup = lazyPart(() => import("./name-popup.tsx").then(({ NamePopup }) => NamePopup));

/** Asks for a name. Its code loads when it opens. */
export function NameDialog(props: NameDialogProps) {
  return (
    <PopupPart open onClose={props.onClose}>
      <NamePopup {...props} />
    </PopupPart>
  );
}
