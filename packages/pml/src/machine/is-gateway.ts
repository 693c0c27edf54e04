import type { LocalLaunch } from '@pml/core/local-servers'

const program = /(?:^|[/\\])pml(?:\.js|\.cmd|\.exe|@[^/\\]*)?$/i

/** Whether a server is `pml serve`: pml must never start itself. */
export function isGateway(launch: LocalLaunch): boolean {
  return launch.kind === 'stdio' && isGatewayLine([launch.command, ...launch.args])
}

/** Whether a command line starts `pml serve`: through npx, Node or a shell, with flags or without. */
export function isGatewayLine(line: readonly string[]): boolean {
  const words = line.flatMap((word) => word.split(/[\s"']+/))
  const at = words.findIndex((word) => program.test(word))
  return at >= 0 && words.includes('serve', at + 1)
}
