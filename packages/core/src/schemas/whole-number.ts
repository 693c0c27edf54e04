import { z } from 'zod'

/**
 * Query parameters are text; anything but plain digits is refused (`1e9`, `+1`, ` 1`, `0x1`). The JSON Schema is that of the
 * number.
 */
export function wholeNumber(least: number, most: number) {
  return z
    .string()
    .regex(/^\d{1,10}$/, `expected a whole number from ${least} to ${most}`)
    .transform(Number)
    .pipe(z.number().min(least, `expected at least ${least}`).max(most, `expected at most ${most}`))
    .meta({ type: 'integer', minimum: least, maximum: most, pattern: undefined })
}
