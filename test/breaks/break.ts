/** A behavior to remove from a copy of the source, and the test that must fail. */
export type Break = {
  /** The product's behavior, in one sentence. Unique. */
  rule: string;
  /** The source file, and the single place in it that is replaced. The rest still runs. */
  file: string;
  text: string;
  instead: string;
  /** The failing test, with words of its title if the file is long. */
  test: string;
  title?: string;
};
