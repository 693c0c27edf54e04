/** One instruction: `RUN --mount=… npm ci` has the flag `mount` and the rest `npm ci`. */
export interface Instruction {
  readonly name: string
  readonly flags: Readonly<Record<string, string>>
  readonly rest: string
  readonly line: number
}

export interface Stage {
  readonly base: string
  readonly name: string | undefined
  readonly instructions: readonly Instruction[]
}

/** The supported part of https://docs.docker.com/reference/dockerfile/; anything else throws. */
const known = new Set(
  'FROM ARG ENV WORKDIR COPY RUN USER VOLUME EXPOSE STOPSIGNAL HEALTHCHECK CMD ENTRYPOINT'.split(' '),
)

export function parseDockerfile(text: string): Stage[] {
  const stages: { base: string; name: string | undefined; instructions: Instruction[] }[] = []
  for (const instruction of instructionsIn(text)) {
    if (instruction.name === 'FROM') {
      const [base = '', as, name] = instruction.rest.split(/\s+/)
      if (as !== undefined && as.toUpperCase() !== 'AS') throw wrong(instruction, 'expected AS')
      stages.push({ base, name, instructions: [] })
      continue
    }
    const stage = stages.at(-1)
    if (!stage) throw wrong(instruction, 'expected FROM first')
    stage.instructions.push(instruction)
  }
  return stages
}

/** The words of a command: JSON form directly, shell form through the shell. */
export function commandOf(rest: string): string[] {
  return rest.startsWith('[') ? JSON.parse(rest) : ['/bin/sh', '-c', rest]
}

/** `A=1 B="two words"`, the only supported form of ENV and ARG. */
export function pairsIn(rest: string): Record<string, string> {
  const pairs = [...rest.matchAll(/([A-Za-z_]\w*)=("(?:[^"\\]|\\.)*"|\S*)\s*/gy)]
  if (pairs.map(([whole]) => whole).join('') !== rest) throw new Error(`Cannot read pairs: ${rest}`)
  return Object.fromEntries(pairs.map(([, key = '', value = '']) => [key, value.replace(/^"(.*)"$/s, '$1')]))
}

function instructionsIn(text: string): Instruction[] {
  const found: Instruction[] = []
  let pending = ''
  let start = 0
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(#|$)/.test(line)) continue
    if (pending === '') start = index + 1
    pending += line.replace(/\\\s*$/, '')
    if (/\\\s*$/.test(line)) continue
    found.push(parseInstruction(pending.trim(), start))
    pending = ''
  }
  if (pending !== '') throw new Error(`Dockerfile line ${start}: it is continued and never ends`)
  return found
}

function parseInstruction(text: string, line: number): Instruction {
  const [, name = '', rest = ''] = /^(\S+)\s+(.*)$/s.exec(text) ?? []
  const [given = ''] = /^(?:--[a-z-]+=\S+\s+)*/.exec(rest) ?? []
  const flags = Object.fromEntries(
    [...given.matchAll(/--([a-z-]+)=(\S+)/g)].map(([, key = '', value = '']) => [key, value]),
  )
  const instruction = { name: name.toUpperCase(), flags, rest: rest.slice(given.length), line }
  if (!known.has(instruction.name)) throw wrong(instruction, 'there is no such instruction')
  return instruction
}

function wrong({ name, line }: Instruction, why: string): Error {
  return new Error(`Dockerfile line ${line}: ${name}: ${why}`)
}
