/** Looks up parameters and variables by name, including special ones (`$?`, `$#`, `$RANDOM`). Used by `interpreter.ts`. */
import type { Interpreter } from './interpreter.js'

export function lookupParameter(shell: Interpreter, name: string): string | null {
  const { state } = shell
  switch (name) {
    case '?':
      return String(state.lastStatus)
    case '#':
      return String(state.parameters.length)
    case '$':
      return String(state.pid)
    case '!':
      return state.lastBackground === null ? null : String(state.lastBackground)
    case '-':
      return [...state.options].join('')
    case '0':
      return state.name
    case 'PWD':
      return state.cwd
    case 'PPID':
      return String(shell.android.processes.find(state.pid)?.parent ?? 1)
    case 'RANDOM':
      return String(Math.floor(Math.random() * 32768))
  }
  if (/^\d+$/.test(name)) return state.parameters[Number(name) - 1] ?? null
  return state.variables.get(name)
}
