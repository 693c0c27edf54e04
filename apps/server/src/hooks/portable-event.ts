import type { HookEvent, ToolCall } from '@pml/hooks'

/** Converts Windows paths to POSIX form, so that globs match their folders: `C:\a\b` becomes `/C:/a/b`. */
export function portableEvent(event: HookEvent): HookEvent {
  if (!isOfWindows(event.cwd)) return event
  return { ...event, cwd: portable(event.cwd), call: event.call && portableCall(event.call) }
}

function portableCall(call: ToolCall): ToolCall {
  return 'path' in call ? { ...call, path: portable(call.path) } : call
}

function portable(path: string): string {
  const plain = path.replaceAll('\\', '/')
  return isOfWindows(path) ? `/${plain}` : plain
}

function isOfWindows(path: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path)
}
