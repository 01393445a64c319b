import { t } from "../../messages/t.ts";
import { SearchField, type SearchFieldProps } from "../controls/text-field.tsx";
import { VisuallyHidden } from "../visually-hidden.tsx";
import styles from "./list.module.css";

type ListSearchProps = Pick<SearchFieldProps, "label" | "value" | "onValueChange" | "ref"> & {
  /** Where it stands in something else than the flow above its list. */
  className?: string;
  /** How many rows match; undefined while that is not known. */
  count: number | undefined;
};

/** The search of a list that comes in pages. How many rows match is announced, and is otherwise seen. */
export const ListSearch = ({ count, className = styles.search, ...field }: ListSearchProps) => (
  <>
    <SearchField {...field} className={className} />
    <VisuallyHidden live="polite">
      {field.value.trim() && count !== undefined && t("ui.found", { count })}
    </VisuallyHidden>
  </>
);
