import { Image } from "lucide-react";
import { createContext, type ReactNode, useContext, useState } from "react";
import { routePath } from "../../data/client.ts";
import { t } from "../../messages/t.ts";
import styles from "./markdown.module.css";

/** The message whose text it is: the server loads the pictures that it names. Null where none does, and a picture is a link. */
export const PicturesOf = createContext<string | null>(null);

type RemotePictureProps = {
  /** As the text has it: the server looks for it there. */
  href: string;
  name: string;
  host: string;
  /** The way to the picture itself. */
  link: ReactNode;
};

/** A picture elsewhere: its host learns of the reader only from our server, and only on a click. */
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
