/**
 * `minSdkVersion` and `targetSdkVersion`: an API level, or the code name of an Android preview,
 * which requires exactly that preview. Source: AOSP `FrameworkParsingPackageUtils`,
 * `Build.VERSION_CODES`. Pure.
 */

/** API levels by the code name in lower case. */
const levels: ReadonlyMap<string, number> = new Map([
  ['m', 23],
  ['n', 24],
  ['o', 26],
  ['p', 28],
  ['q', 29],
  ['r', 30],
  ['s', 31],
  ['sv2', 32],
  ['tiramisu', 33],
  ['upsidedowncake', 34],
  ['vanillaicecream', 35],
  ['baklava', 36],
])
/** `Build.VERSION_CODES.CUR_DEVELOPMENT`: above every released version. */
const unreleased = 10_000

interface SdkVersion {
  /** Null if the manifest declares none. */
  level: number | null
  codename: string | null
}

/** Reads `34`, `"34"`, `Tiramisu` or `Tiramisu.<fingerprint>`. */
export function sdkOf(value: unknown): SdkVersion {
  if (typeof value === 'number') return { level: value >= 0 ? value : null, codename: null }
  if (typeof value !== 'string' || value === '') return { level: null, codename: null }
  if (/^\d{1,5}$/.test(value)) return { level: Number(value), codename: null }
  const codename =
    value
      .split('.', 1)[0]
      ?.replace(/[^A-Za-z0-9_-]/g, '')
      .slice(0, 40) || 'unknown'
  return { level: levels.get(codename.toLowerCase()) ?? unreleased, codename }
}
