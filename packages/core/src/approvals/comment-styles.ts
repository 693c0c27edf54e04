/** How a comment starts, or `member` for the JSON member `_approval_token`. */
export type CommentStyle = '//' | '#' | '--' | '/*' | '<!--' | 'member'

/**
 * Comment styles by file extension, or by whole name for names without a dot. PowerShell is missing on purpose: its backtick,
 * which ends a string in other languages, joins a line with the next.
 */
const kinds: readonly (readonly [styles: readonly CommentStyle[], endings: string])[] = [
  [['//', '/*'], 'js jsx mjs cjs ts tsx mts cts jsonc json5 scss less java kt kts scala groovy gradle dart'],
  [['//', '/*'], 'go rs c h cc cpp cxx hh hpp cs swift proto zig sol'],
  [['/*'], 'css'],
  [['#'], 'py pyi sh bash zsh fish ksh rb rake pm r jl ex exs tcl awk nix tf cmake mk graphql gql'],
  [['#'], 'yaml yml toml conf cfg ini properties env gitignore dockerignore editorconfig'],
  [['#'], 'dockerfile containerfile makefile gnumakefile gemfile rakefile'],
  [['--', '/*'], 'sql'],
  [['--'], 'lua hs elm ada adb ads vhd vhdl'],
  [['<!--'], 'html htm xhtml xml svg md markdown vue xsd xsl plist'],
  [['member'], 'json webmanifest'],
]
const stylesOfEnding = new Map(
  kinds.flatMap(([styles, endings]) => endings.split(' ').map((ending) => [ending, styles] as const)),
)
/** Files named .json whose parsers allow comments. */
const commentedJson = /(?:^|\/)(?:\.vscode\/[^/]+|[jt]sconfig(?:\.[^/]+)?|devcontainer|\.eslintrc)\.json$/

/** Returns the comment styles for a file, the usual one first; empty for unknown file types. */
export function commentStylesOf(path: string): readonly CommentStyle[] {
  const plain = path.replaceAll('\\', '/').toLowerCase()
  if (commentedJson.test(plain)) return ['//', '/*', 'member']
  const ending = plain.slice(Math.max(plain.lastIndexOf('/'), plain.lastIndexOf('.')) + 1)
  return stylesOfEnding.get(ending) ?? []
}
