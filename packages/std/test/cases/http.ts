import { expect } from 'vitest'
import type { Case } from '../case.ts'

const cases: Case[] = [
  {
    tool: 'get',
    args: { url: '$URL/hello' },
    result: {
      status: 200,
      ok: true,
      url: '$URL/hello',
      headers: expect.objectContaining({ 'content-type': 'text/plain; charset=utf-8' }),
      body: 'héllo ✓',
    },
  },
  {
    tool: 'get',
    args: { url: '$URL/redirect' },
    result: expect.objectContaining({ status: 200, url: '$URL/hello', body: 'héllo ✓' }),
  },
  { tool: 'get', args: { url: '$URL/latin1' }, result: expect.objectContaining({ body: 'é' }) },
  {
    tool: 'get',
    args: { url: '$URL/bytes', encoding: 'base64' },
    result: expect.objectContaining({ body: 'AP+A' }),
  },
  {
    tool: 'get',
    args: { url: '$URL/missing' },
    result: expect.objectContaining({ status: 404, ok: false, body: 'no such page' }),
  },
  {
    tool: 'get',
    args: { url: '$URL/echo', headers: { 'x-test': 'yes' } },
    result: expect.objectContaining({ body: expect.stringContaining('"test":"yes"') }),
  },
  {
    tool: 'get',
    args: { url: '$URL/empty', timeoutMs: 5000 },
    result: expect.objectContaining({ status: 204, body: '' }),
  },
  {
    tool: 'get',
    args: { url: '$URL/large' },
    error: 'Cannot get $URL/large: the answer is larger than 10000000 bytes',
  },
  { tool: 'get', args: { url: '$URL/bomb' }, error: 'the answer is larger than 10000000 bytes' },
  {
    tool: 'get',
    args: { url: '$URL/never', timeoutMs: 100 },
    error: 'Cannot get $URL/never: no complete answer in time',
  },
  {
    tool: 'get',
    args: { url: '$URL/stalls', timeoutMs: 100 },
    error: 'Cannot get $URL/stalls: no complete answer in time',
  },
  {
    tool: 'get',
    args: { url: 'file:///etc/passwd' },
    error:
      'Cannot get: expected url to be an http or https URL without user and password, got "file:///etc/passwd"',
  },
  { tool: 'get', args: { url: 'http://user:secret@127.0.0.1/' }, error: 'without user and password' },
  { tool: 'get', args: { url: 'nonsense' }, error: 'expected url to be an http or https URL' },
  {
    tool: 'get',
    args: { url: '$URL/hello', headers: { a: 1 } },
    error: 'expected headers to have text for a, got 1',
  },
  {
    tool: 'get',
    args: { url: '$URL/hello', timeoutMs: 0 },
    error: 'expected timeoutMs to be a number from 1 to 120000, got 0',
  },
  {
    tool: 'get',
    args: { url: '$URL/hello', encoding: 'hex' },
    error: 'expected encoding to be text or base64, got "hex"',
  },

  {
    tool: 'get_json',
    args: { url: '$URL/json' },
    result: { status: 200, value: { items: [1, 2], name: 'é' } },
  },
  {
    tool: 'get_json',
    args: { url: '$URL/echo', headers: { 'x-test': 'é'.normalize('NFD').slice(0, 1) }, timeoutMs: 5000 },
    result: {
      status: 200,
      value: expect.objectContaining({ method: 'GET', accept: 'application/json', test: 'e' }),
    },
  },
  {
    tool: 'get_json',
    args: { url: '$URL/missing' },
    error: 'Cannot get JSON from $URL/missing: status 404: no such page',
  },
  { tool: 'get_json', args: { url: '$URL/hello' }, error: 'expected JSON, got "héllo ✓"' },
  { tool: 'get_json', args: { url: '$URL/never', timeoutMs: 100 }, error: 'no complete answer in time' },
  { tool: 'get_json', args: {}, error: 'Cannot get JSON: expected url to be an http or https URL' },

  {
    tool: 'post_json',
    args: { url: '$URL/echo', value: { é: 1 }, headers: { 'x-test': 'yes' }, timeoutMs: 5000 },
    result: expect.objectContaining({
      status: 200,
      ok: true,
      value: expect.objectContaining({
        method: 'POST',
        contentType: 'application/json',
        test: 'yes',
        body: '{"é":1}',
      }),
    }),
  },
  {
    tool: 'post_json',
    args: { url: '$URL/echo', value: null, method: 'PATCH' },
    result: expect.objectContaining({ value: expect.objectContaining({ method: 'PATCH', body: 'null' }) }),
  },
  {
    tool: 'post_json',
    args: { url: '$URL/missing', value: 1 },
    result: { status: 404, ok: false, body: 'no such page' },
  },
  {
    tool: 'post_json',
    args: { url: '$URL/echo' },
    error: 'Cannot send JSON: expected value to be a JSON value',
  },
  {
    tool: 'post_json',
    args: { url: '$URL/echo', value: 1, method: 'GET' },
    error: 'expected method to be POST, PUT, PATCH or DELETE, got "GET"',
  },
  {
    tool: 'post_json',
    args: { url: '$URL/large', value: 1 },
    error: 'Cannot send to $URL/large: the answer is larger than 10000000 bytes',
  },

  {
    tool: 'head',
    args: { url: '$URL/hello', headers: {}, timeoutMs: 5000 },
    result: {
      status: 200,
      ok: true,
      url: '$URL/hello',
      headers: expect.objectContaining({ 'content-type': 'text/plain; charset=utf-8' }),
    },
  },
  {
    tool: 'head',
    args: { url: '$URL/redirect', follow: false },
    result: expect.objectContaining({
      status: 302,
      ok: false,
      headers: expect.objectContaining({ location: '/hello' }),
    }),
  },
  {
    tool: 'head',
    args: { url: '$URL/never', timeoutMs: 100 },
    error: 'Cannot get head of $URL/never: no complete answer in time',
  },
  {
    tool: 'head',
    args: { url: 'ftp://a.example' },
    error: 'Cannot get head: expected url to be an http or https URL',
  },
]

export default cases
