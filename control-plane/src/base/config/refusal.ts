import type { ZodError } from 'zod'

/**
 * A refusal to start that a restart does not cure: the configuration does not match the database. The message says what
 * is wrong and which command helps.
 */
export class StartRefusal extends Error {
  override name = 'StartRefusal'
}

/** Exit code of a refused start: `EX_CONFIG` of sysexits.h. */
export const refusalExitCode = 78

/** Returns the missing or wrong variables of a configuration as one line. */
export const configurationFault = (
  { issues }: ZodError,
  env: Readonly<Record<string, string | undefined>>,
): string =>
  `configuration: ${issues
    .map(({ path, message }) => {
      const name = path.join('.')
      // A file may contain the value of a secret (`secret-files.ts`).
      const isMissing = env[name] === undefined && env[`${name}_FILE`] === undefined
      return name === '' ? message : `${name}: ${isMissing ? 'is missing' : message}`
    })
    .join('; ')}`
