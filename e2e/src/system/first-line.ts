/** Waits for a program of a test that has started when it prints a line. */
import type { ChildProcess } from 'node:child_process'

export interface Started {
  /** The first line that fits. */
  line: string
  /** Everything that it has printed. */
  output: () => string
}

/** @param name of the program, for the error @throws Error with the output of a program that ends before */
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
