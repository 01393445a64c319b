/** A behavior that is taken out of a copy of the source, and the test that must notice. */
export type Break = {
  /** What the product does, in one sentence. Unique. */
  rule: string;
  /** The source, and the one place in it that is replaced. What is left still runs. */
  file: string;
  text: string;
  instead: string;
  /** The test that turns red, with words of its title where the file is long. */
  test: string;
  title?: string;
};
