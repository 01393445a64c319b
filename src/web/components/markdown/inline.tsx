// biome-ignore-all lint/suspicious/noArrayIndexKey: tokens of one lexing never move, so their place is their identity
import { decodeHTMLStrict } from "entities/decode";
import type { MarkedToken, Token } from "marked";
import type { ReactNode } from "react";
import type { MathsToken } from "#domain/markdown/maths-syntax.ts";
import { safeLink } from "#domain/markdown/safe-link.ts";
import { t } from "../../messages/t.ts";
import styles from "./markdown.module.css";
import { Maths } from "./maths.tsx";
import { RemotePicture } from "./remote-picture.tsx";
import { ownPicture } from "./safe-address.ts";

/** A block's inline tokens as elements. HTML is shown as text, except for line breaks. */
export function Inline({ tokens }: { tokens: readonly Token[] | undefined }): ReactNode {
  // The tokens of one lexing never move.
  return tokens?.map((token, index) => <InlineToken key={index} token={token} />);
}

function InlineToken({ token: generic }: { token: Token }): ReactNode {
  if (generic.type === "maths") {
    const { tex, isBlock } = generic as MathsToken;
    return <Maths tex={tex} isBlock={isBlock} />;
  }
  const token = generic as MarkedToken;
  switch (token.type) {
    case "text":
      return token.tokens ? <Inline tokens={token.tokens} /> : decodeHTMLStrict(token.text);
    case "escape":
      return token.text;
    case "strong":
      return (
        <strong>
          <Inline tokens={token.tokens} />
        </strong>
      );
    case "em":
      return (
        <em>
          <Inline tokens={token.tokens} />
        </em>
      );
    case "del":
      return (
        <del>
          <Inline tokens={token.tokens} />
        </del>
      );
    case "codespan":
      return <code className={styles.code}>{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return (
        <SafeLink href={token.autolink ? token.href : decodeHTMLStrict(token.href)}>
          <Inline tokens={token.tokens} />
        </SafeLink>
      );
    case "image":
      return <Picture href={decodeHTMLStrict(token.href)} name={token.text} />;
    case "html":
      return /^<br\s*\/?>$/i.test(token.raw) ? <br /> : token.raw;
    default:
      return token.raw;
  }
}

function SafeLink({ href, children }: { href: string; children: ReactNode }) {
  const safe = safeLink(href, location.origin);
  if (!safe) return children;
  const isOwn = safe.startsWith(`${location.origin}/`);
  return (
    <a
      className={styles.link}
      href={safe}
      target={isOwn ? undefined : "_blank"}
      rel={isOwn ? undefined : "noopener noreferrer"}
    >
      {children}
    </a>
  );
}

function Picture({ href, name }: { href: string; name: string }) {
  const own = ownPicture(href, location.origin);
  if (own) return <img className={styles.picture} src={own} alt={name} loading="lazy" />;
  const address = safeLink(href, location.origin);
  if (!address) return name;
  const { host, protocol } = new URL(address);
  const link = (
    <SafeLink href={address}>{t("markdown.loadImage", { name: name || "…", host })}</SafeLink>
  );
  // Only addresses that the server would fetch.
  if (protocol !== "https:" && protocol !== "http:") return link;
  return <RemotePicture href={href} name={name} host={host} link={link} />;
}
