/** Loops, conditions and `case`. Used by `interpreter.ts`. */
import type { Command, Script, Word } from './ast.js'
import type { Interpreter } from './interpreter.js'
import { compile, matches } from './pattern.js'
import { LeaveLoop } from './state.js'

/** Runs a condition, whose failure does not end a shell under `set -e`. */
export async function condition(shell: Interpreter, script: Script): Promise<number> {
  const strict = shell.state.options.delete('e')
  try {
    return await shell.script(script)
  } finally {
    if (strict) shell.state.options.add('e')
  }
}

export async function runWhile(shell: Interpreter, command: Command & { kind: 'while' }): Promise<number> {
  let status = 0
  while (((await condition(shell, command.condition)) === 0) !== command.until) {
    const turn = await loopBody(shell, command.body)
    status = turn.status
    if (turn.leave) break
  }
  return status
}

export async function runFor(shell: Interpreter, command: Command & { kind: 'for' }): Promise<number> {
  const values: string[] = command.words === null ? [...shell.parameters] : []
  for (const word of command.words ?? []) values.push(...(await shell.expander.fields(word)))
  let status = 0
  for (const value of values) {
    shell.assign(command.name, value)
    const turn = await loopBody(shell, command.body)
    status = turn.status
    if (turn.leave) break
  }
  return status
}

async function loopBody(shell: Interpreter, body: Script): Promise<{ status: number; leave: boolean }> {
  await shell.takeTurn()
  shell.state.loops += 1
  try {
    return { status: await shell.script(body), leave: false }
  } catch (error) {
    if (!(error instanceof LeaveLoop)) throw error
    if (--error.levels > 0) throw error
    return { status: 0, leave: error.how === 'break' }
  } finally {
    shell.state.loops -= 1
  }
}

export async function runCase(shell: Interpreter, command: Command & { kind: 'case' }): Promise<number> {
  const subject = await shell.expander.text(command.subject)
  let status = 0
  let through = false
  for (const item of command.items) {
    through = through || (await matchesAny(shell, item.patterns, subject))
    if (!through) continue
    status = await shell.script(item.body)
    if (!item.fallsThrough) return status
  }
  return status
}

async function matchesAny(shell: Interpreter, patterns: readonly Word[], subject: string): Promise<boolean> {
  for (const pattern of patterns) {
    if (matches(compile(await shell.expander.pieces(pattern)), subject)) return true
  }
  return false
}
