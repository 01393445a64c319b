// biome-ignore-all lint/suspicious/noArrayIndexKey: tokens of one lexing never move, so their place is their identity
import type { Tokens } from "marked";
import { t } from "../../messages/t.ts";
import { OptionalPart } from "../../ui/part.tsx";
import { Inline } from "./inline.tsx";
import { TableActions } from "./lazy-actions.ts";
import styles from "./markdown.module.css";

/** A table in its box, with its actions once it is complete. */
export function Table({ table, isOpen }: { table: Tokens.Table; isOpen: boolean }) {
  const alignment = ({ align }: Tokens.TableCell) =>
    align === "right" ? styles.right : align === "center" ? styles.center : undefined;
  return (
    <div className={styles.tableBox}>
      <div className={styles.codeHead}>
        <span>{t("markdown.table")}</span>
        {!isOpen && (
          <span className={styles.acts}>
            <OptionalPart>
              <TableActions table={table} />
            </OptionalPart>
          </span>
        )}
      </div>
      <section
        className={styles.tableScroll}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard
        tabIndex={0}
        aria-label={t("markdown.table")}
      >
        <table className={styles.table}>
          <thead>
            <tr>
              {table.header.map((cell, index) => (
                <th key={index} scope="col" className={alignment(cell)}>
                  <Inline tokens={cell.tokens} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.map((row, line) => (
              <tr key={line}>
                {row.map((cell, index) => (
                  <td key={index} className={alignment(cell)}>
                    <Inline tokens={cell.tokens} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}
