/** Subshells: pipelines, background commands and `$(…)`. Used by `interpreter.ts`. */
import { emptySource, Pipe } from '../android/streams.js'
import type { Script, Statement } from './ast.js'
import { byteString } from './bytes.js'
import type { Interpreter } from './interpreter.js'
import type { Descriptors } from './state.js'

/** The largest output of a `$(…)`. */
const maxSubstitutionBytes = 32 * 1024 * 1024

export async function runPipeline(
  shell: Interpreter,
  parts: readonly Statement[],
  descriptors: Descriptors,
): Promise<number> {
  let input = descriptors.get(0)
  const running: Promise<number>[] = []
  for (const [index, part] of parts.entries()) {
    const last = index === parts.length - 1
    const pipe = new Pipe()
    const own = new Map(descriptors)
    if (input !== undefined) own.set(0, input)
    if (!last) own.set(1, { sink: pipe })
    const source = index === 0 ? null : input?.source
    const child = shell.subshell(own)
    running.push(
      child.run([part]).finally(() => {
        pipe.end()
        if (source instanceof Pipe) source.destroy()
      }),
    )
    input = { source: pipe }
  }
  const statuses = await Promise.all(running)
  return statuses.at(-1) ?? 0
}

export function runInBackground(shell: Interpreter, statement: Statement): number {
  const controller = new AbortController()
  const process = shell.android.processes.start({
    user: 'shell',
    name: 'sh',
    parent: shell.state.pid,
    kill: () => controller.abort(),
  })
  const child = shell.subshell(new Map(shell.descriptors).set(0, { source: emptySource }), controller.signal)
  shell.state.lastBackground = process.pid
  shell.android.inBackground(
    child.run([{ ...statement, background: false }]).finally(() => shell.android.processes.end(process)),
    process.pid,
  )
  return 0
}

export async function captureOutput(shell: Interpreter, body: Script): Promise<string> {
  const pipe = new Pipe()
  const child = shell.subshell(new Map(shell.descriptors).set(1, { sink: pipe }))
  const running = child.run(body).finally(() => pipe.end())
  const chunks: Buffer[] = []
  let size = 0
  for (let chunk = await pipe.read(); chunk !== null; chunk = await pipe.read()) {
    size += chunk.length
    if (size > maxSubstitutionBytes) pipe.destroy()
    else chunks.push(chunk)
  }
  shell.state.lastStatus = await running
  return byteString(Buffer.concat(chunks)).replaceAll('\0', '').replace(/\n+$/, '')
}
