import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { findProcesses, isAlive } from './process-tree.ts'

export interface ProcessCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** All of it: nothing is inherited. One variable is added, by which descendants are found again. */
  readonly env: Readonly<Record<string, string>>
}

/** Sends a signal to a process, or with a negative number to its whole group. Throws when there is none. */
export type Kill = (pid: number, signal: NodeJS.Signals | 0) => boolean

interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

const MARK = 'PML_PROCESS_MARK'
/** Nothing outlives SIGKILL for long, except what hangs in the kernel. */
const KILL_TIMEOUT_MS = 2000
const MOST_SWEEPS = 10

/** What runs now. Module-wide, since at the end of this process nobody can be asked for it any more. */
const living = new Set<OwnedProcess>()
let family: string | undefined
let count = 0

/** Hears of every process that is started here, and of its end, by the number of its group. */
interface Follower {
  begin(group: number): void
  end(group: number): void
}

let follower: Follower | undefined

/** There is one at most. It hears of those that run already. */
export function followProcesses(following: Follower): void {
  follower = following
  for (const { child } of living) if (child.pid !== undefined) following.begin(child.pid)
}

/** How the mark of everything that is started here begins. */
export function familyMark(): string {
  family ??= randomUUID()
  return `${MARK}=${family}`
}

/** For the very end of this process, when nothing can be awaited: nothing that was started here outlives it. */
export function killAllSync(): void {
  for (const owned of living) owned.killSync()
}

/** A process in a group and session of its own, which ends with everything that came from it. */
export class OwnedProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  /** Settles when the process itself has ended. Never for one that did not start. */
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
        // Children do not outlive the one that they worked for.
        void this.#sweep()
      }),
    )
  }

  /** Rejects with the system's error when there was nothing to start. */
  started(): Promise<void> {
    return new Promise((resolve, reject) => this.child.once('spawn', resolve).once('error', reject))
  }

  /** How it ended, once it has. */
  get exit(): Exit | undefined {
    return this.#exit
  }

  /** Asks by closing stdin, then by SIGTERM, `graceMs` each; 0 asks nobody, even if others do. Leaves nothing alive. */
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
    // What was written before the end is still to be read; what came from it can write no more.
    stdin.destroy()
    await Promise.race([this.exited, delay(KILL_TIMEOUT_MS, undefined, { ref: false })])
    if (this.#exit === undefined) for (const stream of [stdout, stderr]) stream.destroy()
    living.delete(this)
    follower?.end(this.child.pid)
  }

  /** Frozen first, so that nothing is started between looking for what runs and ending it. Tells whether anything was alive. */
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

  /** Whatever is killed loses its environment, by which it was found, a moment before it is dead. */
  #isAnyDying(): boolean {
    return [...this.#killed].some(isAlive)
  }

  #killBlindly(root: number, isRootGone: boolean): boolean {
    const isGroupAlive = this.#signal(-root, 'SIGKILL')
    return isRootGone ? isGroupAlive : this.#signal(root, 'SIGKILL')
  }

  /** False when there is no such process, or none of the group is left. */
  #signal(target: number, signal: NodeJS.Signals | 0): boolean {
    try {
      return this.#kill(target, signal)
    } catch {
      return false
    }
  }
}
