/** What files of a language end in, by the words that models write behind a fence. Their own ending where it is not listed. */
const endings: Record<string, string> = {
  bash: "sh",
  shell: "sh",
  sh: "sh",
  zsh: "sh",
  console: "sh",
  powershell: "ps1",
  batch: "bat",
  csharp: "cs",
  "c#": "cs",
  "c++": "cpp",
  cpp: "cpp",
  "objective-c": "m",
  objectivec: "m",
  fsharp: "fs",
  go: "go",
  golang: "go",
  haskell: "hs",
  javascript: "js",
  typescript: "ts",
  json: "json",
  jsonc: "json",
  json5: "json5",
  julia: "jl",
  kotlin: "kt",
  latex: "tex",
  markdown: "md",
  mermaid: "mmd",
  ocaml: "ml",
  perl: "pl",
  plaintext: "txt",
  python: "py",
  python3: "py",
  ruby: "rb",
  rust: "rs",
  text: "txt",
  yaml: "yaml",
  visualbasic: "vb",
  vbnet: "vb",
  elixir: "ex",
  erlang: "erl",
  clojure: "clj",
  scheme: "scm",
  lisp: "lisp",
  matlab: "m",
  graphql: "graphql",
  protobuf: "proto",
  terraform: "tf",
  solidity: "sol",
  webassembly: "wat",
  assembly: "asm",
  stylus: "styl",
  fortran: "f90",
  postgresql: "sql",
  mysql: "sql",
  sqlite: "sql",
};
/** Languages whose files have a name and no ending. */
const names: Record<string, string> = {
  dockerfile: "Dockerfile",
  docker: "Dockerfile",
  makefile: "Makefile",
  make: "Makefile",
  cmake: "CMakeLists.txt",
};

/** The file that a block of code is downloaded as: "code.py". The language is a model's word, and only letters of it get into a name. */
export function codeFileName(language: string): string {
  const folded = language.toLowerCase();
  const known = Object.hasOwn(names, folded) ? names[folded] : undefined;
  if (known) return known;
  const ending = Object.hasOwn(endings, folded) ? endings[folded] : folded;
  return `code.${/^[a-z][a-z0-9]{0,9}$/.test(ending ?? "") ? ending : "txt"}`;
}
