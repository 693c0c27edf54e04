/** How a comment starts, or `member` for the JSON member `_approval_token`. */
export type MarkerStyle = '//' | '#' | '--' | '/*' | '<!--' | 'member'

/** An approval written into content. `line` counts from 1 and is where it stands in the text as it was given. */
export interface Marker {
  readonly name: string
  readonly token: string
  readonly line: number
  readonly style: MarkerStyle
}

/** Text without its markers, and the markers that were in it. */
export interface Unmarked {
  readonly text: string
  readonly markers: readonly Marker[]
}
