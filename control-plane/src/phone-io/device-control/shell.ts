/** Checks the right to run shell commands, and reads the answer of a command, which runs as a batch. Used by `service.ts`. docs/decisions/0320 */
import { ApiError, shellResultSchema, type ActionBatchResult, type ShellResult } from '@phonerack/shared'
import { type Caller } from '../../base/core/caller.js'
import { phoneUnavailable } from '../../rental/phones/target.js'

/** The agent of the host decides by the kind of the phone. @throws ApiError shell_not_allowed */
export function checkShell({ profile, hasShell = false }: Pick<Caller, 'profile' | 'hasShell'>): void {
  if (profile !== 'full')
    throw new ApiError('shell_not_allowed', {
      message: `The profile \`${profile}\` of this request does not allow shell commands.`,
      details: { profile },
    })
  if (!hasShell)
    throw new ApiError('shell_not_allowed', {
      message: 'The operator of the service does not allow shell commands in this project.',
    })
}

/** @param run runs a batch of one shell command, and returns its response */
export async function shellAnswer(phoneId: string, run: () => Promise<Uint8Array>): Promise<ShellResult> {
  let json: Uint8Array
  try {
    json = await run()
  } catch (error) {
    throw error instanceof ApiError ? refusalOf(phoneId, error) : error
  }
  const { results } = JSON.parse(Buffer.from(json).toString('utf8')) as ActionBatchResult
  const [result] = results
  // The command did not start before the batch ended.
  if (!result) throw phoneUnavailable(phoneId)
  if (result.error) throw new ApiError(result.error.code, withNext(phoneId, result.error))
  const parsed = shellResultSchema.safeParse(result)
  if (!parsed.success)
    throw new ApiError('action_outcome_unknown', { ...withNext(phoneId, {}), cause: parsed.error })
  return parsed.data
}

function refusalOf(phoneId: string, error: ApiError): ApiError {
  // Nothing is known about the batch.
  if (error.code === 'internal_error')
    return new ApiError('action_outcome_unknown', { ...withNext(phoneId, {}), cause: error })
  // The command is valid, so the agent is older than the action.
  if (error.code === 'validation_failed')
    return new ApiError('feature_unavailable', {
      message: "The agent on the phone's host does not support shell commands yet.",
      cause: error,
    })
  return error
}

/** A command has no observation that shows its effect. */
const withNext = <E extends object>(phoneId: string, error: E): E & { next: string } => ({
  ...error,
  next: `GET /v1/phones/${phoneId}/observe`,
})
