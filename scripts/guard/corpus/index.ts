import type { Evasion } from '../evasion.ts'
import { ARCHIVES, DOWNLOADS, GIT } from './bringing.ts'
import { BUILDING } from './building.ts'
import { NODE, OTHER_LANGUAGES, PYTHON } from './code.ts'
import { COPYING, LINKS, SUFFIXES } from './copying.ts'
import { EXPANSION } from './expansion.ts'
import { CLAUDE_SETTINGS, PML_JSON, POLICY } from './guard-files.ts'
import { EDITORS, SAVERS, SED_AND_AWK } from './programs.ts'
import { GLOBS, READING } from './reading.ts'
import { REDIRECTIONS } from './redirections.ts'
import { EACH, NESTED } from './shells.ts'
import { PYTHON_TESTS, WORKSPACE_SCRIPTS } from './workspace-scripts.ts'
import { WRAPPERS } from './wrappers.ts'

/** Every evasion, group by group. */
export const EVASIONS: readonly Evasion[] = [
  REDIRECTIONS,
  WRAPPERS,
  EXPANSION,
  READING,
  GLOBS,
  COPYING,
  SUFFIXES,
  LINKS,
  SED_AND_AWK,
  EDITORS,
  SAVERS,
  ARCHIVES,
  GIT,
  DOWNLOADS,
  NESTED,
  EACH,
  PYTHON,
  NODE,
  OTHER_LANGUAGES,
  BUILDING,
  PML_JSON,
  CLAUDE_SETTINGS,
  POLICY,
  WORKSPACE_SCRIPTS,
  PYTHON_TESTS,
].flat()
