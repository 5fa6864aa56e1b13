/** Waits until a started program of a test prints a certain line. */
import type { ChildProcess } from 'node:child_process'

export interface Started {
  /** The first line that matches. */
  line: string
  /** The program's output so far. */
  output: () => string
}

/**
 * @param name the program's name, for the error
 * @throws Error with the output of a program that ends earlier
 */
export function firstLine(name: string, child: ChildProcess, until: RegExp): Promise<Started> {
  let output = ''
  return new Promise((resolve, reject) => {
    const onText = (chunk: Buffer) => {
      output += chunk.toString()
      const line = output.split('\n').find((each) => until.test(each))
      if (line !== undefined) resolve({ line, output: () => output })
    }
    child.stdout?.on('data', onText)
    child.stderr?.on('data', onText)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${name} ended with ${String(code)}: ${output}`)))
  })
}
