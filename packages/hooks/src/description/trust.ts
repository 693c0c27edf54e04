import { dirname } from 'node:path'
import type { JsonObject } from '../event.ts'

/** How to find out whether an agent runs the hooks in its settings. */
export type Trust = FolderTrust | AskedTrust

/** The agent notes which folders it trusts. */
export interface FolderTrust {
  readonly kind: 'folder'
  readonly agent: string
  /** What it does in a folder that it does not trust. */
  readonly skips: string
  /** What the person does about it. */
  readonly cure: string
  /** Hooks of the user do not run in such a folder either. */
  readonly stopsUser?: true
  /** Throws a PmlError if it cannot be determined. */
  find(world: TrustWorld): { readonly isTrusted: boolean; readonly source: string }
}

/** What a description needs of the machine to find out. */
export interface TrustWorld {
  readonly root: string
  readonly home: string
  /** The agent's own folder of this user. */
  readonly user: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** A JSON file; undefined where there is none. Throws a PmlError where it cannot be read. */
  read(file: string): JsonObject | undefined
  realPath(path: string): string
}

/** The agent itself reports which hooks it runs: a program that reads lines on stdin and answers with lines. */
export interface AskedTrust {
  readonly kind: 'asked'
  readonly agent: string
  readonly program: string
  readonly args: readonly string[]
  readonly cure: string
  questions(root: string): readonly JsonObject[]
  /** The hooks it reports, or a sentence if it reports none; undefined for other lines. */
  readAnswer(line: string): readonly JsonObject[] | string | undefined
  /** Whether it runs the hooks of pml that it sees in this file. */
  judge(ours: readonly JsonObject[], place: { readonly root: string; readonly file: string }): TrustVerdict
}

export interface TrustVerdict {
  readonly level: 'ok' | 'error' | 'unknown'
  readonly message: string
}

/** The folder and all above it. */
export function upwards(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...upwards(parent)]
}
