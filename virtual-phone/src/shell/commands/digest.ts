/** md5sum, sha256sum, base64: convert bytes to text. */
import { createHash } from 'node:crypto'
import { type CommandIo, type CommandRun, type CommandTable } from '../command.js'
import { eachInput, linesOf } from './inputs.js'
import { parseOptions } from './options.js'

function sum(algorithm: string): CommandRun {
  return async (io: CommandIo) => {
    const { flags, operands } = parseOptions(io, 'bc')
    if (flags.has('c')) return check(io, algorithm, operands)
    return eachInput(io, operands, async (source, name) => {
      const hash = createHash(algorithm)
      for (let chunk = await source.read(); chunk !== null; chunk = await source.read()) hash.update(chunk)
      const digest = hash.digest('hex')
      await io.out(flags.has('b') ? `${digest}\n` : `${digest}  ${name}\n`)
    })
  }
}

async function check(io: CommandIo, algorithm: string, operands: readonly string[]): Promise<number> {
  let wrong = 0
  const status = await eachInput(io, operands, async (source) => {
    for await (const line of linesOf(source)) {
      const [, wanted, name] = /^([0-9a-fA-F]+) [ *](.+)$/.exec(line) ?? []
      if (wanted === undefined || name === undefined) continue
      const hash = createHash(algorithm)
      const failed = await eachInput(io, [name], async (file) => {
        for (let chunk = await file.read(); chunk !== null; chunk = await file.read()) hash.update(chunk)
      })
      const good = failed === 0 && hash.digest('hex') === wanted.toLowerCase()
      if (!good) wrong += 1
      await io.out(`${name}: ${good ? 'OK' : 'FAILED'}\n`)
    }
  })
  return wrong > 0 ? 1 : status
}

export const digestCommands: CommandTable = {
  md5sum: sum('md5'),
  sha256sum: sum('sha256'),
  base64: (io) => {
    const { flags, values, operands } = parseOptions(io, 'di', 'w')
    const width = Number(values['w'] ?? '76')
    return eachInput(io, operands, async (source) => {
      const chunks: Buffer[] = []
      for (let chunk = await source.read(); chunk !== null; chunk = await source.read()) chunks.push(chunk)
      const bytes = Buffer.concat(chunks)
      if (flags.has('d')) return io.stdout.write(Buffer.from(bytes.toString('latin1'), 'base64'))
      const text = bytes.toString('base64')
      const lines = width > 0 ? (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []) : [text]
      await io.out(lines.map((line) => `${line}\n`).join(''))
    })
  },
}
