interface BatchOptions {
  /** The most questions in a query. */
  readonly most: number
  /** The most queries at a time. */
  readonly lanes: number
}

interface Waiting<Question, Answer> {
  readonly question: Question
  readonly done: (answer: Answer) => void
  readonly fail: (error: unknown) => void
}

/**
 * Batches questions into one query while all lanes are busy. A query starts after its questions arrived, so no answer
 * is stale. `ask` returns the answers in the order of the questions.
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
      // Questions of the same turn of the event loop share a query.
      if (waiting.length === 1) setImmediate(start)
    })
}
