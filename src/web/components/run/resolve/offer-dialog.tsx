import { type ReactNode, useId } from "react";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import styles from "./offer-dialog.module.css";

/** `hint` explains the choice. `children` are shown while it is selected. */
type OfferChoice<Offer extends string> = {
  offer: Offer;
  label: string;
  hint: string;
  children?: ReactNode;
};

type OfferDialogProps<Offer extends string> = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description: string;
  /** The group's accessible name. */
  label: string;
  choices: readonly OfferChoice<Offer>[];
  chosen: Offer | null;
  onChoose: (offer: Offer) => void;
  confirm: { label: string; isIncomplete?: boolean; isPending: boolean; start: () => void };
  above?: ReactNode;
  below?: ReactNode;
};

/** A question with several answers, of which one is selected and confirmed. */
export function OfferDialog<Offer extends string>({
  open,
  onOpenChange,
  title,
  description,
  label,
  choices,
  chosen,
  onChoose,
  confirm,
  above,
  below,
}: OfferDialogProps<Offer>) {
  const name = useId();
  const footer = (
    <>
      <Button onClick={() => onOpenChange(false)}>{t("ui.cancel")}</Button>
      <Button
        variant="primary"
        disabled={!chosen || confirm.isIncomplete}
        busy={confirm.isPending}
        onClick={confirm.start}
      >
        {confirm.label}
      </Button>
    </>
  );
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      description={description}
      footer={footer}
    >
      {above}
      <div role="radiogroup" aria-label={label} className={styles.choices}>
        {choices.map(({ offer, label: words, hint, children }) => (
          <div key={offer} className={styles.choice}>
            <label className={styles.pick}>
              <input
                type="radio"
                name={name}
                checked={chosen === offer}
                onChange={() => onChoose(offer)}
              />
              <span>
                <span className={styles.label}>{words}</span>
                <span className={styles.hint}>{hint}</span>
              </span>
            </label>
            {chosen === offer && children && <div className={styles.more}>{children}</div>}
          </div>
        ))}
      </div>
      {below}
    </Dialog>
  );
}
