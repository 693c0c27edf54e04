const entityTag = /[\s,]*(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(?:,[\s,]*|$)/y

/** RFC 9110, 13.1.2: a list of tags compared weakly, or `*`. An invalid field matches nothing. */
export function ifNoneMatch(field: string | undefined, etag: string): boolean {
  if (field === undefined) return false
  if (field === etag) return true
  if (field.trim() === '*') return true
  entityTag.lastIndex = 0
  let found = false
  while (entityTag.lastIndex < field.length) {
    const match = entityTag.exec(field)
    if (!match) return false
    found ||= match[1] === etag
  }
  return found
}
