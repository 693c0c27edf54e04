export { canonicalJson, type JsonObject, type JsonValue } from './canonical-json.ts'
export { errorTable, IntegrityError, PmlError, type ErrorCode } from './errors.ts'
export { ifNoneMatch } from './if-none-match.ts'
export {
  documentBytes,
  findIntegrity,
  hashFor,
  hashMatches,
  hexOf,
  reprDigest,
  SHORTEST_HASH,
  type Integrity,
} from './integrity.ts'
export { integrityOf } from './integrity-of.ts'
export {
  findLocalServer,
  findReference,
  findServer,
  isComponent,
  isLocal,
  localServerName,
  parseEntryReference,
  parseName,
  parseReference,
  printFqdn,
  serverName,
  toolNameOf,
  type Fqdn,
  type Name,
  type Reference,
  type ToolName,
} from './names.ts'
export { diffLockfiles } from './lockfile/diff-lockfiles.ts'
export {
  emptyLockfile,
  lockedFqdn,
  withEntry,
  withoutEntries,
  withoutUnwanted,
  type Cleaned,
  type LockedEntry,
  type LockedType,
  type Lockfile,
} from './lockfile/lockfile.ts'
export { parseLockfile } from './lockfile/parse-lockfile.ts'
export { printLockfile } from './lockfile/print-lockfile.ts'
export { newWorkspaceConfig, withoutRule, withRule } from './edit-workspace-config.ts'
export {
  agreeToAdded,
  findUnagreed,
  noTrustParts,
  trustPartsOf,
  withoutGiven,
  withoutRemoved,
  type OwnChange,
  type TrustParts,
} from './workspace-trust.ts'
export { emptyWorkspaceConfig, parseWorkspaceConfig, type WorkspaceConfig } from './workspace-config.ts'
export { findUngranted, grantsFor, grantKinds, type Grant, type GrantKind, type GrantSet } from './grants.ts'
export { decide, isWanted, type Permissions, type Verdict } from './permissions.ts'
export { packageSpecOf, quietSwitches, type PackageSpec } from './package-spec.ts'
export { fillReferences, referencesIn } from './references.ts'
export { noRoutingRules, parseRoutingConfig, routingFor, type Routing, type RoutingRules } from './routing.ts'
export { isDeciding } from './deciding-variables.ts'
export { findStateProblem, type ServerState } from './server-state.ts'
export { bareToolName, parseServerConfig, type ServerConfig, type ServerConfigFile } from './server-config.ts'
export {
  listingBytes,
  normalListing,
  type ListedLaunch,
  type ServerListing,
} from './changes/server-listing.ts'
export { parseStrictJson } from './strict-json.ts'
export { isLoopback } from './loopback.ts'
export { mayProxy, mayPublish, mayRead } from './scopes.ts'
export { covers, touches, type ToolPattern } from './tool-patterns.ts'
