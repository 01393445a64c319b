import { useQuery } from "@tanstack/react-query";
import { LockOpen } from "lucide-react";
import { instanceQuery } from "../../data/queries/shared.queries.ts";
import { t } from "../../messages/t.ts";
import styles from "./account.module.css";

/** This machine talking to itself: nobody is on the way. */
const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" ||
  hostname.endsWith(".localhost") ||
  hostname === "[::1]" ||
  /^127(\.\d{1,3}){3}$/.test(hostname);

/** Says under a form with a password that the line is not encrypted, where somebody could read along. */
export function LineNotice() {
  const { data } = useQuery(instanceQuery);
  if (!data || data.encrypted || isLoopback(location.hostname)) return null;
  return (
    <p className={styles.notice}>
      <LockOpen aria-hidden />
      {t("account.line.open")}
    </p>
  );
}
