import { Image } from "lucide-react";
import { createContext, type ReactNode, useContext, useState } from "react";
import { routePath } from "../../data/client.ts";
import { t } from "../../messages/t.ts";
import styles from "./markdown.module.css";

/**
 * The message whose text is rendered; the server loads the pictures that the message names. Null if
 * there is none, and pictures are shown as links.
 */
export const PicturesOf = createContext<string | null>(null);

type RemotePictureProps = {
  /** As written in the text, where the server looks it up. */
  href: string;
  name: string;
  host: string;
  /** A link to the picture itself. */
  link: ReactNode;
};

/** A remote picture. Its host sees only Bottega's server, and only after a click. */
export function RemotePicture({ href, name, host, link }: RemotePictureProps) {
  const messageId = useContext(PicturesOf);
  const [state, setState] = useState<"asked" | "shown" | "failed">("asked");
  if (messageId === null) return link;
  if (state === "shown")
    return (
      <img
        className={styles.picture}
        src={routePath("getRemotePicture", { params: { messageId }, query: { url: href } })}
        alt={name}
        onError={() => setState("failed")}
      />
    );
  if (state === "failed")
    return (
      <>
        {t("markdown.pictureFailed", { host })} {link}
      </>
    );
  return (
    <button type="button" className={styles.remote} onClick={() => setState("shown")}>
      <Image aria-hidden />
      {name ? t("markdown.showPicture.named", { name, host }) : t("markdown.showPicture", { host })}
    </button>
  );
}
