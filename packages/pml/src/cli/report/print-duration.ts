const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const

/** In the largest unit that it fills and the next smaller one: `2 h 5 min`. */
export function printDuration(seconds: number): string {
  if (seconds < 1) return 'under 1 s'
  const whole = roundedFor(seconds)
  const largest = units.findIndex(([, size]) => whole >= size)
  let left = whole
  const parts = units.slice(largest, largest + 2).map(([unit, size]) => {
    const count = Math.floor(left / size)
    left -= count * size
    return count === 0 ? '' : `${count} ${unit}`
  })
  return parts.filter(Boolean).join(' ')
}

/** To what the second unit shows: 3599.6 s is an hour, and not `59 min 60 s`. */
function roundedFor(seconds: number): number {
  const whole = Math.round(seconds)
  const grain = whole >= 86_400 ? 3600 : whole >= 3600 ? 60 : 1
  return Math.round(whole / grain) * grain
}
