import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { InsecureConnectionNotice } from "../../components/account/insecure-connection-notice.tsx";
import { isProblem } from "../../data/client.ts";
import { inviteQuery } from "../../data/queries/join.queries.ts";
import { BarePage } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { JoinForm } from "./join-form.tsx";

/** A one-time link, for a new account or a new password. */
export function JoinScreen() {
  const { token = "" } = useParams({ strict: false });
  const invite = useQuery(inviteQuery(token));
  if (isProblem(invite.error, "not_found")) return <GonePage />;
  if (invite.error) {
    return (
      <BarePage title={t("join.title")}>
        <ErrorState compact error={invite.error} onRetry={() => void invite.refetch()} />
      </BarePage>
    );
  }
  if (!invite.data) {
    return (
      <BarePage title={t("join.title")}>
        <div role="status" aria-busy="true" aria-label={t("ui.loading")}>
          <SkeletonText lines={4} />
        </div>
      </BarePage>
    );
  }
  const { kind, email, name, projectNames } = invite.data;
  const isJoin = kind === "join";
  const title = t(isJoin ? "join.title" : "join.password.title");
  const intro = isJoin
    ? projectNames.length === 0
      ? t("join.intro", { email })
      : t("join.intro.projects", {
          email,
          count: projectNames.length,
          projects: projectNames.join(", "),
        })
    : t("join.password.intro", { name: name ?? email, email });
  return (
    <BarePage title={title} intro={intro}>
      <JoinForm token={token} kind={kind} email={email} />
      <InsecureConnectionNotice />
    </BarePage>
  );
}

function GonePage() {
  return (
    <BarePage title={t("join.gone")} intro={t("join.gone.text")}>
      <Link to="/login" className={buttonClass({ size: "large" })}>
        {t("join.signIn")}
      </Link>
    </BarePage>
  );
}
