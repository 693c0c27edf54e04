import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { findProcesses, isAlive } from './process-tree.ts'

export interface ProcessCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** The whole environment; nothing is inherited. One variable is added to find descendants by. */
  readonly env: Readonly<Record<string, string>>
}

/** Sends a signal to a process, or to its group if the number is negative. Throws if there is none. */
export type Kill = (pid: number, signal: NodeJS.Signals | 0) => boolean

interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

const MARK = 'PML_PROCESS_MARK'
/** No process survives SIGKILL for long, unless it hangs in the kernel. */
const KILL_TIMEOUT_MS = 2000
const MOST_SWEEPS = 10

/** Running processes. Module-wide, so that they can be killed at exit. */
const living = new Set<OwnedProcess>()
let family: string | undefined
let count = 0

/** Is notified of the start and end of every process, by its process group. */
interface Follower {
  begin(group: number): void
  end(group: number): void
}

let follower: Follower | undefined

/** Sets the only follower, and notifies it of processes that run already. */
export function followProcesses(following: Follower): void {
  follower = following
  for (const { child } of living) if (child.pid !== undefined) following.begin(child.pid)
}

/** The prefix of the marks of all processes started here. */
export function familyMark(): string {
  family ??= randomUUID()
  return `${MARK}=${family}`
}

/** Kills everything that was started here, at exit, when nothing can be awaited. */
export function killAllSync(): void {
  for (const owned of living) owned.killSync()
}

/** A process in its own group and session, which ends together with all its descendants. */
export class OwnedProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  /** Resolves when the process itself has exited; never if it did not start. */
  readonly exited: Promise<Exit>
  readonly #kill: Kill
  readonly #mark = `${familyMark()}.${++count}`
  readonly #killed = new Set<number>()
  #exit: Exit | undefined
  #ending: Promise<void> | undefined
  #sweeping: Promise<void> | undefined

  /** Await `started` before anything else. */
  constructor({ command, args, cwd, env }: ProcessCommand, kill: Kill) {
    this.#kill = kill
    this.child = spawn(command, args, {
      cwd,
      env: { ...env, [MARK]: this.#mark.slice(MARK.length + 1) },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    })
    if (this.child.pid !== undefined) {
      living.add(this)
      follower?.begin(this.child.pid)
    }
    this.exited = new Promise((resolve) =>
      this.child.once('exit', (code, signal) => {
        this.#exit = { code, signal }
        resolve(this.#exit)
        // Descendants do not outlive the process.
        void this.#sweep()
      }),
    )
  }

  /** Rejects with the system's error if the process cannot be started. */
  started(): Promise<void> {
    return new Promise((resolve, reject) => this.child.once('spawn', resolve).once('error', reject))
  }

  /** Exit code and signal, once it has exited. */
  get exit(): Exit | undefined {
    return this.#exit
  }

  /** Closes stdin, then sends SIGTERM, and waits `graceMs` after each; 0 kills at once. Leaves nothing alive. */
  end(graceMs: number): Promise<void> {
    if (graceMs === 0) return this.#sweep()
    this.#ending ??= this.#end(graceMs)
    return this.#ending
  }

  killSync(): void {
    for (let round = 0; round < MOST_SWEEPS && this.#killFound(); round++);
  }

  async #end(graceMs: number): Promise<void> {
    if (this.child.pid !== undefined) await this.#askToEnd(this.child.pid, graceMs)
    await this.#sweep()
  }

  async #askToEnd(pid: number, graceMs: number): Promise<void> {
    this.child.stdin.end()
    if (await this.#exitsWithin(graceMs)) return
    this.#signal(-pid, 'SIGTERM')
    await this.#exitsWithin(graceMs)
  }

  async #exitsWithin(limitMs: number): Promise<boolean> {
    const stop = new AbortController()
    await Promise.race([this.exited, delay(limitMs, undefined, { signal: stop.signal }).catch(() => {})])
    stop.abort()
    return this.#exit !== undefined
  }

  #sweep(): Promise<void> {
    this.#sweeping ??= this.#sweepAway()
    return this.#sweeping
  }

  async #sweepAway(): Promise<void> {
    if (this.child.pid === undefined) return
    const deadline = performance.now() + KILL_TIMEOUT_MS
    while ((this.#killFound() || this.#isAnyDying()) && performance.now() < deadline) await delay(5)
    const { stdin, stdout, stderr } = this.child
    // Output from before the exit can still be read, and no descendant can write any more.
    stdin.destroy()
    await Promise.race([this.exited, delay(KILL_TIMEOUT_MS, undefined, { ref: false })])
    if (this.#exit === undefined) for (const stream of [stdout, stderr]) stream.destroy()
    living.delete(this)
    follower?.end(this.child.pid)
  }

  /** Stops the group first, so that nothing is started between listing and killing. Returns whether anything was alive. */
  #killFound(): boolean {
    const { pid: root } = this.child
    if (root === undefined) return false
    const isRootGone = this.#exit !== undefined
    if (!isRootGone) this.#signal(-root, 'SIGSTOP')
    const found = findProcesses({ root, isRootGone, mark: this.#mark })
    if (found === undefined) return this.#killBlindly(root, isRootGone)
    for (const pid of found) {
      this.#signal(pid, 'SIGKILL')
      this.#killed.add(pid)
    }
    return found.length > 0
  }

  /** A killed process loses its environment, by which it was found, shortly before it is dead. */
  #isAnyDying(): boolean {
    return [...this.#killed].some(isAlive)
  }

  #killBlindly(root: number, isRootGone: boolean): boolean {
    const isGroupAlive = this.#signal(-root, 'SIGKILL')
    return isRootGone ? isGroupAlive : this.#signal(root, 'SIGKILL')
  }

  /** Returns false if there is no such process or group. */
  #signal(target: number, signal: NodeJS.Signals | 0): boolean {
    try {
      return this.#kill(target, signal)
    } catch {
      return false
    }
  }
}
