/** The block message for a failure of the hook. */
export function printFailure(error: unknown): string {
  const isKnown = isPmlError(error)
  const rule = isKnown && error.code === 'invalid_config' ? 'POLICY_UNREADABLE' : 'HOOK_FAILED'
  const why = error instanceof Error ? error.message : String(error)
  const failed = isKnown ? '' : 'The hook of pml failed, so the call is blocked: '
  return `BLOCKED::${rule}\nACTION::tell the person that the hook could not decide\n\n${failed}${why}.\nThe person can run "pml hooks doctor" to find out why.\n`
}

/** By name, because bundles that are loaded later have their own copy of the class. */
function isPmlError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && ['PmlError', 'IntegrityError'].includes(error.name)
}
