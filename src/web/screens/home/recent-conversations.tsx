import { Link } from "@tanstack/react-router";
import { MessageCircle } from "lucide-react";
import type { Conversation } from "#contract/entities.ts";
import { t } from "../../messages/t.ts";
import { Time } from "../../ui/display/time.tsx";
import styles from "./home.module.css";

/** The latest conversations. */
export function RecentConversations({ conversations }: { conversations: readonly Conversation[] }) {
  if (conversations.length === 0) return null;
  return (
    <section className={styles.section}>
      <h2 className={styles.title}>
        {t("home.talks")}
        <Link to="/chat">{t("home.talks.all")}</Link>
      </h2>
      <ul className={styles.talks}>
        {conversations.map(({ id, title, updatedAt }) => (
          <li key={id}>
            <Link to="/chat/$id" params={{ id }} className={styles.talk}>
              <MessageCircle aria-hidden />
              <span className={styles.talkTitle}>{title || t("home.talks.untitled")}</span>
              <Time at={updatedAt} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
