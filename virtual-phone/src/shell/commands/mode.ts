/** Permission bits: parses `755` and `u+x`, and formats `rwxr-xr-x`. */
import { typeBits } from '../../fs/inode.js'
import { UsageError } from '../command.js'

/** @throws UsageError */
export function parseMode(text: string, old: number, directory = false): number {
  if (/^[0-7]{1,4}$/.test(text)) return parseInt(text, 8)
  let mode = old
  for (const part of text.split(',')) {
    const [, who = '', how = '', what = ''] = /^([ugoa]*)([-+=])([rwxXst]*)$/.exec(part) ?? []
    if (how === '') throw new UsageError(`bad mode '${text}'`)
    const everyone = who === '' || who.includes('a')
    let bits = 0
    for (const [letter, value] of [
      ['r', 4],
      ['w', 2],
      ['x', 1],
    ] as const) {
      const conditional = letter === 'x' && what.includes('X') && (directory || (old & 0o111) !== 0)
      if (!what.includes(letter) && !conditional) continue
      if (everyone || who.includes('u')) bits |= value << 6
      if (everyone || who.includes('g')) bits |= value << 3
      if (everyone || who.includes('o')) bits |= value
    }
    const touched =
      (everyone || who.includes('u') ? 0o700 : 0) |
      (everyone || who.includes('g') ? 0o070 : 0) |
      (everyone || who.includes('o') ? 0o007 : 0)
    if (how === '+') mode |= bits
    else if (how === '-') mode &= ~bits
    else mode = (mode & ~touched) | bits
  }
  return mode
}

/** Formats like `ls -l`. */
export function modeText(mode: number): string {
  const type = mode & typeBits.mask
  const letter =
    type === typeBits.directory ? 'd' : type === typeBits.link ? 'l' : type === typeBits.character ? 'c' : '-'
  const group = (shift: number, special: boolean, mark: string) => {
    const bits = (mode >> shift) & 7
    const last = special ? (bits & 1 ? mark : mark.toUpperCase()) : bits & 1 ? 'x' : '-'
    return (bits & 4 ? 'r' : '-') + (bits & 2 ? 'w' : '-') + last
  }
  return (
    letter +
    group(6, (mode & 0o4000) !== 0, 's') +
    group(3, (mode & 0o2000) !== 0, 's') +
    group(0, (mode & 0o1000) !== 0, 't')
  )
}
