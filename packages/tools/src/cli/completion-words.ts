import { typedWords } from '../command-path.ts'
import { formsOf, parametersOf } from '../parameters.ts'
import type { Command } from '../ready-tool.ts'
import { globalFlagsOf, wordsOf } from './global-flags.ts'
import { kindOf } from './place-flags.ts'
import type { Program } from './program.ts'

/** A possible next word, and its description in one line. */
export interface Candidate {
  readonly word: string
  readonly about: string
}

/** The value of a flag: one of these words, a file, or (with neither) anything. */
interface FlagValue {
  /** With the dashes. */
  readonly flag: string
  readonly isFile: boolean
  readonly choices: readonly string[]
}

/** The candidates after some words: `''` is the beginning, then `memo`, then `memo create`. */
export interface Place {
  readonly path: string
  readonly candidates: readonly Candidate[]
  readonly flags: readonly Candidate[]
  readonly values: readonly FlagValue[]
}

/** The input of every shell's completion script. */
export interface CompletionWords {
  readonly places: readonly Place[]
  /** One-word commands: no other command follows them. */
  readonly singles: readonly string[]
  /** Global flags with a value, with the dashes. */
  readonly takers: readonly string[]
}

export interface Completable {
  readonly program: Pick<Program, 'name' | 'words' | 'flags'>
  readonly commands: readonly Command[]
}

export const shells = ['bash', 'fish', 'zsh'] as const

export function completionWordsOf({ program, commands }: Completable): CompletionWords {
  const always = { flags: globalCandidates(program), values: globalValues(program) }
  return {
    places: [
      ...wordPlaces({ program, commands }).map((place) => ({ ...place, ...always })),
      ...commands.map((command) => commandPlace(command, always)),
    ],
    singles: actionsIn(commands, undefined).map(({ word }) => word),
    takers: always.values.map(({ flag }) => flag),
  }
}

/** The prefixes after which more words of a command follow. */
function wordPlaces({ program, commands }: Completable): Pick<Place, 'path' | 'candidates'>[] {
  const categories = [...new Set(commands.flatMap(({ category }) => category ?? []))]
  const listed = [
    ...actionsIn(commands, undefined),
    ...categories.map((word) => ({ word, about: printWords(actionsIn(commands, word)) })),
  ]
  return [
    { path: '', candidates: [...listed, ...wordsOf(program).map(({ word, about }) => ({ word, about }))] },
    { path: 'help', candidates: listed },
    { path: 'completions', candidates: shells.map((word) => ({ word, about: '' })) },
    ...categories.map((path) => ({ path, candidates: actionsIn(commands, path) })),
    ...categories.map((word) => ({ path: `help ${word}`, candidates: actionsIn(commands, word) })),
  ]
}

/** The one-word commands, which have no category. */
function actionsIn(commands: readonly Command[], category: string | undefined): Candidate[] {
  return commands
    .filter((command) => command.category === category)
    .map(({ command, about }) => ({ word: command, about: oneLine(about) }))
}

function printWords(candidates: readonly Candidate[]): string {
  return candidates.map(({ word }) => word).join(', ')
}

function commandPlace(command: Command, always: Pick<Place, 'flags' | 'values'>): Place {
  const forms = parametersOf(command.inputSchema).flatMap((parameter) =>
    formsOf(parameter).map(([flag, form]) => ({ parameter, flag, form })),
  )
  const flags = forms.map(({ flag, parameter }) => ({
    word: `--${flag}`,
    about: oneLine(parameter.description),
  }))
  const values = forms
    .filter(({ form }) => kindOf(form) === 'value')
    .map(({ flag, form, parameter: { type, choices } }) => ({
      flag: `--${flag}`,
      isFile: form === 'file',
      choices: form === 'file' ? [] : shownChoices(choices ?? (type === 'boolean' ? [true, false] : [])),
    }))
  return {
    path: typedWords(command).join(' '),
    candidates: [],
    flags: [...flags, ...always.flags],
    values: [...values, ...always.values],
  }
}

function globalCandidates(program: Pick<Program, 'flags'>): Candidate[] {
  return globalFlagsOf(program).flatMap(({ flag, about, hasNegation }) => [
    { word: `--${flag}`, about },
    ...(hasNegation ? [{ word: `--no-${flag}`, about }] : []),
  ])
}

function globalValues(program: Pick<Program, 'flags'>): FlagValue[] {
  return globalFlagsOf(program)
    .filter(({ value }) => value !== undefined)
    .map(({ flag, isPath = false }) => ({ flag: `--${flag}`, isFile: isPath, choices: [] }))
}

/** Text that a shell cannot show or insert in one line is left out. */
function shownChoices(choices: readonly unknown[]): string[] {
  return choices.map(String).filter((choice) => choice !== '' && !/\p{Cc}/u.test(choice))
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
}
