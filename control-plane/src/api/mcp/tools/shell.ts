/** The tool for shell commands. */
import { limits, type ShellResult } from '@phonerack/shared'
import { z } from 'zod'
import { answer } from '../answers.js'
import { path, times } from '../api.js'
import { maxBytes } from '../lists.js'
import { integer, orNull, phoneId, string } from '../schemas.js'
import { quoted } from '../text.js'
import { adds, defineTool } from '../tool.js'

const { min, default: usual } = limits.shell.timeout
/** Seconds. */
const most = times.start / 1000

/** The output that fits into an answer. A long output keeps its end, where errors are. */
function fitting(result: ShellResult): ShellResult {
  const size = Buffer.byteLength(quoted(result))
  if (size <= maxBytes) return result
  const kept = (text: string): string => text.slice(-Math.floor((text.length * maxBytes) / size))
  return fitting({ ...result, stdout: kept(result.stdout), stderr: kept(result.stderr), truncated: true })
}

export const shellTools = [
  defineTool({
    name: 'shell',
    title: 'Run a shell command',
    description:
      'Run a command (am, pm, settings, files …) in sh of a ready phone, as user shell. Never repeat it after action_outcome_unknown. Real phones mostly refuse it.',
    input: z.strictObject({
      phone_id: phoneId,
      command: z.string(),
      stdin: z.string().optional(),
      timeout: z.number().min(min).max(most).optional().describe(`Seconds; ${usual}`),
    }),
    output: { stdout: string, stderr: string, exit_code: orNull(integer) },
    annotations: { ...adds, destructiveHint: true, openWorldHint: true },
    async run({ phone_id: id, ...json }, api) {
      const target = path`/v1/phones/${id}/shell`
      return answer(fitting(await api.json<ShellResult>({ method: 'POST', path: target, json })))
    },
  }),
]
