import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import { limits } from "#contract/limits.ts";
import { t } from "../../messages/t.ts";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { TextField, type TextFieldProps } from "../../ui/controls/text-field.tsx";

export type PasswordFieldProps = Omit<TextFieldProps, "type" | "end" | "maxLength"> & {
  autoComplete: "new-password" | "current-password";
};

/** A password field with a button that reveals the text. */
export function PasswordField(props: PasswordFieldProps) {
  const [isShown, setShown] = useState(false);
  return (
    <TextField
      {...props}
      type={isShown ? "text" : "password"}
      maxLength={limits.passwordCharactersMost}
      spellCheck={false}
      autoCapitalize="none"
      end={
        <IconButton
          icon={isShown ? EyeOff : Eye}
          label={t(isShown ? "account.password.hide" : "account.password.show")}
          variant="bordered"
          onClick={() => setShown(!isShown)}
        />
      }
    />
  );
}

/** Returns the problem with a new password before it is sent, or null. */
export function checkNewPassword(password: string): string | null {
  if (password === "") return t("account.password.needed");
  if ([...password].length < limits.passwordCharactersLeast)
    return t("account.password.short", { least: limits.passwordCharactersLeast });
  return null;
}
