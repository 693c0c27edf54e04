export type Language = 'javascript' | 'python' | 'other'

export function languageOf(path: string): Language {
  if (/\.(?:[cm]?[jt]sx?|vue|svelte)$/i.test(path)) return 'javascript'
  return /\.pyi?$/i.test(path) ? 'python' : 'other'
}
