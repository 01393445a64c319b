import { Link } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import styles from "./screen.module.css";

/**
 * A link from an object back to its list, which keeps the list's filters. A phone shows only the
 * arrow.
 */
export function BackLink({ to, label }: { to: "/activity" | "/library"; label: string }) {
  return (
    <Link to={to} search={(search) => search} className={styles.back}>
      <ArrowLeft aria-hidden />
      <span>{label}</span>
    </Link>
  );
}
