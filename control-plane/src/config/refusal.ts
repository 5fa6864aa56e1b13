/**
 * A refusal to start that a restart does not cure: the configuration does not fit the database. The
 * message says what is wrong and which command helps.
 */
export class StartRefusal extends Error {
  override name = 'StartRefusal'
}

/** Exit code of a refused start: `EX_CONFIG` of sysexits.h. */
export const refusalExitCode = 78
