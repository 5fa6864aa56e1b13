/** Lists the countries with phones, from enrolled devices' hosts that are not retired. */
import { type Reader } from '../../base/db/database.js'

/** Sorted two-letter codes. */
export async function activeCountries(db: Reader): Promise<string[]> {
  const rows = await db.$queryRaw<
    { country: string }[]
  >`select distinct country from hosts where retired_at is null order by country`
  return rows.map((row) => row.country)
}

const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' })

/** English names, sorted. */
export const namedCountries = (codes: readonly string[]): { code: string; name: string }[] =>
  codes
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'))
