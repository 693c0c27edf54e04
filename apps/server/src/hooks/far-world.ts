import type { World } from '@pml/hooks'

/** The machine of a caller that nobody here can look at: files may hold anything, and links are not known. */
export const farWorld: World = {
  home: '',
  readFile: () => ({ kind: 'unknown' }),
  realPath: (path) => path,
}
