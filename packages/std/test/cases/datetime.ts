import { expect } from 'vitest'
import type { Case } from '../case.ts'

const cases: Case[] = [
  {
    tool: 'now',
    args: { timeZone: 'Asia/Kolkata' },
    result: {
      iso: expect.stringMatching(/^20\d\d-\d\d-\d\dT[\d:.]+Z$/),
      local: expect.stringMatching(/\+05:30$/),
      epochMs: expect.any(Number),
      timeZone: 'Asia/Kolkata',
    },
  },
  {
    tool: 'now',
    args: {},
    result: expect.objectContaining({ local: expect.stringMatching(/\+00:00$/), timeZone: 'UTC' }),
  },
  {
    tool: 'now',
    args: { timeZone: 'Mars/Base' },
    error: 'Cannot tell time: expected timeZone to be an IANA zone such as Europe/Paris, got "Mars/Base"',
  },
  { tool: 'now', args: { timeZone: '+01:00' }, error: 'got "+01:00"' },

  {
    tool: 'parse',
    args: { text: '2024-03-01T09:30:00.250+02:00' },
    result: {
      iso: '2024-03-01T07:30:00.250Z',
      local: '2024-03-01T07:30:00.250+00:00',
      epochMs: 1709278200250,
    },
  },
  {
    tool: 'parse',
    args: { text: '2024-07-01 09:30', timeZone: 'Europe/Paris' },
    result: {
      iso: '2024-07-01T07:30:00.000Z',
      local: '2024-07-01T09:30:00.000+02:00',
      epochMs: 1719819000000,
    },
  },
  {
    tool: 'parse',
    args: { text: 'Fri, 01 Mar 2024 09:30:00 GMT' },
    result: expect.objectContaining({ iso: '2024-03-01T09:30:00.000Z' }),
  },
  {
    tool: 'parse',
    args: { text: '1 Mar 2024 09:30 -0500' },
    result: expect.objectContaining({ iso: '2024-03-01T14:30:00.000Z' }),
  },
  {
    tool: 'parse',
    args: { text: '1709285400' },
    result: expect.objectContaining({ iso: '2024-03-01T09:30:00.000Z' }),
  },
  {
    tool: 'parse',
    args: { text: '1709285400250' },
    result: expect.objectContaining({ iso: '2024-03-01T09:30:00.250Z' }),
  },
  {
    tool: 'parse',
    args: { text: '2024-02-29' },
    result: expect.objectContaining({ iso: '2024-02-29T00:00:00.000Z' }),
  },
  // Clocks went from 02:00 to 03:00, and later twice through 02:30
  {
    tool: 'parse',
    args: { text: '2024-03-31 02:30', timeZone: 'Europe/Paris' },
    result: expect.objectContaining({ local: '2024-03-31T03:30:00.000+02:00' }),
  },
  {
    tool: 'parse',
    args: { text: '2024-10-27 02:30', timeZone: 'Europe/Paris' },
    result: expect.objectContaining({ local: '2024-10-27T02:30:00.000+02:00' }),
  },
  {
    tool: 'parse',
    args: { text: '2023-02-29' },
    error: 'Cannot parse date: expected text to be a date such as 2024-03-01T09:00:00Z, got "2023-02-29"',
  },
  { tool: 'parse', args: { text: '2024-01-01T24:00:00Z' }, error: 'Cannot parse date' },
  { tool: 'parse', args: { text: '01 Foo 2024 09:30 GMT' }, error: 'Cannot parse date' },
  { tool: 'parse', args: { text: 'tomorrow' }, error: 'got "tomorrow"' },
  { tool: 'parse', args: { text: 5 }, error: 'Cannot parse date: expected text to be a string, got 5' },

  { tool: 'format', args: { date: '2024-03-01T09:05:07Z' }, result: { text: '2024-03-01 09:05:07 +00:00' } },
  {
    tool: 'format',
    args: {
      date: '2024-03-01T23:05:07.089Z',
      pattern: "EEEE d MMMM yy, h:mm a 'o''clock' xxx SSS",
      timeZone: 'America/St_Johns',
    },
    result: { text: 'Friday 1 March 24, 7:35 PM oclock -03:30 089' },
  },
  {
    tool: 'format',
    args: { date: '2024-12-31T23:30:00Z', pattern: "yyyy-MM-dd'T'HH:mm EEE MMM ''", timeZone: 'Asia/Tokyo' },
    result: { text: "2025-01-01T08:30 Wed Jan '" },
  },
  { tool: 'format', args: { date: '2024-03-01T00:00:00Z', pattern: 'hh a H' }, result: { text: '12 AM 0' } },
  {
    tool: 'format',
    args: { date: '2024-03-01', pattern: 'QQ' },
    error: 'expected a known field in pattern; quote text with single quotes, got "QQ"',
  },
  {
    tool: 'format',
    args: { date: '2024-02-30' },
    error: 'Cannot format date: expected date to be a date such as 2024-03-01T09:00:00Z, got "2024-02-30"',
  },
  { tool: 'format', args: { date: '2024-03-01T09:00:00' }, error: 'expected date to be a date' },
  {
    tool: 'format',
    args: { date: '2024-03-01', timeZone: 7 },
    error: 'expected timeZone to be an IANA zone',
  },

  {
    tool: 'add',
    args: { date: '2024-01-31T10:00:00Z', months: 1 },
    result: { iso: '2024-02-29T10:00:00.000Z', local: '2024-02-29T10:00:00.000+00:00' },
  },
  {
    tool: 'add',
    args: { date: '2024-02-29', years: -1, weeks: 1, minutes: 30, seconds: -1 },
    result: { iso: '2023-03-07T00:29:59.000Z', local: '2023-03-07T00:29:59.000+00:00' },
  },
  // A day over a clock change keeps the wall time, 24 hours do not
  {
    tool: 'add',
    args: { date: '2024-03-30T12:00:00+01:00', days: 1, timeZone: 'Europe/Paris' },
    result: { iso: '2024-03-31T10:00:00.000Z', local: '2024-03-31T12:00:00.000+02:00' },
  },
  {
    tool: 'add',
    args: { date: '2024-03-30T12:00:00+01:00', hours: 24, timeZone: 'Europe/Paris' },
    result: { iso: '2024-03-31T11:00:00.000Z', local: '2024-03-31T13:00:00.000+02:00' },
  },
  {
    tool: 'add',
    args: { date: '1970-01-02', days: -1, timeZone: 'Asia/Tokyo' },
    result: { iso: '1970-01-01T00:00:00.000Z', local: '1970-01-01T09:00:00.000+09:00' },
  },
  {
    tool: 'add',
    args: { date: '2024-01-01', days: 1.5 },
    error: 'Cannot add to date: expected days to be an integer, got 1.5',
  },
  {
    tool: 'add',
    args: { date: '2024-01-01', years: 9000 },
    error: 'the result is not within the years 100 to 9999',
  },
  {
    tool: 'add',
    args: { date: '2024-01-01', years: 1e12 },
    error: 'the result is not within the years 100 to 9999',
  },
  { tool: 'add', args: { days: 1 }, error: 'Cannot add to date: expected date to be a date' },

  {
    tool: 'difference',
    args: { from: '2024-01-31T00:00:00Z', to: '2024-03-01T12:30:00.500Z' },
    result: {
      milliseconds: 2637000500,
      seconds: 2637000.5,
      minutes: 2637000500 / 60_000,
      hours: 2637000500 / 3_600_000,
      days: 2637000500 / 86_400_000,
      wholeMonths: 1,
      wholeYears: 0,
      duration: 'P30DT12H30M0.5S',
    },
  },
  {
    tool: 'difference',
    args: { from: '2024-01-31', to: '2024-02-29' },
    result: expect.objectContaining({ wholeMonths: 1, duration: 'P29D' }),
  },
  {
    tool: 'difference',
    args: { from: '2024-05-10', to: '2000-05-11' },
    result: expect.objectContaining({ wholeMonths: -287, wholeYears: -23, days: -8765 }),
  },
  {
    tool: 'difference',
    args: { from: '2024-05-10', to: '2024-05-10T02:00:00+02:00' },
    result: expect.objectContaining({ milliseconds: 0, duration: 'PT0S' }),
  },
  {
    tool: 'difference',
    args: { from: '2024-05-10', to: 'soon' },
    error: 'Cannot measure time: expected to to be a date such as 2024-03-01T09:00:00Z, got "soon"',
  },

  {
    tool: 'week_of_year',
    args: { date: '2021-01-03' },
    result: { year: 2020, week: 53, weekday: 7, dayOfYear: 3, isoWeek: '2020-W53-7' },
  },
  {
    tool: 'week_of_year',
    args: { date: '2024-12-30' },
    result: { year: 2025, week: 1, weekday: 1, dayOfYear: 365, isoWeek: '2025-W01-1' },
  },
  {
    tool: 'week_of_year',
    args: { date: '2024-12-31T20:00:00Z', timeZone: 'Asia/Tokyo' },
    result: { year: 2025, week: 1, weekday: 3, dayOfYear: 1, isoWeek: '2025-W01-3' },
  },
  {
    tool: 'week_of_year',
    args: { date: '2024-13-01' },
    error: 'Cannot tell week: expected date to be a date',
  },

  {
    tool: 'start_of',
    args: { date: '2024-05-15T10:20:30Z', unit: 'quarter' },
    result: { start: '2024-04-01T00:00:00.000+00:00', next: '2024-07-01T00:00:00.000+00:00' },
  },
  {
    tool: 'start_of',
    args: { date: '2024-05-15T10:20:30Z', unit: 'year' },
    result: { start: '2024-01-01T00:00:00.000+00:00', next: '2025-01-01T00:00:00.000+00:00' },
  },
  {
    tool: 'start_of',
    args: { date: '2024-12-15', unit: 'month' },
    result: { start: '2024-12-01T00:00:00.000+00:00', next: '2025-01-01T00:00:00.000+00:00' },
  },
  {
    tool: 'start_of',
    args: { date: '2024-03-03', unit: 'week' },
    result: { start: '2024-02-26T00:00:00.000+00:00', next: '2024-03-04T00:00:00.000+00:00' },
  },
  {
    tool: 'start_of',
    args: { date: '2024-03-31T12:00:00Z', unit: 'day', timeZone: 'Europe/Paris' },
    result: { start: '2024-03-31T00:00:00.000+01:00', next: '2024-04-01T00:00:00.000+02:00' },
  },
  {
    tool: 'start_of',
    args: { date: '2024-10-27T01:45:00Z', unit: 'hour', timeZone: 'Europe/Paris' },
    result: { start: '2024-10-27T02:00:00.000+01:00', next: '2024-10-27T03:00:00.000+01:00' },
  },
  {
    tool: 'start_of',
    args: { date: '2024-10-27', unit: 'decade' },
    error:
      'Cannot find start: expected unit to be one of year, quarter, month, week, day, hour, got "decade"',
  },
]

export default cases
