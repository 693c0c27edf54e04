import type { Case, NamedCase } from './case.ts'
import collections from './cases/collections.ts'
import crypto from './cases/crypto.ts'
import datetime from './cases/datetime.ts'
import encoding from './cases/encoding.ts'
import filesystem from './cases/filesystem.ts'
import http from './cases/http.ts'
import json from './cases/json.ts'
import math from './cases/math.ts'
import string from './cases/string.ts'
import text from './cases/text.ts'

const modules = { collections, crypto, datetime, encoding, filesystem, http, json, math, string, text }

export const allCases: readonly NamedCase[] = Object.entries(modules).flatMap(([module, cases]) =>
  cases.map((one: Case) => ({ title: titleOf(module, one), module, case: one })),
)

function titleOf(module: string, { tool, args }: Case): string {
  const text = JSON.stringify(args)
  return `${module}.${tool} ${text.length > 90 ? `${text.slice(0, 90)}…` : text}`
}
