import { Link } from "@tanstack/react-router";
import { GitFork } from "lucide-react";
import type { OpenedConversation } from "../../../data/queries/conversation.queries.ts";
import { t } from "../../../messages/t.ts";
import contextStyles from "../context/context.module.css";
import styles from "./branch.module.css";

/** The line after the messages that a fork shares with its source. */
export function ForkedLine({
  source,
}: Pick<NonNullable<OpenedConversation["forkedFrom"]>, "source">) {
  return (
    <p className={contextStyles.line}>
      <span className={contextStyles.lineWords}>
        <GitFork aria-hidden />
        <span>
          {source ? (
            <Link
              to="/chat/$id"
              params={{ id: source.conversationId }}
              search={{ message: source.messageId }}
              className={styles.source}
            >
              {t("chat.forked", { title: source.title || t("chat.untitled") })}
            </Link>
          ) : (
            t("chat.forked.elsewhere")
          )}
          {". "}
          {t("chat.forked.paid")}
        </span>
      </span>
    </p>
  );
}
