/** The builtin `getopts`, as in POSIX and mksh. Used by `builtins.ts`. */
import type { BuiltinCall } from './builtins.js'

/** Sets the named variable, `OPTARG` and `OPTIND`; returns 1 at the end of the options. */
export async function getopts(call: BuiltinCall): Promise<number> {
  const { shell } = call
  const [spec = '', name = '', ...given] = call.args
  const args = given.length > 0 ? given : shell.parameters
  const { state } = shell
  let index = Number(shell.lookup('OPTIND') ?? '1')
  if (!(index >= 1)) index = 1
  if (state.getopts.index !== index) state.getopts = { index, letter: 1 }
  const word = args[index - 1] ?? ''
  const end = (next: number, code: number) => {
    state.getopts = { index: next, letter: 1 }
    shell.assign('OPTIND', String(next))
    if (code === 1) shell.assign(name, '?')
    return code
  }
  if (word === '--') return end(index + 1, 1)
  if (!/^-./s.test(word)) return end(index, 1)
  const letter = word[state.getopts.letter] ?? ''
  const silent = spec.startsWith(':')
  const at = letter === ':' ? -1 : spec.indexOf(letter)
  const last = state.getopts.letter + 1 >= word.length
  const wrong = async (what: string, code: string) => {
    shell.assign(name, silent ? code : '?')
    shell.assign('OPTARG', silent ? letter : '')
    if (!silent) await shell.complain(`-${letter}: ${what}`, call.descriptors)
  }
  if (at === -1) {
    await wrong('unknown option', '?')
  } else if (spec[at + 1] === ':') {
    const value = last ? args[index] : word.slice(state.getopts.letter + 1)
    if (value === undefined) await wrong('requires argument', ':')
    else {
      shell.assign(name, letter)
      shell.assign('OPTARG', value)
    }
    return end(index + (last ? 2 : 1), 0)
  } else {
    shell.assign(name, letter)
    shell.assign('OPTARG', '')
  }
  if (last) return end(index + 1, 0)
  state.getopts = { index, letter: state.getopts.letter + 1 }
  shell.assign('OPTIND', String(index))
  return 0
}
