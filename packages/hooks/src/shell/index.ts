export type { InlineCode, ShellContent, ShellFacts, ShellPlace, ShellWrite } from './words/facts.ts'
export { readCommand } from './read-command.ts'
export { readPowerShell } from './read-powershell.ts'
