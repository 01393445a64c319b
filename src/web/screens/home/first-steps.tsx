import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Image, type LucideIcon, MessageCircle, Plug } from "lucide-react";
import type { ReactNode } from "react";
import type { ModelRef } from "#contract/entities.ts";
import { toModelRef } from "../../data/model-ref.ts";
import { chatModelsQuery } from "../../data/queries/chat.queries.ts";
import { makeRuns } from "../../data/queries/create.queries.ts";
import { modelsQuery } from "../../data/queries/models.queries.ts";
import { connectionsQuery } from "../../data/queries/shared.queries.ts";
import { isAdmin, useSession } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";
import { Button, buttonClass } from "../../ui/controls/button.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { NoticeCard } from "../../ui/display/notice-card.tsx";
import styles from "./home.module.css";
import { useStartConversation } from "./use-start-conversation.ts";

/** First steps on a new instance, each done with one click. */
export function FirstSteps({ onMade }: { onMade: (batchId: string) => void }) {
  const { project } = useSession();
  const chat = useQuery(chatModelsQuery(project.id, ""));
  const image = useInfiniteQuery(modelsQuery(project.id, { task: "image" }));
  // Shown together, because a later step would push another away from under the pointer.
  if (chat.isPending || image.isPending) return null;
  return (
    <section className={styles.section}>
      <h2 className={styles.title}>{t("home.first")}</h2>
      <div className={styles.steps}>
        <AskStep />
        <MakeStep onMade={onMade} />
        <ConnectStep />
      </div>
    </section>
  );
}

/**
 * Whether the person may add a connection; without personal connections, a member can only ask for
 * one.
 */
function useMayConnect(): boolean {
  const { user } = useSession();
  return useQuery(connectionsQuery).data?.mayAdd !== false || isAdmin(user);
}
const connectText = (mayConnect: boolean) =>
  t(mayConnect ? "home.first.connect.text" : "home.first.connect.closed");

function ConnectStep() {
  const mayConnect = useMayConnect();
  return (
    <Step icon={Plug} title={t("home.first.connect")} text={connectText(mayConnect)}>
      {mayConnect && <ConnectLink />}
    </Step>
  );
}

/** A link for connecting a service's model, shown until one is connected. */
export function ConnectLine() {
  const mayConnect = useMayConnect();
  return (
    <section className={styles.needs} aria-label={t("home.first.connect")}>
      <Plug aria-hidden />
      <p>
        <strong>{t("home.first.connect.line")}</strong> {connectText(mayConnect)}
      </p>
      {mayConnect && <ConnectLink size="small" />}
    </section>
  );
}

function ConnectLink({ size }: { size?: "small" }) {
  const { user } = useSession();
  return (
    <Link
      to={isAdmin(user) ? "/admin/$section" : "/settings/$section"}
      params={{ section: "connections" }}
      search={{ add: "" }}
      className={buttonClass({ size })}
    >
      {t("home.first.connect.do")}
    </Link>
  );
}

function Step({
  icon: Icon,
  title,
  text,
  children,
}: {
  icon: LucideIcon;
  title: string;
  text: string;
  children: ReactNode;
}) {
  return (
    <NoticeCard icon={Icon} title={title} text={text} isStretched>
      {children}
    </NoticeCard>
  );
}

function AskStep() {
  const { project } = useSession();
  const begin = useStartConversation();
  const { data } = useQuery(chatModelsQuery(project.id, ""));
  const guide = data?.models.find(({ connectionKind }) => connectionKind === "builtin");
  if (!guide) return null;
  const model = toModelRef(guide);
  const start = () =>
    begin.mutate({
      projectId: project.id,
      model,
      text: t("home.first.question"),
      attachments: [],
    });
  return (
    <Step icon={MessageCircle} title={t("home.first.ask")} text={t("home.first.ask.text")}>
      <Button busy={begin.isPending} onClick={start}>
        {t("home.first.ask.do")}
      </Button>
      {begin.error && <ErrorState compact error={begin.error} />}
    </Step>
  );
}

function MakeStep({ onMade }: { onMade: (batchId: string) => void }) {
  const { project } = useSession();
  const queryClient = useQueryClient();
  const { data } = useInfiniteQuery(modelsQuery(project.id, { task: "image" }));
  // Always the free model, so that nobody pays for a first step without having seen a price.
  const model = data?.pages[0]?.models.find(({ connectionKind }) => connectionKind === "builtin");
  const start = useMutation({
    mutationFn: (ref: ModelRef) =>
      makeRuns(queryClient, {
        projectId: project.id,
        models: [toModelRef(ref)],
        task: "image",
        input: { prompt: t("home.first.prompt") },
        variants: 1,
      }),
    onSuccess: ({ batch }) => onMade(batch.id),
  });
  if (!model) return null;
  return (
    <Step icon={Image} title={t("home.first.make")} text={t("home.first.make.text")}>
      <Button busy={start.isPending} onClick={() => start.mutate(model)}>
        {t("home.first.make.do")}
      </Button>
      {start.error && <ErrorState compact error={start.error} />}
    </Step>
  );
}
