/** `api METHOD PATH`: any request of the API. */
import { unexpectedAnswer } from '@phonerack/sdk/internal'
import type { Command } from 'commander'
import type { App, Run } from '../app.js'
import { plainJson } from '@phonerack/shared/plain'
import { readGiven } from '../stdin.js'
import { UsageError } from '../usage-error.js'

interface ApiFlags {
  body?: string
  header?: string[]
  raw?: boolean
}

export function addApiCommand(program: Command, app: App): void {
  app.on<ApiFlags>(
    program
      .command('api')
      .description('send any request of the API, such as `api GET /v1/phones`')
      .argument('<method>')
      .argument('<path>')
      .option('--body <json>', 'the body: JSON, @file, or - for stdin')
      .option('--raw', 'send the body as bytes, not as JSON')
      .option('--header <name: value...>', 'add a header, such as "Idempotency-Key: run-1"'),
    api,
  )
}

async function api(run: Run, [method = '', path = '']: readonly string[], flags: ApiFlags): Promise<void> {
  if (!/^[A-Za-z]{1,10}$/.test(method))
    throw new UsageError(`\`${method}\` is not a method such as GET or POST.`)
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(path))
    throw new UsageError(
      'The path must start with one `/` and have no spaces, such as /v1/phones.',
      'Encode other characters, such as %20.',
    )
  if (flags.body !== undefined && isRead(method))
    throw new UsageError(`A ${method.toUpperCase()} request has no body.`, 'Leave out --body.')
  const headers = headersOf(flags.header ?? [])
  const body =
    flags.body === undefined ? undefined : bodyOf(await readGiven(flags.body, run.io), flags.raw === true)
  const { client } = await run.session()
  const response = await client.send(method.toUpperCase(), path, {
    ...run.call,
    headers,
    ...(body === undefined ? {} : { body }),
  })
  const content = Buffer.from(await response.arrayBuffer())
  if (content.length === 0) return
  if (!/^application\/json\b/.test(response.headers.get('content-type') ?? '')) return run.out.bytes(content)
  const object = objectOf(content, response, method)
  const text = plainJson(JSON.stringify(object, null, 2))
  await run.out.answer(object, text, text)
}

const isRead = (method: string): boolean => /^(?:get|head)$/i.test(method)

function objectOf(content: Buffer, { status, headers }: Response, method: string): unknown {
  try {
    return JSON.parse(content.toString('utf8')) as unknown
  } catch (cause) {
    const write = isRead(method) ? null : { key: null }
    const requestId = headers.get('x-request-id')
    throw unexpectedAnswer(status, 'a body that is not JSON', { write, requestId, cause })
  }
}

export function headersOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const match = /^([A-Za-z0-9-]+):\s*([\t\x20-\x7e]*)$/.exec(line)
      const name = match?.[1] ?? ''
      if (name === '') throw new UsageError(`\`--header\` takes "Name: value", not \`${line}\`.`)
      // Each request uses the key of the session only.
      if (name.toLowerCase() === 'authorization')
        throw new UsageError('The key is not given on the command line.', 'Set PHONERACK_API_KEY.')
      return [name, match?.[2] ?? '']
    }),
  )
}

function bodyOf(content: Buffer, isRaw: boolean): unknown {
  if (isRaw) return new Uint8Array(content)
  try {
    return JSON.parse(content.toString('utf8'))
  } catch {
    throw new UsageError('`--body` is not JSON.', 'Add --raw to send bytes.')
  }
}
