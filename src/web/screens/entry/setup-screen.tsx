import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { InsecureConnectionNotice } from "../../components/account/insecure-connection-notice.tsx";
import { fieldProblem } from "../../data/field-problem.ts";
import { lookAroundQuery, useSetUp } from "../../data/queries/setup.queries.ts";
import { instanceQuery } from "../../data/queries/shared.queries.ts";
import { useTabDraft } from "../../data/saved/tab-draft.ts";
import { BarePage } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { AccountForm } from "./account-form.tsx";
import { CodeForm } from "./code-form.tsx";
import { readCode } from "./setup-code.ts";

const emptyDraft = { code: "", name: "", email: "", projectName: "" };

/**
 * The first start: a one-time code, the owner's account, and the services found on this machine.
 */
export function SetupScreen() {
  const { data: instance } = useQuery(instanceQuery);
  const [draft, setDraft, clearDraft] = useTabDraft("setup", emptyDraft);
  useCodeFromAddress((code) => setDraft({ code }));
  const [password, setPassword] = useState("");
  const [take, setTake] = useState<readonly string[]>([]);
  const setUp = useSetUp();
  const look = useQuery(lookAroundQuery(draft.code));
  const problem = fieldProblem(setUp.error) ?? fieldProblem(look.error);
  const codeProblem = problem?.field === "code" ? problem.text : null;

  // Set up a moment ago: the form stays until the next screen loads.
  if (instance?.setUp && !setUp.isSuccess) return <AlreadySetUp />;
  if (!setUp.isSuccess && (draft.code === "" || codeProblem !== null)) {
    return (
      <BarePage title={t("setup.title")} intro={t("setup.intro")}>
        <CodeForm
          code={draft.code}
          problem={codeProblem}
          onCode={(code) => {
            setUp.reset();
            if (code === draft.code) void look.refetch();
            setDraft({ code });
          }}
        />
        <InsecureConnectionNotice />
      </BarePage>
    );
  }
  return (
    <BarePage title={t("setup.title")} intro={t("setup.intro")} wide>
      <AccountForm
        {...{ draft, password, take, look, setUp }}
        onDraft={setDraft}
        onPassword={setPassword}
        onTake={setTake}
        onDone={clearDraft}
      />
      <InsecureConnectionNotice />
    </BarePage>
  );
}

/**
 * Reads the code and removes it from the address, so that it doesn't stay in the history or in
 * screenshots.
 */
function useCodeFromAddress(onCode: (code: string) => void): void {
  const { hash } = useLocation();
  const navigate = useNavigate();
  useEffect(() => {
    const code = readCode(hash);
    if (!code) return;
    onCode(code);
    void navigate({ to: "/setup", hash: "", replace: true });
  }, [hash]);
}

function AlreadySetUp() {
  return (
    <BarePage title={t("setup.done")} intro={t("setup.done.text")}>
      <Link to="/login" className={buttonClass({ variant: "primary", size: "large" })}>
        {t("setup.done.signIn")}
      </Link>
    </BarePage>
  );
}
