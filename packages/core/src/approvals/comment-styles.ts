import type { Marker, MarkerStyle } from './marker.ts'

/**
 * Endings of file names, or whole names that have no dot, with the markers that are comments there. PowerShell is not
 * among them: a backtick, which elsewhere ends a string, makes the next line a part of its own.
 */
const kinds: readonly (readonly [styles: readonly MarkerStyle[], endings: string])[] = [
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
/** Files named .json that their readers allow comments in. */
const commentedJson = /(?:^|\/)(?:\.vscode\/[^/]+|[jt]sconfig(?:\.[^/]+)?|devcontainer|\.eslintrc)\.json$/

/** The styles of markers that are comments in this kind of file, the usual one first; none if it is not known. */
export function markerStylesOf(path: string): readonly MarkerStyle[] {
  const plain = path.replaceAll('\\', '/').toLowerCase()
  if (commentedJson.test(plain)) return ['//', '/*', 'member']
  const ending = plain.slice(Math.max(plain.lastIndexOf('/'), plain.lastIndexOf('.')) + 1)
  return stylesOfEnding.get(ending) ?? []
}

/** False where the marker would be code, as `-- X` is in C: content with such a marker is not what was approved. */
export function isCommentIn(path: string, marker: Marker): boolean {
  return markerStylesOf(path).includes(marker.style)
}
