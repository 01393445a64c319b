import { t } from "../../messages/t.ts";
import { SearchField, type SearchFieldProps } from "../controls/text-field.tsx";
import { VisuallyHidden } from "../visually-hidden.tsx";
import styles from "./list.module.css";

type ListSearchProps = Pick<SearchFieldProps, "label" | "value" | "onValueChange" | "ref"> & {
  /** For a search that isn't directly above its list. */
  className?: string;
  /** The number of matching rows; undefined while it isn't known. */
  count: number | undefined;
};

/** The search field of a paged list. The number of matches is announced to screen readers. */
export const ListSearch = ({ count, className = styles.search, ...field }: ListSearchProps) => (
  <>
    <SearchField {...field} className={className} />
    <VisuallyHidden live="polite">
      {field.value.trim() && count !== undefined && t("ui.found", { count })}
    </VisuallyHidden>
  </>
);
