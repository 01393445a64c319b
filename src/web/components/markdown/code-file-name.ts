/**
 * File extensions by the language names that models write after a fence. Unlisted names are used as
 * the extension.
 */
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
/** Languages whose files have a name and no extension. */
const names: Record<string, string> = {
  dockerfile: "Dockerfile",
  docker: "Dockerfile",
  makefile: "Makefile",
  make: "Makefile",
  cmake: "CMakeLists.txt",
};

/**
 * The name for downloading a code block: "code.py". The language comes from a model, so only its
 * letters are used.
 */
export function codeFileName(language: string): string {
  const folded = language.toLowerCase();
  const known = Object.hasOwn(names, folded) ? names[folded] : undefined;
  if (known) return known;
  const ending = Object.hasOwn(endings, folded) ? endings[folded] : folded;
  return `code.${/^[a-z][a-z0-9]{0,9}$/.test(ending ?? "") ? ending : "txt"}`;
}
