/** `mcp`: agent tools over stdin and stdout, for clients that start a program. */
import { Writable } from 'node:stream'
import type { Command } from 'commander'
import type { App, Run } from '../app.js'
import { plain, plainJson } from '@phonerack/shared/plain'

/** Milliseconds for one request. The server answers within 50 seconds. */
const limitMs = 90_000

export function addMcpCommand(program: Command, app: App): void {
  app.on(program.command('mcp').description('serve the agent tools (MCP) over stdin and stdout'), mcp)
}

async function mcp(run: Run): Promise<void> {
  const { access, client, headers } = await run.session()
  // Imported here, so that other commands do not load it.
  const { serveOverStdio } = await import('../mcp/bridge.js')
  const stdout = new Writable({
    decodeStrings: false,
    // A message is one line of JSON.
    write: (line: string, _encoding, done) => {
      run.io.out(`${plainJson(line.trimEnd())}\n`).then(() => done(), done)
    },
  })
  await serveOverStdio({
    endpoint: new URL('/mcp', client.baseUrl),
    headers: { ...headers, authorization: `Bearer ${access.apiKey}` },
    stdin: run.io.stdin,
    stdout,
    signal: run.io.signal,
    limitMs,
    report: (error) => void run.io.err(`error: ${plain(error.message)}\n`),
  })
  run.io.signal.throwIfAborted()
}
