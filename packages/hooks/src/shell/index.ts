export type { InlineCode, ShellContent, ShellFacts, ShellPlace, ShellWrite } from './facts.ts'
