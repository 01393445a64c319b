import { lazyPart } from "../../../ui/lazy-part.ts";
import { PopupPart } from "../../../ui/part.tsx";
import type { RenameDialogProps } from "./rename-dialog.tsx";

const RenameDialog = lazyPart(() =>
  import("./rename-dialog.tsx").then(({ RenameDialog }) => RenameDialog),
);

/** The rename dialog, loaded when it is opened. */
export function Rename(props: RenameDialogProps) {
  return (
    <PopupPart open onClose={props.onClose}>
      <RenameDialog key={props.conversation.id} {...props} />
    </PopupPart>
  );
}
