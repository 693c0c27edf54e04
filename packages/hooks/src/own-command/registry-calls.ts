import { decidingTools, keyTools } from './verbs.ts'

export const DECIDES = 'it decides about a change in the place of the person or the specialist'

/** Routes of the registry that decide: https://…/approvals/changes/<id>/approve, /keys, and tools by name. */
export const ROUTES =
  /\/approvals\/(?:changes\/[^/\s'"]+\/(?:approve|reject)|spend|import|patterns)\b|\/keys(?:\/[^/\s'"]+(?:\/rotate)?)?(?=$|[\s'"?#])|\b(?:registry_(?:approve_change|reject_change|add_pattern|import)|approval_(?:spend|import)|key_(?:create|rotate|revoke))\b/

/** Whether a text contains a deciding route of the registry. */
export function callsOwnRoute(text: string): boolean {
  return ROUTES.test(text) && isOfRegistry(text)
}

/** Other services have /keys too: it counts only with a pml key or on this machine. */
function isOfRegistry(text: string): boolean {
  return !/\/keys/.test(text) || /\bpml_|PML_|localhost|127\.0\.0\.1|\[::1\]|registry|\$/i.test(text)
}

/**
 * Reports whether a tool with this name decides for others, in any client's spelling: `acme__registry_approve_change`,
 * `registry-approve-change`.
 */
export function isDecidingTool(name: string, around: string): boolean {
  const plain = name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
  const ends = (tool: string) => plain === tool || plain.endsWith(`_${tool}`)
  if ([...decidingTools].some(ends)) return true
  return [...keyTools].some(ends) && /pml|registry/i.test(`${around} ${name}`)
}
