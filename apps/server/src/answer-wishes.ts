/** The other side of a side process: answers one request after the other. */
export function answerWishes<Wish, Answer>(answer: (wish: Wish) => Answer): void {
  process.on('message', ({ id, wish }: { id: number; wish: Wish }) => {
    process.send?.({ id, answer: answer(wish) })
  })
  process.send?.('ready')
}
