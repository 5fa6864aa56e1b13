/** The timestamp of all files of a package, which is fixed so that a commit always gives the same package. */
import { execFileSync } from 'node:child_process'

/**
 * Seconds since 1970: `SOURCE_DATE_EPOCH`, otherwise the time of the commit.
 * @throws Error when both are missing
 */
export function buildTime(root: string, env: NodeJS.ProcessEnv): number {
  const given = env['SOURCE_DATE_EPOCH']
  const text = given ?? execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' })
  if (!/^\d{1,10}$/.test(text.trim())) throw new Error('SOURCE_DATE_EPOCH must be seconds since 1970')
  return Number(text)
}
