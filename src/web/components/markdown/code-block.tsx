import { Part } from "../../ui/part.tsx";
import { CodeBox, type CodeBoxProps } from "./code-box.tsx";
import { DiagramBlock } from "./diagram/lazy-diagram.ts";

export type CodeBlockProps = Pick<CodeBoxProps, "code" | "language" | "isOpen">;

/** A code block; a complete diagram's code is shown as the diagram. */
export function CodeBlock(props: CodeBlockProps) {
  const box = <CodeBox {...props} />;
  if (props.language !== "mermaid" || props.isOpen) return box;
  return (
    <Part fallback={box}>
      <DiagramBlock code={props.code} />
    </Part>
  );
}
