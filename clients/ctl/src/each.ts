/** Runs one request for each of several objects, and reports all results. */
import { OperatorError } from './operator/client.js'
import type { Result } from './commands.js'

/**
 * For one object, returns its result or throws its refusal. For several objects, requests run one after the other. A
 * refusal does not stop the rest, and the command fails at the end if the service refused any request.
 */
export async function each<T>(
  refs: readonly string[],
  request: (ref: string) => Promise<T>,
  textOf: (result: T) => string,
): Promise<Result> {
  const [only, ...others] = refs
  if (only !== undefined && others.length === 0) {
    const json = await request(only)
    return { json, text: textOf(json) }
  }
  const data: (T | { ref: string; error: unknown })[] = []
  const lines: string[] = []
  let failed = 0
  for (const ref of refs) {
    try {
      const result = await request(ref)
      data.push(result)
      lines.push(textOf(result))
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      failed += 1
      data.push({ ref, error: errorOf(error) })
      lines.push(`${ref}: ${error.message} (${error.code})`)
    }
  }
  if (failed > 0) lines.push(`${failed} of ${refs.length} were refused.`)
  return { json: { data }, text: lines.join('\n'), hasFailed: failed > 0 }
}

/** The `error` of the API's envelope. */
const errorOf = ({ body, code, message }: OperatorError): unknown =>
  typeof body === 'object' && body !== null && 'error' in body ? body.error : { code, message }
