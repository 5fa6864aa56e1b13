/**
 * Joins a page's blocks of one client to one program, which marks the end of each block in its output. Pure.
 */
import { createRequire } from 'node:module'
import path from 'node:path'
import { root } from '../system/system.js'
import type { Block, Client } from './blocks.js'

export interface Program {
  file: string
  text: string
  /** The command that runs the file. */
  command: readonly string[]
}

const mark = '@@end'

const require = createRequire(path.join(root, 'clients/typescript/package.json'))
interface Compiler {
  ScriptTarget: { ES2022: number }
  ModuleKind: { ESNext: number }
  transpileModule: (code: string, options: object) => { outputText: string }
}

/** Node.js 20 supports neither types nor `await using`. */
function compiled(code: string): string {
  const ts = require('typescript') as Compiler
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }
  return ts.transpileModule(code, { compilerOptions }).outputText
}

/** @param python the interpreter */
export function programOf(client: Exclude<Client, 'MCP'>, blocks: readonly Block[], python: string): Program {
  const joined = (end: (step: number) => string): string =>
    blocks.map(({ code, step }) => `${code}\n${end(step)}\n`).join('')
  switch (client) {
    case 'TypeScript': {
      const code = joined((step) => `console.log('\\n${mark} ${step}')`)
      return { file: 'page.mjs', text: compiled(code), command: [process.execPath, 'page.mjs'] }
    }
    case 'Python':
      return {
        file: 'page.py',
        text: joined((step) => `print("\\n${mark} ${step}", flush=True)`),
        command: [python, 'page.py'],
      }
    default:
      return {
        file: 'page.sh',
        text: joined((step) => `printf '\\n${mark} %s\\n' ${step}`),
        command: ['bash', '--norc', '-euo', 'pipefail', 'page.sh'],
      }
  }
}

/** The output of each step. */
export function outputsOf(printed: string): Map<number, string> {
  const parts = printed.split(new RegExp(`^${mark} (\\d+)\\n`, 'm'))
  const outputs = new Map<number, string>()
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const step = Number(parts[at + 1])
    outputs.set(step, `${outputs.get(step) ?? ''}${parts[at] ?? ''}`)
  }
  return outputs
}
