/** `--metadata key=value`. */
import { UsageError } from './usage-error.js'

export function metadataOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new UsageError(`\`--metadata\` takes key=value, not \`${pair}\`.`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}
