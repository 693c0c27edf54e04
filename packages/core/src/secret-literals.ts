import { fillReferences, referencesIn } from './references.ts'

/** The kind of secret, for messages; contains no part of the value. */
type SecretKind = string

const tokenShapes: readonly { readonly kind: SecretKind; readonly pattern: RegExp }[] = [
  { kind: 'a private key', pattern: /-----BEGIN [A-Z0-9 ]+-----/ },
  { kind: 'a JSON Web Token', pattern: startingWith('eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}') },
  {
    kind: 'a GitHub token',
    pattern: startingWith('(?:gh[a-z]_[A-Za-z0-9]{8,}|github_pat_[A-Za-z0-9_]{8,})'),
  },
  {
    kind: 'a GitLab token',
    pattern: startingWith('gl(?:pat|dt|rt|ft|ptt|cbt|imt|soat|agent)-[A-Za-z0-9_-]{8,}'),
  },
  { kind: 'a Slack token', pattern: startingWith('xox[a-z]-[A-Za-z0-9-]{8,}') },
  { kind: 'an AWS access key', pattern: startingWith('A(?:KI|SI)A[0-9A-Z]{16}') },
  { kind: 'a Google API key', pattern: startingWith('AIza[A-Za-z0-9_-]{20,}') },
  { kind: 'a Tavily key', pattern: startingWith('tvly-[A-Za-z0-9_-]{8,}') },
  { kind: 'an API key', pattern: startingWith('(?:sk|pk|rk)-[A-Za-z0-9_-]{12,}') },
  { kind: 'an API key', pattern: startingWith('(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{8,}') },
  { kind: 'an API key', pattern: startingWith('(?:hf|npm|ntn|secret)_[A-Za-z0-9]{20,}') },
]

const urlPassword = /:\/\/[^/\s:@]*:[^@\s/]+@/
/** Digests and commits are public; they only look random. */
const publicDigest = /sha(?:256|384|512)[:-][A-Za-z0-9+/=]+|@[0-9a-f]{40}(?![0-9a-f])/g

/** Returns the kind of secret that a text contains. `${REF}` stands for a value elsewhere. */
export function findSecret(text: string): SecretKind | undefined {
  const literal = fillReferences(text, () => '')
  const shape = tokenShapes.find(({ pattern }) => pattern.test(literal))
  if (shape) return shape.kind
  if (urlPassword.test(literal)) return 'a password in a URL'
  const runs = literal.replaceAll(publicDigest, ' ').match(/[A-Za-z0-9_+=-]{32,}/g) ?? []
  return runs.some(isRandom) ? 'a random string' : undefined
}

/** The same for a value with a name: an environment variable, a header, a flag, a query parameter. */
export function findNamedSecret(name: string, value: string): SecretKind | undefined {
  const secret = findSecret(value)
  if (secret !== undefined) return secret
  const literal = value.trim()
  if (literal === '' || referencesIn(value).length > 0 || !namesSecret(name)) return undefined
  return isHarmless(name, literal) ? undefined : 'a value under a name that says it is secret'
}

/** Checks arguments alone, as `--name=value` or `Name: value`, and together with the preceding flag. */
export function findSecretArguments(args: readonly string[]): { index: number; kind: SecretKind }[] {
  return args.flatMap((argument, index) => {
    const kind =
      findNamedArgument(argument) ?? findUrlSecret(argument) ?? findFlagValue(args[index - 1], argument)
    return kind === undefined ? [] : [{ index, kind }]
  })
}

export function findUrlSecret(url: string): SecretKind | undefined {
  for (const [, name = '', value = ''] of url.matchAll(/[?&;]([^=&;#]+)=([^&;#]*)/g)) {
    const kind = findNamedSecret(name, value)
    if (kind !== undefined) return kind
  }
  return findSecret(url)
}

function findNamedArgument(argument: string): SecretKind | undefined {
  const [, name, value] = /^-{0,2}([A-Za-z_][\w.-]*)\s*[=:](?!\/\/)(.*)$/s.exec(argument) ?? []
  return name === undefined || value === undefined ? undefined : findNamedSecret(name, value)
}

function findFlagValue(before: string | undefined, argument: string): SecretKind | undefined {
  const flag = /^--?([A-Za-z][\w.-]*)$/.exec(before ?? '')?.[1]
  return flag === undefined || argument.startsWith('-') ? undefined : findNamedSecret(flag, argument)
}

function startingWith(token: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9_-])${token}`)
}

const secretWords = /^(?:key|keys|apikey|token|tokens|authtoken|accesstoken|pat|pwd|passwd|passphrase)$/
const secretStems = /secret|password|credential|authorization|apikey|api_key|access_?token|auth_?token/

function namesSecret(name: string): boolean {
  const words = name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase()
  return secretStems.test(words) || words.split(/[^a-z0-9]+/).some((word) => secretWords.test(word))
}

/** Switches, limits and paths are no secrets, whatever their names. */
function isHarmless(name: string, literal: string): boolean {
  if (/^(?:true|false|yes|no|on|off|none|null)$/i.test(literal)) return true
  if (/^\d{1,9}$/.test(literal))
    return /max|min|limit|count|num|budget|ttl|expir|size|length|timeout/i.test(name)
  return /(?:file|path|dir)$/i.test(name) && /[/\\]/.test(literal)
}

/** Random text switches between lower case, capitals and digits far more often than words do. */
function isRandom(run: string): boolean {
  const letters = run.replaceAll(/[^A-Za-z0-9]/g, '')
  if (letters.length < 30 || (run.length - letters.length) * 12 > run.length) return false
  if ((letters.match(/\d+/g)?.length ?? 0) < 2 || !/[A-Za-z]/.test(letters)) return false
  const mixed = /[a-z]/.test(letters) && /[A-Z]/.test(letters)
  return changesIn(letters) / letters.length >= (mixed ? 0.36 : 0.28)
}

function changesIn(letters: string): number {
  const classes = letters.replaceAll(/\d/g, '0').replaceAll(/[a-z]/g, 'a').replaceAll(/[A-Z]/g, 'A')
  return classes.match(/0(?=[aA])|a(?=[0A])|A(?=[0a])/g)?.length ?? 0
}
