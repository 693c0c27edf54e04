import { formsOf, parametersOf } from '../../parameters.ts'
import type { Command } from '../../ready-tool.ts'
import { globalFlagsOf, wordsOf } from '../global-flags.ts'
import { kindOf } from '../place-flags.ts'
import type { Program } from '../program.ts'

/** A word that may stand next, and what it is, in one line. */
export interface Candidate {
  readonly word: string
  readonly about: string
}

/** What may stand after a flag: one of these words, a file, or (with neither) anything. */
export interface FlagValue {
  /** With the dashes. */
  readonly flag: string
  readonly isFile: boolean
  readonly choices: readonly string[]
}

/** The words after some words: `''` is the beginning, then `memo`, then `memo create`. */
export interface Place {
  readonly path: string
  readonly candidates: readonly Candidate[]
  readonly flags: readonly Candidate[]
  readonly values: readonly FlagValue[]
}

export interface Completable {
  readonly program: Pick<Program, 'name' | 'words' | 'flags'>
  readonly commands: readonly Command[]
}

export const shells = ['bash', 'fish', 'zsh'] as const

/** Everything that a shell needs to know, the same for every shell. */
export function placesOf({ program, commands }: Completable): Place[] {
  const flags = globalCandidates(program)
  const values: FlagValue[] = [{ flag: '--input', isFile: true, choices: [] }]
  const place = (path: string, candidates: readonly Candidate[]) => ({ path, candidates, flags, values })
  const categories = [...new Set(commands.map(({ category }) => category))]
  const actionsOf = (name: string) =>
    commands
      .filter(({ category }) => category === name)
      .map(({ command, about }) => ({ word: command, about: oneLine(about) }))
  const listed = categories.map((word) => ({
    word,
    about: actionsOf(word)
      .map(({ word }) => word)
      .join(', '),
  }))
  return [
    place('', [...listed, ...wordsOf(program).map(({ word, about }) => ({ word, about }))]),
    place('help', listed),
    place(
      'completions',
      shells.map((word) => ({ word, about: '' })),
    ),
    ...categories.map((category) => place(category, actionsOf(category))),
    ...categories.map((category) => place(`help ${category}`, actionsOf(category))),
    ...commands.map((command) => commandPlace(command, { flags, values })),
  ]
}

function commandPlace(
  { category, command, inputSchema }: Command,
  always: Pick<Place, 'flags' | 'values'>,
): Place {
  const forms = parametersOf(inputSchema).flatMap((parameter) =>
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
    path: `${category} ${command}`,
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

/** What a shell can neither show nor insert in one line is left out. */
function shownChoices(choices: readonly unknown[]): string[] {
  return choices.map(String).filter((choice) => choice !== '' && !/\p{Cc}/u.test(choice))
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
}
