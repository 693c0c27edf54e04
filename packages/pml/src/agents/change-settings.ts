import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import { PmlError } from '@pml/core'
import type { ProjectContext } from '../workspace/workspace-files.ts'
import type { SettingsFile } from './settings-file.ts'

/** The result of changing a settings file. */
export interface SettingsChange {
  readonly file: string
  readonly result: 'written' | 'removed' | 'unchanged' | 'declined' | 'not written'
  /** The change, made or proposed. */
  readonly diff: string
  readonly notes: readonly string[]
}

/** What a command that changes settings takes. */
export interface SettingsContext extends ProjectContext {
  /** Shows a text and waits for a person's yes; true at once if there is no person to ask. */
  confirm(text: string): Promise<boolean>
}

export interface ChangeOptions {
  readonly isDryRun: boolean
  /** Skips the confirmation. */
  readonly isSure: boolean
}

/** Shows the change, asks, and writes the file; without text, removes it. */
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

/** The change as a patch; empty if there is none. */
function printChange(path: string, before: string, after: string): string {
  if (before === after) return ''
  return createTwoFilesPatch(path, path, before, after, '', '', { headerOptions: FILE_HEADERS_ONLY })
}

/** Throws if the file has changed: the person may take minutes, and agents write their settings too. */
async function requireSame(file: SettingsFile): Promise<void> {
  if (await file.isAsRead()) return
  throw new PmlError(
    'file_failed',
    `Cannot write ${file.path}: it was changed in the meantime; run this again`,
  )
}
