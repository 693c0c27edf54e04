/** Options of `docker run`, `docker exec` and the like with a value in the next word. */
const VALUES: ReadonlySet<string> = new Set(
  (
    '-e -v -p -w -u -h -m -l -a -c -n --name --volume --publish --env --workdir --user --hostname --network --net ' +
    '--entrypoint --memory --cpus --mount --label --platform --add-host --gpus --shm-size --tmpfs --env-file --device ' +
    '--cap-add --cap-drop --dns --ip --link --log-driver --log-opt --pid --ipc --restart --runtime --security-opt ' +
    '--ulimit --userns --volumes-from --pull --cidfile --expose --namespace --container --image --context --target'
  ).split(' '),
)

/** Returns the command in a container that gets typed input; empty if the image decides. Undefined if nothing can be typed. */
export function commandInContainer(name: string, args: readonly string[]): readonly string[] | undefined {
  const at = args.findIndex((arg) => /^(?:run|exec|attach|debug|rsh)$/.test(arg))
  if (at < 0) return undefined
  const isComposed = name.endsWith('-compose') || args.slice(0, at).includes('compose')
  const { options, words, entry } = splitOptions(args.slice(at + 1))
  const isAttached = isComposed
    ? !options.some((option) => /^-[a-zA-Z]*T|^--no-TTY$/.test(option))
    : args[at] === 'rsh' || /^(?:lxc|incus)$/.test(name) || options.some(attaches)
  if (!isAttached || options.some((option) => /^-[a-zA-Z]*d[a-zA-Z]*$|^--detach$/.test(option)))
    return undefined
  const command = [...entry, ...commandIn(words)]
  // A file defines the command of a service, which mostly ends by itself.
  return isComposed && command.length === 0 ? undefined : command
}

/** Options of the program itself, which end at the image or container. */
function splitOptions(args: readonly string[]) {
  const options: string[] = []
  let entry: readonly string[] = []
  let at = 0
  for (; /^-./.test(args[at] ?? '') && args[at] !== '--'; at++) {
    const option = args[at] ?? ''
    options.push(option)
    const [, value] = /^--entrypoint=(.*)$/.exec(option) ?? []
    const next = VALUES.has(option) ? args[++at] : undefined
    const program = option === '--entrypoint' ? next : value
    if (program) entry = [program]
  }
  return { options, words: args.slice(at), entry }
}

/** The words after the image or container, or after `--`. */
function commandIn(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--')
  if (end >= 0) return words.slice(end + 1)
  const rest = words.slice(1)
  return rest.every((word) => word.startsWith('-')) ? [] : rest
}

/** `-it`, `--interactive` */
function attaches(option: string): boolean {
  return /^-[a-zA-Z]*i[a-zA-Z]*$|^--(?:interactive|stdin)(?:=true)?$/.test(option)
}
