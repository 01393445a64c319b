import { CircleAlert, CircleCheck, LogIn } from "lucide-react";
import { useEffect, useState } from "react";
import { type SignInOutcome, signInOutcomes } from "#contract/sign-in.ts";
import { useSearchValue } from "../../data/use-search-value.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import styles from "./connections.module.css";

const read = (outcomeParam: string | undefined): SignInOutcome | undefined =>
  signInOutcomes.find((outcome) => outcome === outcomeParam);

/**
 * The outcome of a sign-in for a person who just returned from one (`?signIn=`). The parameter is
 * removed immediately, so that a reload or another connection doesn't show it.
 */
export function useSignInOutcome(): SignInOutcome | undefined {
  const [outcomeParam, setOutcomeParam] = useSearchValue("signIn");
  const [outcome] = useState(read(outcomeParam));
  useEffect(() => {
    if (outcomeParam !== undefined) setOutcomeParam(null);
  });
  return outcome;
}

/** The outcome of a sign-in whose connection isn't open or isn't known. */
export function LostSignIn() {
  const outcome = useSignInOutcome();
  return outcome ? <SignInNotice outcome={outcome} /> : null;
}

type SignInNoticeProps = {
  outcome: SignInOutcome;
  /** Starts the sign-in again. */
  onAgain?: () => void;
  busy?: boolean;
};

/** A sentence for each outcome of a sign-in, and the button to try again. */
export function SignInNotice({ outcome, onAgain, busy = false }: SignInNoticeProps) {
  const isIn = outcome === "done";
  const Icon = isIn ? CircleCheck : CircleAlert;
  return (
    <div role={isIn ? "status" : "alert"} className={isIn ? styles.signedIn : styles.notSignedIn}>
      <Icon aria-hidden />
      <div>
        <p>{t(`connections.signIn.${outcome}`)}</p>
        {!isIn && onAgain && (
          <Button size="small" icon={LogIn} busy={busy} onClick={onAgain}>
            {t("connections.signIn.again")}
          </Button>
        )}
      </div>
    </div>
  );
}
