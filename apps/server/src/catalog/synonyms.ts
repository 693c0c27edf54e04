/** Groups of synonyms, one to a line: a search for a word also finds the others of its group. */
const groups = [
  'browse browser website internet webpage',
  'scrape crawl extract',
  'directions route navigation',
  'charge pay payment checkout',
  'crm contacts companies deals',
  'remember recall memory knowledge',
  'bug error exception crash',
  'docs documentation manual',
  'latest current recent',
  'fail failed failure failing',
  'sql postgres mysql sqlite database',
  'picture image photo',
  'folder directory',
  'generate create make',
  'delete remove',
  'think thinking reason reasoning',
  'javascript eslint',
  'ticket issue',
]

const related = new Map<string, Set<string>>()
for (const group of groups) {
  const words = group.split(' ')
  for (const word of words) {
    related.set(word, new Set([...(related.get(word) ?? []), ...words.filter((other) => other !== word)]))
  }
}

export function synonymsOf(word: string): string[] {
  return [...(related.get(word) ?? [])]
}
