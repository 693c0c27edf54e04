/** The most common words first: descriptions use the n-th word n times less often than the first. */
const common =
  'data file text server search list read create web page user get query update project issue message image document delete code find write table database record event token token test error model value time date map report task note account order product price payment email channel calendar browser screenshot folder path line word number format parse convert summary translate weather route place city invoice customer contact deal lead ticket comment branch commit release build deploy cluster node log metric alert trace dashboard chart graph vector index cache queue job schedule secret key policy role group member team space board card label flag feature experiment dataset notebook cell sheet column row'.split(
    ' ',
  )

const RARE = 20_000
const onsets = ['b', 'br', 'd', 'f', 'g', 'gl', 'k', 'l', 'm', 'n', 'p', 'pr', 'r', 's', 'st', 't', 'v', 'z']
const vowels = ['a', 'e', 'i', 'o', 'u', 'ai', 'ou']
const ends = ['', 'n', 'r', 'l', 's', 'x', 'm', 'nd']

/** Real words, then many unique words made up of syllables. */
export function createVocabulary(): string[] {
  const made = Array.from({ length: RARE }, (_, index) => syllables(index + 1))
  return [...new Set([...common, ...made])]
}

function syllables(seed: number): string {
  let rest = seed * 7919
  const take = (from: readonly string[]) => {
    const taken = from[rest % from.length] ?? ''
    rest = Math.floor(rest / from.length)
    return taken
  }
  return Array.from({ length: 2 + (seed % 2) }, () => take(onsets) + take(vowels) + take(ends)).join('')
}
