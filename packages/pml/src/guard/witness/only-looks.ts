import type { HookEvent } from '@pml/hooks'

/** Enough to find out what is wrong while writes are refused. */
const looks =
  /^(?:cat|cd|cmp|diff|echo|false|file|git (?:diff|log|ls-files|show|status)|grep|head|ls|nl|pwd|rg|stat|tail|true|wc|which)(?: |$)/
const options = / (?:--(?:output|pre|ext-diff|textconv)\b|-O)/

/** Whether a command does no more than show files. It is looked at afterwards like any other. */
export async function onlyLooks({ call, cwd }: HookEvent, home: string): Promise<boolean> {
  if (call?.kind !== 'shell' || call.dialect !== 'bash') return false
  const { readCommand } = await import('@pml/hooks/shell')
  const { commands, writes, code, unknowns, isWhole } = readCommand(call.command, { cwd, home })
  return (
    isWhole &&
    commands.length > 0 &&
    [writes, code, unknowns].every(({ length }) => length === 0) &&
    commands.every((command) => looks.test(command) && !options.test(command))
  )
}
