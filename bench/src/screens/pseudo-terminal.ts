/** Runs a command in a pseudo-terminal, with `script` of util-linux. */
import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'

export interface Terminal {
  columns: number
  env: Record<string, string>
  cwd: string
  /** Milliseconds after which the command is ended. */
  limitMs: number
}

/**
 * The output of a command. Each line of `typed` is typed a second after its prompt.
 *
 * @throws Error for another exit code, for a command that ends before all lines are typed, and for a command
 * that takes too long
 */
export function inTerminal(
  command: string,
  { columns, env, cwd, limitMs }: Terminal,
  { typed = [], exitCode = 0 }: { typed?: readonly string[]; exitCode?: number } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const words = ['-qec', `stty cols ${columns} rows 50; ${command}`, '/dev/null']
    const child = spawn('script', words, { env, cwd, stdio: ['pipe', 'pipe', 'inherit'] })
    let output = ''
    let seenAt = performance.now()
    let isOver = false
    const left = [...typed]
    const limit = setTimeout(() => {
      reject(new Error(`\`${command}\` took more than ${limitMs} ms:\n${output}`))
      child.kill('SIGTERM')
    }, limitMs)
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8')
      seenAt = performance.now()
    })
    // The command may end while a line is typed.
    child.stdin.on('error', () => undefined)
    child.on('error', (error) => {
      clearTimeout(limit)
      reject(error)
    })
    child.on('close', (code, signal) => {
      clearTimeout(limit)
      isOver = true
      const end = code ?? signal ?? 'nothing'
      if (end !== exitCode) reject(new Error(`\`${command}\` ended with ${end}:\n${output}`))
      else if (left.length > 0)
        reject(new Error(`\`${command}\` ended before \`${left[0]}\` was typed:\n${output}`))
      else resolve(output)
    })
    const type = async (): Promise<void> => {
      for (let line = left[0]; line !== undefined; line = left[0]) {
        // oxlint-disable-next-line no-control-regex -- readline moves the cursor after its prompt
        while (!/> (?:\u001b\[\d+G)?$/.test(output) || performance.now() - seenAt < 1000) {
          if (isOver) return
          await pause(100)
        }
        child.stdin.write(`${line}\r`)
        seenAt = performance.now()
        left.shift()
      }
    }
    type().catch(reject)
  })
}
