import { isUtf8 } from 'node:buffer'
import { realpathSync } from 'node:fs'
import {
  decideWrites,
  type Decision,
  type FileContent,
  type Guarded,
  type HookEvent,
  type World,
  type Write,
} from '@pml/hooks'
import type { Change } from './find-changes.ts'
import type { Held, KeptFiles } from './kept-files.ts'

interface Judging {
  readonly event: HookEvent
  readonly guarded: readonly Guarded[]
  readonly world: World
  readonly kept: KeptFiles
  /** All changes of the call: a missing file may have been moved. */
  readonly changes: readonly Change[]
}

/** Applies the rules to the real content before and after a call. */
export function judgeChange(change: Change, { event, guarded, world, kept, changes }: Judging): Decision {
  const { path, before, after } = change
  const about: HookEvent = {
    ...event,
    moment: 'before-tool',
    mayAsk: false,
    call: {
      kind: 'other',
      tool: event.call?.tool ?? 'the call before',
      input: { file_path: path, sha256: after?.hash ?? 'deleted' },
    },
  }
  const write: Write = {
    paths: pathsOf(path, after),
    written: path,
    before: contentOf(before, kept),
    after: afterOf(change, kept, changes),
    isExact: true,
  }
  return decideWrites(about, [write], { guarded, world })
}

function pathsOf(path: string, after: Held | undefined): string[] {
  if (after?.link === undefined) return [path]
  try {
    return [path, realpathSync(path)]
  } catch {
    return [path]
  }
}

function afterOf({ before, after }: Change, kept: KeptFiles, changes: readonly Change[]): Write['after'] {
  if (!after) {
    const moved = changes.find((one) => !one.before && one.after && one.after.hash === before?.hash)
    return moved ? { kind: 'moved', to: moved.path } : { kind: 'deleted' }
  }
  const content = contentOf(after, kept)
  return content.kind === 'text' ? content : { kind: 'unknown', why: 'its content is not text' }
}

function contentOf(held: Held | undefined, kept: KeptFiles): FileContent {
  if (!held) return { kind: 'missing' }
  const bytes = kept.read(held)
  if (!bytes || !isUtf8(bytes) || bytes.includes(0)) return { kind: 'unknown', isThere: true }
  return { kind: 'text', text: bytes.toString('utf8') }
}
