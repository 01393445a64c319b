import { lazyPart } from "../../../ui/lazy-part.ts";
import { PopupPart } from "../../../ui/part.tsx";
import type { ExportDialogProps } from "./export-dialog.tsx";

const ExportDialog = lazyPart(
  () => import("./export-dialog.tsx").then(({ ExportDialog }) => ExportDialog),
  "exports",
);

/** The dialog that exports a conversation, loaded when it is opened. */
export function Export(props: ExportDialogProps) {
  return (
    <PopupPart open onClose={props.onClose}>
      <ExportDialog {...props} />
    </PopupPart>
  );
}
