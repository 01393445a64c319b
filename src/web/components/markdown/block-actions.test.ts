import type { Tokens } from "marked";
import { expect, it } from "vitest";
import { codeFileName } from "./code-file-name.ts";
import { emptyDocument, readBlocks } from "./read-blocks.ts";
import { cellsOfTable, toCsv, toTabs } from "./table-text.ts";

const tableOf = (markdown: string): Tokens.Table =>
  readBlocks(emptyDocument, markdown, true).blocks[0]?.token as Tokens.Table;

it("a table is downloaded as its text on screen, quoted where CSV needs it", () => {
  const cells = cellsOfTable(
    tableOf(
      '| **Name** | Note |\n|---|---|\n| [Ada](https://a.example), `x` | say "hi" &amp;<br>go |\n| $a^2$ | a \\| b |',
    ),
  );
  expect(toCsv(cells)).toBe('\uFEFFName,Note\r\n"Ada, x","say ""hi"" &\ngo"\r\n$a^2$,a | b\r\n');
  expect(toTabs(cells)).toBe('Name\tNote\nAda, x\tsay "hi" & go\n$a^2$\ta | b');
});

it("no cell of a table becomes a spreadsheet formula, and numbers stay numbers", () => {
  const cells = cellsOfTable(
    tableOf(
      "| a | b | c |\n|---|---|---|\n| =1+1 | @SUM(A1) | -3.5 |\n| +cmd | -x | &#61;HYPERLINK(1) |",
    ),
  );
  expect(toCsv(cells)).toBe("\uFEFFa,b,c\r\n'=1+1,'@SUM(A1),-3.5\r\n'+cmd,'-x,'=HYPERLINK(1)\r\n");
  expect(toTabs(cells).split("\n")[1]).toBe("'=1+1\t'@SUM(A1)\t-3.5");
});

it.each([
  ["python", "code.py"],
  ["TypeScript", "code.ts"],
  ["tsx", "code.tsx"],
  ["c++", "code.cpp"],
  ["dockerfile", "Dockerfile"],
  ["", "code.txt"],
  ["constructor", "code.txt"],
  ["../../etc", "code.txt"],
  ["exe bat", "code.txt"],
])("code in %s is downloaded as %s", (language, name) => {
  expect(codeFileName(language)).toBe(name);
});
