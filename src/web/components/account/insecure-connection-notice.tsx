import { useQuery } from "@tanstack/react-query";
import { LockOpen } from "lucide-react";
import { instanceQuery } from "../../data/queries/shared.queries.ts";
import { t } from "../../messages/t.ts";
import styles from "./account.module.css";

/**
 * Whether the browser runs on the server's machine, so that nobody can intercept the connection.
 */
const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" ||
  hostname.endsWith(".localhost") ||
  hostname === "[::1]" ||
  /^127(\.\d{1,3}){3}$/.test(hostname);

/** Warns under a password form if the connection is unencrypted and leaves the machine. */
export function InsecureConnectionNotice() {
  const { data } = useQuery(instanceQuery);
  if (!data || data.encrypted || isLoopback(location.hostname)) return null;
  return (
    <p className={styles.notice}>
      <LockOpen aria-hidden />
      {t("account.line.open")}
    </p>
  );
}
