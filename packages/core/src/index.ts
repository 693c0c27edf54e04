export { canonicalJson, type JsonValue } from './canonical-json.ts'
export { errorTable, PmlError, type ErrorCode } from './errors.ts'
export { ifNoneMatch } from './if-none-match.ts'
export {
  documentBytes,
  findIntegrity,
  hashFor,
  hashMatches,
  hexOf,
  integrityOf,
  reprDigest,
  SHORTEST_HASH,
  type Integrity,
} from './integrity.ts'
export {
  findServer,
  isComponent,
  orgOf,
  parseName,
  parseReference,
  parseToolName,
  printFqdn,
  serverName,
  toolNameOf,
  type Fqdn,
  type Name,
  type Reference,
  type ToolName,
} from './names.ts'
export { decide, isWanted, parsePermissions, type Permissions, type Verdict } from './permissions.ts'
export { parseRoutingRules, routingFor, type Routing, type RoutingRules } from './routing.ts'
export { isScope, mayPublish, mayRead } from './scopes.ts'
export { compareSpecificity, covers, parseToolPattern, touches, type ToolPattern } from './tool-patterns.ts'
