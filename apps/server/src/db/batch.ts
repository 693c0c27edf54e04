interface BatchOptions {
  /** Questions to a query. */
  readonly most: number
  /** Queries at a time. */
  readonly lanes: number
}

interface Waiting<Question, Answer> {
  readonly question: Question
  readonly done: (answer: Answer) => void
  readonly fail: (error: unknown) => void
}

/**
 * Makes one query of the questions that come while others run: a query costs many times what another question in it
 * costs. Each is asked after it came, so no answer is older than its question. `ask` answers in the order it was asked.
 */
export function createBatch<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  { most, lanes }: BatchOptions,
): (question: Question) => Promise<Answer> {
  let waiting: Waiting<Question, Answer>[] = []
  let running = 0

  async function run(): Promise<void> {
    const batch = waiting.slice(0, most)
    waiting = waiting.slice(most)
    running += 1
    try {
      const answers = await ask(batch.map(({ question }) => question))
      batch.forEach(({ done }, at) => done(answers[at] as Answer))
    } catch (error) {
      for (const { fail } of batch) fail(error)
    } finally {
      running -= 1
      start()
    }
  }

  function start(): void {
    while (waiting.length > 0 && running < lanes) void run()
  }

  return (question) =>
    new Promise((done, fail) => {
      waiting.push({ question, done, fail })
      // What arrives in the same turn of the loop goes together.
      if (waiting.length === 1) setImmediate(start)
    })
}
