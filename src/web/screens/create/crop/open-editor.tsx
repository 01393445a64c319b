import { Maximize2 } from "lucide-react";
import { useEditorAddress } from "../../../components/editor/editor-address.ts";
import { t } from "../../../messages/t.ts";
import { Chip } from "../../../ui/controls/chip.tsx";

/** A link to the same tool in the editor. */
export function OpenEditor({ assetId }: { assetId: string }) {
  const editor = useEditorAddress();
  return (
    <div>
      <Chip icon={Maximize2} onClick={() => editor.open(assetId)}>
        {t("create.editor")}
      </Chip>
    </div>
  );
}
