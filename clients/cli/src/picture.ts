/** Shows a picture in terminals that can. */
import type { Io } from './io.js'
import { UsageError } from './usage-error.js'

/** Bytes of one part of the kitty protocol. */
const partSize = 4096

/** @param image PNG; iTerm2 and WezTerm also show JPEG @throws UsageError in other terminals */
export function pictureOf(image: Uint8Array, { env, isTerminal }: Pick<Io, 'env' | 'isTerminal'>): string {
  const data = Buffer.from(image).toString('base64')
  const program = env['TERM_PROGRAM'] ?? ''
  if (!isTerminal.out) throw new UsageError('--show needs a terminal.')
  if (program === 'iTerm.app' || program === 'WezTerm')
    return `\u001b]1337;File=inline=1;size=${image.byteLength};height=80%:${data}\u0007\n`
  if (env['KITTY_WINDOW_ID'] === undefined && !/kitty|ghostty/i.test(`${env['TERM'] ?? ''} ${program}`))
    throw new UsageError('This terminal has no known way to show pictures.', 'Write a file: -o screen.png')
  const parts: string[] = []
  for (let at = 0; at < data.length; at += partSize) {
    const more = at + partSize < data.length ? 1 : 0
    const keys = at === 0 ? `f=100,a=T,m=${more}` : `m=${more}`
    parts.push(`\u001b_G${keys};${data.slice(at, at + partSize)}\u001b\\`)
  }
  return `${parts.join('')}\n`
}
