/** Runs one command line. Output goes through `Io`, so that tests can read it. */
import { OperatorError, Unreachable } from './operator/client.js'
import { parseCtlArgs, type Invocation } from './args.js'
import { connectOperator, NotRunning } from './connect.js'
import { plainJson, plainLines } from '@phonerack/shared'
import { UsageError } from './usage-error.js'

export interface Io {
  out(text: string): void
  err(text: string): void
  environment: NodeJS.ProcessEnv
}

/** @returns the exit code: 0 done, 1 refused or failed, 2 wrong command line. */
export async function runCtl(argv: readonly string[], io: Io): Promise<number> {
  const asJson = argv.includes('--json')
  try {
    const parsed = parseCtlArgs(argv)
    if (parsed.kind === 'help') io.out(parsed.text)
    else return await execute(parsed.invocation, io)
    return 0
  } catch (error) {
    const [code, message, body] = explain(error)
    io.err(asJson ? `${plainJson(JSON.stringify(body))}\n` : `ctl: ${plainLines(message)}\n`)
    return code
  }
}

async function execute(
  { command, words, flags, data, json, idempotencyKey }: Invocation,
  io: Io,
): Promise<number> {
  const say = (text: string) => {
    if (!json) io.out(`${text}\n`)
  }
  const result = await command.run({ words, flags, say }, () =>
    connectOperator(data, io.environment, idempotencyKey),
  )
  io.out(json ? `${plainJson(JSON.stringify(result.json, null, 2))}\n` : `${plainLines(result.text)}\n`)
  return result.hasFailed === true ? 1 : 0
}

/** Exit code, text for people, body for `--json`. */
function explain(error: unknown): [code: number, message: string, body: unknown] {
  if (error instanceof UsageError)
    return [
      2,
      `${error.message}\nSee ./scripts/ctl --help`,
      { error: { code: 'usage', message: error.message } },
    ]
  if (error instanceof OperatorError) {
    const next = error.next === null ? '' : `\n${error.next}`
    return [1, `${error.message} (${error.code})${next}`, error.body]
  }
  if (error instanceof Unreachable || error instanceof NotRunning)
    return [1, error.message, { error: { code: 'not_running', message: error.message } }]
  // Other errors come from input such as a file with invalid XML.
  const message = error instanceof Error ? error.message : String(error)
  return [1, message, { error: { code: 'failed', message } }]
}
