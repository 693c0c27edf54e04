/** Why a hook that failed blocks, in the form of every block. */
export function printFailure(error: unknown): string {
  const isKnown = isPmlError(error)
  const rule = isKnown && error.code === 'invalid_config' ? 'POLICY_UNREADABLE' : 'HOOK_FAILED'
  const why = error instanceof Error ? error.message : String(error)
  const failed = isKnown ? '' : 'The hook of pml failed, so the call is blocked: '
  return `BLOCKED::${rule}\nACTION::tell the person that the hook could not decide\n\n${failed}${why}.\nThe person can run "pml hooks doctor" to find out why.\n`
}

/** Files that are loaded later bring a class of their own, of the same name. */
function isPmlError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && ['PmlError', 'IntegrityError'].includes(error.name)
}
