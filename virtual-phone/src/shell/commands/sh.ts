/** `sh`: a nested shell. */
import { type CommandTable, UsageError } from '../command.js'
import { runInteractive, runText, type SessionOptions } from '../session.js'

export const shCommands: CommandTable = {
  sh: async (io) => {
    const options: SessionOptions = { ...io, pid: io.pid, name: 'sh' }
    const args = [...io.args]
    while (/^-[el]$/.test(args[0] ?? '')) args.shift()
    if (args[0] === '-c') {
      const [, text, name, ...parameters] = args
      if (text === undefined) throw new UsageError('-c: requires an argument')
      return runText(text, { ...options, name: name ?? 'sh', parameters })
    }
    const [file, ...parameters] = args
    if (file === undefined || file === '-') return runInteractive(null, options)
    if (file.startsWith('-')) throw new UsageError(`${file}: unknown option`)
    const script = await io.fs.readFile(io.path(file))
    return runText(script.toString('latin1'), { ...options, name: file, parameters })
  },
}
