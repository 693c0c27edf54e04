import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import { PmlError } from '@pml/core'
import type { ProjectContext } from '../workspace/workspace-files.ts'
import type { SettingsFile } from './settings-file.ts'

/** What became of a settings file. */
export interface SettingsChange {
  readonly file: string
  readonly result: 'written' | 'removed' | 'unchanged' | 'declined' | 'not written'
  /** What changed or would change. */
  readonly diff: string
  readonly notes: readonly string[]
}

/** What a command needs that changes settings. */
export interface SettingsContext extends ProjectContext {
  /** Shows a text and waits for a person's yes; true at once where there is no person to ask. */
  confirm(text: string): Promise<boolean>
}

export interface ChangeOptions {
  readonly isDryRun: boolean
  /** Nobody need be asked. */
  readonly isSure: boolean
}

/** Shows what would change, asks, and writes; undefined takes the file away. */
export async function changeSettings(
  { confirm }: Pick<SettingsContext, 'confirm'>,
  file: SettingsFile,
  { text, isDryRun, isSure }: ChangeOptions & { readonly text: string | undefined },
): Promise<Omit<SettingsChange, 'notes'>> {
  const { path } = file
  const diff = printChange(path, file.text, text ?? '')
  if (diff === '') return { file: path, result: 'unchanged', diff }
  if (isDryRun) return { file: path, result: 'not written', diff }
  if (!isSure && !(await confirm(diff))) return { file: path, result: 'declined', diff }
  await requireSame(file)
  await file.write(text)
  return { file: path, result: text === undefined ? 'removed' : 'written', diff }
}

/** What changes, as people read changes; empty where nothing does. */
function printChange(path: string, before: string, after: string): string {
  if (before === after) return ''
  return createTwoFilesPatch(path, path, before, after, '', '', { headerOptions: FILE_HEADERS_ONLY })
}

/** A person may think for minutes, and agents write their settings too. */
async function requireSame(file: SettingsFile): Promise<void> {
  if (await file.isAsRead()) return
  throw new PmlError('file_failed', `Cannot write ${file.path}: it was changed meanwhile; run this again`)
}
