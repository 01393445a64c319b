import { Link } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import styles from "./screen.module.css";

/** From one thing back to the list it is in, whose filters stay. On a phone there is room for the arrow alone. */
export function BackLink({ to, label }: { to: "/activity" | "/library"; label: string }) {
  return (
    <Link to={to} search={(search) => search} className={styles.back}>
      <ArrowLeft aria-hidden />
      <span>{label}</span>
    </Link>
  );
}
