import { Download, WrapText } from "lucide-react";
import type { Tokens } from "marked";
import { t } from "../../messages/t.ts";
import { CopyButton } from "../../ui/controls/copy-button.tsx";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { codeFileName } from "./code-file-name.ts";
import { download } from "./download.ts";
import { cellsOfTable, toCsv, toTabs } from "./table-text.ts";

type CodeActionsProps = { code: string; language: string; isWrapped: boolean; onWrap: () => void };

export function CodeActions({ code, language, isWrapped, onWrap }: CodeActionsProps) {
  return (
    <>
      <IconButton
        size="small"
        icon={WrapText}
        label={t("blocks.wrap")}
        pressed={isWrapped}
        onClick={onWrap}
      />
      <IconButton
        size="small"
        icon={Download}
        label={t("blocks.download.code")}
        onClick={() => download(`${code}\n`, codeFileName(language), "text/plain")}
      />
    </>
  );
}

export function TableActions({ table }: { table: Tokens.Table }) {
  return (
    <>
      <IconButton
        size="small"
        icon={Download}
        label={t("blocks.download.table")}
        onClick={() => download(toCsv(cellsOfTable(table)), "table.csv", "text/csv")}
      />
      <CopyButton text={() => toTabs(cellsOfTable(table))} label={t("blocks.copy.table")} />
    </>
  );
}
